"""What penalties on repetition do to a text, measured on the default model, as Markdown tables:

stories    ten story openings: repeats, loops, and the articles that penalties thin out
windows    a prompt of 1,344 tokens: how much of the model's choice a penalty hits, by its window
structure  the first half of a JSON and of a Python file: how long the second half stays right
loop       a clause without a repeated word, said four times: who notices that it is a loop

The output is the same, byte for byte, every time; tests/golden/penalties_report.txt holds it, and docs/penalties.md shows
its tables. By hand, ten minutes on one core:

    penalties_report.py [--decant PROGRAM] [--section NAME]... [--threads N] [--keep FILE.jsonl] [--check]

--keep writes the stories to a file, and takes from it those that it has already; --check compares with the golden file.
"""
import argparse
import base64
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

import penalties_validity as validity

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = ROOT / "tests/golden/penalties_report.txt"
SAMPLED = ["--temperature", "0.8", "--top-k", "40"]
GREEDY = ["--temperature", "0"]
PENALTIES = {
    "none": [],
    "`repetition_penalty` 1.1": ["--repetition-penalty", "1.1"],
    "`repetition_penalty` 1.3": ["--repetition-penalty", "1.3"],
    "`frequency_penalty` 0.5": ["--frequency-penalty", "0.5"],
    "`presence_penalty` 0.5": ["--presence-penalty", "0.5"],
    "`no_repeat_ngram_size` 4": ["--no-repeat-ngram-size", "4"],
    "`dry_multiplier` 0.8": ["--dry-multiplier", "0.8"],
}
STORY_TOKENS = 200
WINDOWS = [64, 256, 1024, -1]
WINDOW_SETTINGS = [(1.0, -1), (1.1, 64), (1.1, -1), (1.2, 64), (1.2, -1)]
WINDOW_SEEDS, WINDOW_TOKENS = range(3), 150
STRUCTURE_TOKENS = 240
LOOP_TOKENS, LOOP_COPIES = 90, 4
LOOP_SENTENCE = ("one tired clock keeps counting backward while rain fills every cup near our table, seven gray herons wait "
                 "beside an empty boat, nobody speaks until morning, then")


class Program:
    """The program under measurement, with the flags that change no result."""

    def __init__(self, path, threads):
        self.path = path
        self.flags = ["--no-config", *(["--threads", str(threads)] if threads else [])]

    def call(self, *arguments):
        command = [self.path, *arguments]
        done = subprocess.run(command, capture_output=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{done.stderr.decode()}")
        return done.stdout.decode("utf-8", "replace")

    def tokenize(self, path):
        """(id, bytes) for each token of a file."""
        read = json.loads(self.call("tokenize", "-f", str(path), "--output", "json", *self.flags))
        return [(token["id"], bytes(token["bytes"])) for token in read["tokens"]]

    def trace(self, prompt_ids, tokens, flags, seed=0, detail="summary"):
        """The steps of a run that goes on with prompt_ids, as docs/formats/trace.md describes them."""
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            self.call("run", "--prompt-ids", ",".join(map(str, prompt_ids)), "-n", str(tokens), "--ignore-eos", "--seed", str(seed),
                      "--trace", file.name, "--trace-detail", detail, "-q", *self.flags, *flags)
            return [step for step in map(json.loads, file) if step["type"] == "step"]

    def evaluate(self, texts):
        """What `decant eval` says by setting; texts are objects with "setting" and "text"."""
        with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
            file.writelines(json.dumps(text) + "\n" for text in texts)
            file.flush()
            return json.loads(self.call("eval", file.name, "--output", "json"))["settings"]


def percent(share):
    return f"{100 * share:.1f} %"


def signed(share):
    return f"{100 * share:+.1f} %".replace("-", "−")


def table(head, rows):
    """Markdown; columns of text to the left, columns of figures to the right."""
    left = [i == 0 or any("`" in str(row[i]) for row in rows) for i in range(len(head))]
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join('---' if text else '--:' for text in left)}|"]
    return "\n".join(lines + [f"| {' | '.join(map(str, row))} |" for row in rows])


def text_of(steps):
    return b"".join(bytes(step["chosen"]["bytes"]) for step in steps).decode("utf-8", "replace")


