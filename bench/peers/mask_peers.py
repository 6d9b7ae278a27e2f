#!/usr/bin/env python3
"""Masks of a large vocabulary along JSON texts: decant beside llguidance and XGrammar, those that are installed.

    mask_peers.py --tokenizer tokenizer.json FOLDER-OR-FILE... [--sample N] [--engines decant,llguidance] [--json OUT]

A file is {"schema": ..., "tests": [{"data": ..., "valid": true}, ...]}, as MaskBench's are. Each engine runs in a
process of its own, cold, over the same files in the same random order: compile, then for each instance a mask and a
commit a token, until the instance ends or is refused. The tokenizer is a byte-level BPE of Hugging Face. Needs numpy
and tokenizers; decant is the library that decant_adapter.py finds. Compare ratios of one run.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
ENDS = ("<|end_of_text|>", "<|endoftext|>", "</s>", "<|im_end|>")


class Vocabulary:
    """Bytes of each token, for decant_adapter.Decant and the others: bytes, special, eos, size."""

    def __init__(self, path):
        from tokenizers import Tokenizer

        self.path = path
        self.tokenizer = Tokenizer.from_file(path)
        self.size = self.tokenizer.get_vocab_size(True)
        ordinary = self.tokenizer.get_vocab_size(False)
        ids = self.tokenizer.get_vocab(True)
        self.text = [""] * self.size
        for text, token in ids.items():
            self.text[token] = text
        self.special = set(range(ordinary, self.size))
        ends = [ids[name] for name in ENDS if name in ids]
        if not ends:
            sys.exit(f"{path} has no end token that is known here: {', '.join(ENDS)}")
        self.eos = ends[0]
        self.special.add(self.eos)
        byte_of = byte_level_alphabet()
        self.bytes = [b"" if token in self.special else bytes(byte_of[c] for c in text)
                      for token, text in enumerate(self.text)]

    def encode(self, text):
        return self.tokenizer.encode(text, add_special_tokens=False).ids


def byte_level_alphabet():
    """The character that stands for each byte in a byte-level vocabulary, to the byte."""
    kept = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in kept]
    return {chr(byte): byte for byte in kept} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


class LlGuidance:
    def __init__(self, vocabulary):
        import llguidance

        self.module = llguidance
        with open(vocabulary.path, encoding="utf-8") as file:
            self.tokenizer = llguidance.LLTokenizer(file.read(), eos_token=vocabulary.eos)

    def compile(self, text, schema):
        grammar = self.module.LLMatcher.grammar_from_json_schema(text)
        matcher = self.module.LLMatcher(self.tokenizer, grammar, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def start(self, compiled):
        return compiled.deep_copy()

    def mask(self, state, row):
        state.unsafe_compute_mask_ptr(row.ctypes.data, row.nbytes)

    def commit(self, state, token):
        return state.consume_token(token)


class XGrammar:
    def __init__(self, vocabulary):
        import xgrammar

        self.module = xgrammar
        info = xgrammar.TokenizerInfo(vocabulary.text, xgrammar.VocabType.BYTE_LEVEL, vocab_size=vocabulary.size,
                                      stop_token_ids=[vocabulary.eos])
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1)

    def compile(self, text, schema):
        return self.compiler.compile_json_schema(text, any_whitespace=True, strict_mode=False)

    def start(self, compiled):
        return self.module.GrammarMatcher(compiled)

    def mask(self, state, row):
        state.fill_next_token_bitmask(row.reshape(1, -1), 0)

    def commit(self, state, token):
        return state.accept_token(token)


def engine_of(name, vocabulary):
    if name == "decant":
        import decant_adapter

        return decant_adapter.Decant(vocabulary)
    return {"llguidance": LlGuidance, "xgrammar": XGrammar}[name](vocabulary)


def has(row, token):
    return bool((int(row[token >> 5]) >> (token & 31)) & 1)


def measure(engine, vocabulary, files, seen):
    """Times in microseconds, and how many instances were judged right."""
    import numpy

    row = numpy.zeros((vocabulary.size + 31) // 32, dtype=numpy.int32)
    clock = time.perf_counter_ns
    for path in files:
        case = json.loads(path.read_text(encoding="utf-8"))
        text = json.dumps(case["schema"], ensure_ascii=False)
        compiled = None  # the one before is freed here, and not in what is timed
        begin = clock()
        try:
            compiled = engine.compile(text, case["schema"])
            compiled_at = clock()
            engine.mask(engine.start(compiled), row)
        except Exception:  # whatever an engine raises for a schema that it does not take
            seen["refused"] += 1
            continue
        seen["compile"].append((compiled_at - begin) / 1e3)
        seen["first"].append((clock() - begin) / 1e3)
        for test in case["tests"]:
            accepted = follow(engine, vocabulary, compiled, test["data"], row, seen)
            seen["right" if accepted == test["valid"] else "wrong_accept" if accepted else "wrong_refuse"] += 1


def follow(engine, vocabulary, compiled, data, row, seen):
    clock = time.perf_counter_ns
    state = engine.start(compiled)
    for token in vocabulary.encode(json.dumps(data, ensure_ascii=False)):
        a = clock()
        engine.mask(state, row)
        b = clock()
        seen["mask"].append((b - a) / 1e3)
        if not has(row, token):
            return False
        a = clock()
        engine.commit(state, token)
        seen["commit"].append((clock() - a) / 1e3)
    a = clock()
    engine.mask(state, row)
    seen["mask"].append((clock() - a) / 1e3)
    return has(row, vocabulary.eos)


def quantiles(times):
    times = sorted(times) or [0.0]
    at = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    found = {name: times[min(len(times) - 1, int(len(times) * share))] for name, share in at.items()}
    return {"count": len(times), "mean": sum(times) / len(times), **found, "max": times[-1]}


def work(arguments):
    vocabulary = Vocabulary(arguments.tokenizer)
    begin = time.perf_counter()
    engine = engine_of(arguments.worker, vocabulary)
    seen = {"right": 0, "wrong_accept": 0, "wrong_refuse": 0, "refused": 0,
            "compile": [], "first": [], "mask": [], "commit": []}
    ready = time.perf_counter() - begin
    measure(engine, vocabulary, files_of(arguments), seen)
    result = {name: value if isinstance(value, int) else quantiles(value) for name, value in seen.items()}
    print(json.dumps({"engine": arguments.worker, "ready_s": ready, **result}))


def files_of(arguments):
    files = []
    for name in arguments.files:
        path = pathlib.Path(name)
        files += sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        sys.exit("no files")
    order = random.Random(arguments.seed)
    if arguments.sample and arguments.sample < len(files):
        files = order.sample(files, arguments.sample)
    order.shuffle(files)
    return files


def installed(name):
    try:
        __import__("decant_adapter" if name == "decant" else name)
    except ImportError:
        return False
    return True


def table(results):
    lines = ["| engine | schemas taken | instances right | wrongly accepted | first mask p50 / p99 / max, µs "
             "| mask mean | p50 | p99 | p99.9 | max | commit mean |", "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for r in results:
        first, mask = r["first"], r["mask"]
        judged = r["right"] + r["wrong_accept"] + r["wrong_refuse"]
        lines.append(f"| {r['engine']} | {first['count']} of {first['count'] + r['refused']} | {r['right']} of {judged} "
                     f"| {r['wrong_accept']} | {first['p50']:,.0f} / {first['p99']:,.0f} / {first['max']:,.0f} "
                     f"| {mask['mean']:,.1f} | {mask['p50']:,.1f} | {mask['p99']:,.0f} | {mask['p99.9']:,.0f} "
                     f"| {mask['max']:,.0f} | {r['commit']['mean']:,.1f} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", help="folders or files of schemas with instances")
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json of byte-level BPE")
    parser.add_argument("--sample", type=int, default=0, help="so many of the files (default: all)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engines", default="decant,llguidance,xgrammar")
    parser.add_argument("--json", help="writes the results here too")
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        return work(arguments)
    results = []
    for name in arguments.engines.split(","):
        if not installed(name):
            print(f"{name} is not installed: left out", file=sys.stderr)
            continue
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--worker", name], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            print(f"{name} failed: {done.stderr.strip()[-400:]}", file=sys.stderr)
            continue
        results.append(json.loads(done.stdout.splitlines()[-1]))
    print(table(results))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
