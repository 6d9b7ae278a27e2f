"""What engines take to turn a row of logits into a token, beside decant, in one run on one kind of rows.

    sampler_peers.py [--batch 64] [--vocab 128256] [--rounds 3] [--pairs 5] [--decant build/release/bin/decant]
                     [--json FILE] [--quick]

Rows are model-like: N(0, 2.2), and at 200 random places a Gamma of shape 2 and scale 3 more. decant and the others take
turns, round by round, each on one thread. Shown is the median of the rounds, in microseconds a row, and the median of
the rounds' ratios: how many times as fast decant is.

llama.cpp takes an array of candidates (id, logit, p), which a caller fills from the row at every token. Both figures
are given: with the fill in the time, and without it. PyTorch is softmax and multinomial by hand; transformers is its
warpers with a multinomial draw: a row a call, and the whole batch in one, as it samples a batch. Each is left out when it cannot be imported: numpy, llama-cpp-python==0.3.36, torch,
transformers.
"""
import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import time
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = ["greedy", "top_k:40+temperature", "min_p:0.05+temperature", "temperature", "top_p:0.95+temperature",
         "top_k:40+top_p:0.95+temperature"]
TEMPERATURE, TOP_K, MIN_P, TOP_P = 0.8, 40, 0.05, 0.95


def make_rows(count, vocabulary):
    random = np.random.default_rng(0)
    rows = random.normal(0, 2.2, (count, vocabulary)).astype(np.float32)
    for row in rows:
        places = random.choice(vocabulary, min(200, vocabulary // 2), replace=False)
        row[places] += random.gamma(2, 3, len(places)).astype(np.float32)
    return rows


def microseconds(step, rows, least_s):
    """The median over the rows of a pass, and as many passes as take least_s."""
    step(0)
    times, begin = [], time.perf_counter()
    while not times or time.perf_counter() - begin < least_s:
        for row in range(rows):
            start = time.perf_counter()
            step(row)
            times.append((time.perf_counter() - start) * 1e6)
            if len(times) > 2 and time.perf_counter() - begin > 4 * least_s:
                return statistics.median(times)
    return statistics.median(times)


class LlamaCpp:
    def __init__(self, rows):
        import llama_cpp

        self.api, self.rows = llama_cpp, rows
        self.quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self.quiet, None)
        vocabulary = rows.shape[1]
        self.array = (llama_cpp.llama_token_data * vocabulary)()
        layout = np.dtype([("id", "<i4"), ("logit", "<f4"), ("p", "<f4")])
        self.view = np.frombuffer(self.array, dtype=layout)
        self.ids = np.arange(vocabulary, dtype=np.int32)
        temperature, draw = llama_cpp.llama_sampler_init_temp, llama_cpp.llama_sampler_init_dist
        self.chains = {
            "greedy": [llama_cpp.llama_sampler_init_greedy()],
            "top_k:40+temperature": [llama_cpp.llama_sampler_init_top_k(TOP_K), temperature(TEMPERATURE), draw(1)],
            "min_p:0.05+temperature": [llama_cpp.llama_sampler_init_min_p(MIN_P, 1), temperature(TEMPERATURE), draw(1)],
            "temperature": [temperature(TEMPERATURE), draw(1)],
            "top_p:0.95+temperature": [llama_cpp.llama_sampler_init_top_p(TOP_P, 1), temperature(TEMPERATURE), draw(1)],
            "top_k:40+top_p:0.95+temperature": [
                llama_cpp.llama_sampler_init_top_k(TOP_K), llama_cpp.llama_sampler_init_top_p(TOP_P, 1),
                temperature(TEMPERATURE), draw(1)]}
        for name, stages in self.chains.items():
            chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())
            for stage in stages:
                llama_cpp.llama_sampler_chain_add(chain, stage)
            self.chains[name] = chain

    def _fill(self, row):
        self.view["id"] = self.ids
        self.view["logit"] = self.rows[row]
        self.view["p"] = 0

    def _apply(self, chain):
        data = self.api.llama_token_data_array(self.array, len(self.array), -1, False)
        self.api.llama_sampler_apply(chain, ctypes.byref(data))
        return data.data[data.selected].id

    def check(self):
        """Greedy is the row's first maximum, or what is timed is not what it should be."""
        for row in range(min(4, len(self.rows))):
            self._fill(row)
            token = self._apply(self.chains["greedy"])
            if self.rows[row][token] != self.rows[row].max():
                sys.exit("sampler_peers.py: llama.cpp's greedy token is not the best one")

    def measure(self, least_s):
        found = {}
        for name, chain in self.chains.items():
            with_fill, without = [], []
            begin, row = time.perf_counter(), 0
            while len(with_fill) < 4 or time.perf_counter() - begin < 2 * least_s:
                start = time.perf_counter()
                self._fill(row % len(self.rows))
                filled = time.perf_counter()
                self._apply(chain)
                end = time.perf_counter()
                with_fill.append((end - start) * 1e6)
                without.append((end - filled) * 1e6)
                row += 1
            found["llama.cpp", name] = statistics.median(with_fill)
            found["llama.cpp, filled", name] = statistics.median(without)
        return found