# Stories


def story_settings():
    for way, flags in (("greedy", GREEDY), ("sampled", SAMPLED)):
        for name, penalty in PENALTIES.items():
            if name == "`presence_penalty` 0.5" and way == "greedy" or name == "`no_repeat_ngram_size` 4" and way == "sampled":
                continue
            yield way if name == "none" else f"{way}, {name}", [*flags, *penalty]


def make_stories(program, keep):
    made = {}
    if keep and keep.exists():
        for line in keep.read_text(encoding="utf-8").splitlines():
            story = json.loads(line)
            made[story["setting"], story["prompt"]] = story
    prompts = (ROOT / "examples/prompts/stories.txt").read_text(encoding="utf-8").splitlines()
    stories = []
    for setting, flags in story_settings():
        for prompt in prompts:
            if (setting, prompt) not in made:
                answer = program.call("run", "-p", prompt, "-n", str(STORY_TOKENS), "--ignore-eos", "--seed", "0",
                                      "--output", "json", "-q", *program.flags, *flags)
                made[setting, prompt] = {"setting": setting, "prompt": prompt, "text": json.loads(answer)["text"]}
                if keep:
                    with keep.open("a", encoding="utf-8") as out:
                        print(json.dumps(made[setting, prompt]), file=out)
            stories.append(made[setting, prompt])
    return stories


def report_stories(program, keep):
    settings = program.evaluate(make_stories(program, keep))
    rows = []
    for setting, m in settings.items():
        plain = settings["greedy" if setting.startswith("greedy") else "sampled"]
        less_repeats = 1 - m["repeated_share"] / plain["repeated_share"]
        less_articles = 1 - m["article_share"] / plain["article_share"]
        change = ["–", "–"] if m is plain else [signed(-less) for less in (less_repeats, less_articles)]
        rows.append([setting, percent(m["repeated_share"]), change[0], percent(m["article_share"]), change[1],
                     f"{m['distinct_2']:.3f}", m["loops"]])
    yield table(["200 tokens of ten stories", "repeated 4-word runs", "change", "articles", "change", "distinct-2", "loops"], rows)


# Windows


def mass_on(step, tokens):
    """The model's own probability that the next token is one of these."""
    row = base64.b64decode(step["logits"]["row"])
    return math.fsum(math.exp(struct.unpack_from("<f", row, 4 * token)[0] - step["logits"]["lse"]) for token in sorted(tokens))


def last(history, window):
    return set(history if window < 0 else history[-window:])


def mean(values):
    return math.fsum(values) / len(values)


def report_windows(program):
    prompt = [token for token, _ in program.tokenize(HERE / "penalties/harbor.txt")]
    texts, found = [], {}
    by_window = {window: [] for window in WINDOWS}
    for penalty, window in WINDOW_SETTINGS:
        setting = "none" if penalty == 1 else f"{penalty}, {'the whole context' if window < 0 else f'the last {window} tokens'}"
        found[setting] = []
        for seed in WINDOW_SEEDS:
            flags = ["--repetition-penalty", str(penalty), "--repetition-window", str(window)] if penalty != 1 else []
            history = list(prompt)
            steps = program.trace(prompt, WINDOW_TOKENS, [*SAMPLED, *flags], seed, "full")
            for step in steps:
                # The mass that this setting's penalty meets; without a penalty there is none.
                hit = 0.0 if penalty == 1 else mass_on(step, last(history, window))
                found[setting].append((hit, -step["chosen"]["logprob_model"] / math.log(2), step["chosen"]["p_model"]))
                if penalty == 1:
                    for size, seen in by_window.items():
                        tokens = last(history, size)
                        seen.append((len(tokens), mass_on(step, tokens)))
                history.append(step["chosen"]["id"])
            texts.append({"setting": setting, "text": text_of(steps)})
    yield table(["window", "different tokens in it", "model's probability on them"],
                [["the whole context" if size < 0 else f"the last {size} tokens", f"{mean([n for n, _ in seen]):.0f}",
                  percent(mean([mass for _, mass in seen]))] for size, seen in by_window.items()])
    measures = program.evaluate(texts)
    yield table(["`repetition_penalty`", "probability penalized", "bits/token", "p < 0.1", "articles", "repeated 4-word runs"],
                [[setting, "–" if setting == "none" else percent(mean([hit for hit, _, _ in steps])),
                  f"{mean([bits for _, bits, _ in steps]):.2f}", percent(mean([float(p < 0.1) for _, _, p in steps])),
                  percent(measures[setting]["article_share"]), percent(measures[setting]["repeated_share"])]
                 for setting, steps in found.items()])


