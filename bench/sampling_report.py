"""The page of results, bench/RESULTS.md, from what one run of bench/run_sampling.sh measured.

    sampling_report.py FOLDER COMMAND > RESULTS.md

FOLDER has one.jsonl and two.jsonl of sampling_bench, and peers.json of sampler_peers.py where engines were there.
"""
import datetime
import json
import pathlib
import sys

# Ratios to a bare read for 256 rows of 128,256 f32 logits on one thread: (rows that have a model's shape, flat rows).
TARGETS = {"greedy": (1.1, None), "top_k:40+temperature": (1.3, None), "min_p:0.05+temperature": (1.5, None),
           "temperature": (2.5, 3.5), "top_p:0.95+temperature": (3.5, 8), "all": (2.5, None)}
# How many times as fast as another engine.
PEER_TARGETS = {("llama.cpp", "top_k:40+temperature"): 6, ("llama.cpp", "min_p:0.05+temperature"): 6,
                ("llama.cpp", "temperature"): 12, ("llama.cpp", "top_p:0.95+temperature"): 12,
                ("transformers, a batch", "top_k:40+top_p:0.95+temperature"): 300}
SHARE_OF_GAIN = 0.9


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    return rows[0]["machine"], rows[1:]


def table(heading, rows):
    """A Markdown table; columns after the first are numbers."""
    out = ["| " + " | ".join(heading) + " |", "|---|" + "--:|" * (len(heading) - 1)]
    return "\n".join(out + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def against(value, target, better):
    """The target beside a value, and whether it is met."""
    if target is None:
        return ""
    met = value <= target if better == "lower" else value >= target
    return f"{'≤' if better == 'lower' else '≥'} {target}{'' if met else ' missed'}"


def target_of(row):
    if row["rows"] == "recorded":
        return TARGETS[row["name"]][0]
    if (row["batch"], row["vocab"]) != (256, 128256):
        return None
    return TARGETS[row["name"]][1 if row["rows"] == "flat" else 0]


def main_table(rows):
    largest = max(row["batch"] for row in rows)
    made = [row for row in rows if row["rows"] != "recorded"]
    vocab = 128256 if any(row["vocab"] == 128256 for row in made) else max(row["vocab"] for row in made)
    out = []
    for row in rows:
        if row["batch"] == largest and (row["rows"] == "recorded" or row["vocab"] == vocab):
            out.append([f"`{row['name']}`", row["rows"], f"{row['vocab']:,}", f"{row['us_per_row']:.1f}",
                        f"{row['read_us_per_row']:.1f}", f"{row['ratio_to_read']:.2f}",
                        f"{row['ratio_low']:.2f}–{row['ratio_high']:.2f}",
                        against(row["ratio_to_read"], target_of(row), "lower"), f"{row['falls_per_1000']:.1f}"])
    heading = ["chain", "rows", "logits", "µs a row", "µs a read", "ratio", "quartiles", "target", "falls of 1,000"]
    return f"Batches of {largest}, f32, one thread.\n\n" + table(heading, out)


def grid_table(rows):
    sizes = sorted({(row["vocab"], row["batch"]) for row in rows})
    out = []
    for kind in ("model-like", "flat", "recorded"):
        for name in TARGETS:
            found = {(r["vocab"], r["batch"]): r for r in rows if r["name"] == name and r["rows"] == kind}
            if found:
                cells = [f"{found[s]['us_per_row']:.1f} ({found[s]['ratio_to_read']:.2f})" if s in found else ""
                         for s in sizes]
                out.append([f"`{name}`, {kind}", *cells])
    return table(["µs a row (ratio)", *[f"{vocab:,} × {batch}" for vocab, batch in sizes]], out)


def memory_table(rows):
    rows = [row for row in rows if row["rows"] == "model-like"]
    vocab = max(row["vocab"] for row in rows)
    batches = sorted({row["batch"] for row in rows})
    out = []
    for name in TARGETS:
        found = {r["batch"]: r for r in rows if (r["name"], r["vocab"]) == (name, vocab)}
        out.append([f"`{name}`", *[f"{found[b]['bytes_per_row']:,.0f}" for b in batches if b in found],
                    f"{max(r['allocations_per_row'] for r in found.values()):.2g}"])
    return f"Rows of {vocab:,} logits.\n\n" + table(
        ["bytes a row", *[f"batch {b}" for b in batches], "allocations a row"], out)


def thread_table(rows):
    out = []
    for row in rows:
        share = row["gain"] / row["read_gain"]
        out.append([f"`{row['name']}`", str(row["batch"]), f"{row['us_per_row']:.1f}", f"{row['gain']:.2f}",
                    f"{row['read_gain']:.2f}", f"{share:.2f}", against(share, SHARE_OF_GAIN, "higher")])
    return table(["chain", "batch", "µs a row", "gain", "read's gain", "share", "target"], out)


def peer_table(peers):
    out = []
    for row in peers["results"]:
        target = PEER_TARGETS.get((row["engine"], row["name"]))
        out.append([f"`{row['name']}`", row["engine"], f"{row['us_per_row']:,.0f}",
                    f"{row['decant_us_per_row']:.1f}", f"{row['ratio']:.1f}", against(row["ratio"], target, "higher")])
    about = f"{peers['batch']} rows of {peers['vocab']:,}, model-like, one thread, {peers['rounds']} rounds in turn.\n\n"
    return about + table(["chain", "engine", "µs a row", "decant µs", "times as fast", "target"], out)


def main(arguments):
    if len(arguments) != 2:
        sys.exit(__doc__)
    folder = pathlib.Path(arguments[0])
    machine, one = lines_of(folder / "one.jsonl")
    _, two = lines_of(folder / "two.jsonl")
    text = ["# The sampler, measured\n",
            f"{machine}; {datetime.date.today().isoformat()}; `{arguments[1].strip()}`. What the figures mean is in "
            "[docs/benchmarks.md](../docs/benchmarks.md). Compare ratios, and those of one run only.\n",
            "## Beside a bare read of the same rows\n", main_table(one),
            "## Two threads\n\nGain: how many times as fast two threads are as one, in one run.\n", thread_table(two)]
    if (folder / "peers.json").exists():
        peers = json.loads((folder / "peers.json").read_text(encoding="utf-8"))
        text += ["## Beside other engines\n\n\"llama.cpp, filled\" leaves out the time to fill its array of candidates "
                 "from the row.\n", peer_table(peers)]
    text += ["## All sizes\n\nMicroseconds a row, and the ratio to a bare read, by logits × rows a batch.\n",
             grid_table(one), "![cost by vocabulary and by batch](growth.svg)\n",
             "## Memory\n\nWhat the sampler holds after its first step, for each row of the batch (indices of a history "
             "included, the history itself not), and allocations in a step after it.\n", memory_table(one)]
    print("\n".join(text), end="")


if __name__ == "__main__":
    main(sys.argv[1:])