class Torch:
    def __init__(self, rows):
        import torch

        torch.set_num_threads(1)
        self.torch, self.rows = torch, torch.from_numpy(rows)

    def _steps(self):
        torch, rows = self.torch, self.rows

        def draw(scores):
            return torch.multinomial(torch.softmax(scores / TEMPERATURE, -1), 1)

        def top_k(row):
            values, ids = rows[row:row + 1].topk(TOP_K)
            return ids.gather(1, draw(values))

        def min_p(row):
            p = torch.softmax(rows[row:row + 1] / TEMPERATURE, -1)
            return torch.multinomial(p.masked_fill(p < MIN_P * p.max(-1, keepdim=True).values, 0), 1)

        def top_p(row):
            values, ids = torch.sort(rows[row:row + 1] / TEMPERATURE, descending=True)
            p = torch.softmax(values, -1)
            p = p.masked_fill(p.cumsum(-1) - p >= TOP_P, 0)
            return ids.gather(1, torch.multinomial(p, 1))

        return {"greedy": lambda row: rows[row].argmax(-1), "top_k:40+temperature": top_k,
                "min_p:0.05+temperature": min_p, "temperature": lambda row: draw(rows[row:row + 1]),
                "top_p:0.95+temperature": top_p}

    def check(self):
        for row in range(min(4, len(self.rows))):
            if self._steps()["greedy"](row) != int(np.argmax(self.rows[row].numpy())):
                sys.exit("sampler_peers.py: torch's argmax is not the first best token")

    def measure(self, least_s):
        return {("torch", name): microseconds(step, len(self.rows), least_s) for name, step in self._steps().items()}


class Transformers:
    def __init__(self, rows):
        import torch
        import transformers

        torch.set_num_threads(1)
        self.torch, self.rows = torch, torch.from_numpy(rows)
        self.ids = torch.zeros((1, 8), dtype=torch.long)
        warm = transformers.TemperatureLogitsWarper(TEMPERATURE)
        self.warpers = {
            "top_k:40+temperature": [warm, transformers.TopKLogitsWarper(TOP_K)],
            "min_p:0.05+temperature": [warm, transformers.MinPLogitsWarper(MIN_P)],
            "temperature": [warm],
            "top_p:0.95+temperature": [warm, transformers.TopPLogitsWarper(TOP_P)],
            "top_k:40+top_p:0.95+temperature": [warm, transformers.TopKLogitsWarper(TOP_K),
                                                transformers.TopPLogitsWarper(TOP_P)]}

    def check(self):
        kept = self._warped("top_k:40+temperature", self.rows[:1]) > -np.inf
        if int(kept.sum()) != TOP_K:
            sys.exit("sampler_peers.py: transformers' top-k keeps another number of tokens")

    def _warped(self, name, scores):
        ids = self.ids.expand(len(scores), -1)
        for warper in self.warpers[name]:
            scores = warper(ids, scores)
        return scores

    def _step(self, name, scores):
        return self.torch.multinomial(self.torch.softmax(self._warped(name, scores), -1), 1)

    def measure(self, least_s):
        found = {}
        for name in self.warpers:
            found["transformers", name] = microseconds(
                lambda row, n=name: self._step(n, self.rows[row:row + 1]), len(self.rows), least_s)
            found["transformers, a batch", name] = microseconds(
                lambda _, n=name: self._step(n, self.rows), 1, least_s) / len(self.rows)
        return found


def measure_decant(options):
    # A pool of one batch: as many rows as the others go over.
    ask = [options.decant, "bench", "sampler", "--output", "json", "--batch", str(options.batch), "--pool", "0", "--vocab",
           str(options.vocab), "--pairs", str(options.pairs)]
    for name in NAMES:
        ask += ["--name", name]
    done = subprocess.run(ask, check=True, capture_output=True, text=True)
    report = json.loads(done.stdout)
    found = {("decant", row["name"]): row["us_per_row"] for row in report["results"]}
    found.update({("bare read", row["name"]): row["read_us_per_row"] for row in report["results"]})
    return report["machine"], found


def engines(rows):
    found = []
    for engine in (LlamaCpp, Torch, Transformers):
        try:
            found.append(engine(rows))
        except (ImportError, OSError) as error:
            print(f"# {engine.__name__} is left out: {error}", file=sys.stderr)
            continue
        found[-1].check()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=64, help="rows: 64 of 128,256 leave the caches")
    parser.add_argument("--vocab", type=int, default=128256)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--decant", default=str(ROOT / "build/release/bin/decant"))
    parser.add_argument("--json", help="also writes the figures there")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it runs")
    options = parser.parse_args()
    least_s = 0.4
    if options.quick:
        options.batch, options.vocab, options.rounds, options.pairs, least_s = 4, 4000, 1, 2, 0.02
    rows = make_rows(options.batch, options.vocab)
    others = engines(rows)
    rounds, machine = [], "?"
    for _ in range(options.rounds):
        machine, figures = measure_decant(options)
        for engine in others:
            figures.update(engine.measure(least_s))
        rounds.append(figures)
    print(f"{machine}; {options.batch} rows of {options.vocab:,}, one thread, {options.rounds} rounds")
    print(f"{'chain':34}{'engine':20}{'us a row':>10}{'decant us':>11}{'ratio':>8}")
    results = []
    for engine, name in rounds[0]:
        if engine == "decant":
            continue
        row = {"name": name, "engine": engine, "us_per_row": statistics.median(r[engine, name] for r in rounds),
               "decant_us_per_row": statistics.median(r["decant", name] for r in rounds),
               "ratio": statistics.median(r[engine, name] / r["decant", name] for r in rounds)}
        results.append(row)
        print(f"{name:34}{engine:20}{row['us_per_row']:10.1f}{row['decant_us_per_row']:11.1f}{row['ratio']:8.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"machine": machine, "batch": options.batch, "vocab": options.vocab, "rounds": options.rounds,
                       "results": results}, file, indent=1)


if __name__ == "__main__":
    main()