# Structure


def ids_of(steps):
    return [step["chosen"]["id"] for step in steps]


def common_prefix(left, right):
    return next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))


def tokens_before(steps, characters):
    """How many whole tokens lie before a character of the text; all of it is ASCII up to there."""
    end = 0
    for i, step in enumerate(steps):
        end += len(step["chosen"]["bytes"])
        if end > characters:
            return i
    return len(steps)


def shown(text):
    """A piece of text in a table's cell."""
    piece = json.dumps(text, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("|", "\\|").replace("`", "'")
    return f"`{piece}`" if text else "–"


def new_objects(before, after):
    return validity.similar_objects(after) - validity.similar_objects(before)


def new_methods(before, after):
    return validity.similar_methods(after) - validity.similar_methods(before)


def report_structure(program):
    for name, first_error, counted, count in (
            ("gauges.json", validity.json_error, "objects with the six keys", new_objects),
            ("ledger.py", validity.python_error, "methods like the first", new_methods)):
        tokens = program.tokenize(HERE / "penalties" / name)
        half = len(tokens) // 2
        prompt = [token for token, _ in tokens[:half]]
        before = b"".join(piece for _, piece in tokens[:half]).decode()
        plain, rows = None, []
        for setting, flags in PENALTIES.items():
            if setting == "`presence_penalty` 0.5":
                continue
            steps = program.trace(prompt, STRUCTURE_TOKENS, [*GREEDY, *flags])
            plain = plain or steps
            same = common_prefix(ids_of(steps), ids_of(plain))
            there = [shown(text_of(some[same:same + 3])) for some in (plain, steps)]
            text = text_of(steps)
            error = first_error(before, text)
            rows.append([setting, same, "–" if steps is plain else " → ".join(there),
                         "all" if error is None else tokens_before(steps, error),
                         "–" if error is None else shown(text[error:error + 24]), count(before, before + text[:error])])
        yield table([f"{STRUCTURE_TOKENS} tokens after half of {name}", "as without", "then, without → with", "valid",
                     "then comes", counted], rows)


# Loop


def report_loop(program):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(" ".join([LOOP_SENTENCE] * LOOP_COPIES))
        file.flush()
        tokens = program.tokenize(file.name)
    prompt = [token for token, _ in tokens]
    copy = next(n for n in range(1, len(prompt)) if prompt[-n:] == prompt[-2 * n:-n])
    loop = [prompt[-copy:][i % copy] for i in range(LOOP_TOKENS)]
    rows = []
    for setting, flags in PENALTIES.items():
        steps = program.trace(prompt, LOOP_TOKENS, [*GREEDY, *flags])
        same = common_prefix(ids_of(steps), loop)
        rows.append([setting, "all" if same == LOOP_TOKENS else same,
                     "–" if same == LOOP_TOKENS else shown(text_of(steps[same:same + 6]))])
    yield table([f"{LOOP_TOKENS} tokens after four times the same {copy}", "copied", "then comes"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--decant", default=str(ROOT / "build/release/bin/decant"))
    parser.add_argument("--section", action="append", choices=["stories", "windows", "structure", "loop"], help="default: all")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    if asked.check and asked.section:
        parser.error("--check compares the whole report; leave out --section")
    program = Program(asked.decant, asked.threads)
    reports = {"stories": lambda: report_stories(program, asked.keep), "windows": lambda: report_windows(program),
               "structure": lambda: report_structure(program), "loop": lambda: report_loop(program)}
    report = "\n\n".join(piece for name, make in reports.items() if not asked.section or name in asked.section
                         for piece in make()) + "\n"
    print(report, end="")
    if asked.check and report != GOLDEN.read_text(encoding="utf-8"):
        print(f"differs from {GOLDEN.relative_to(ROOT)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
