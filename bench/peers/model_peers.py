"""Decode and prefill of decant beside llama.cpp, on one GGUF file, in one run.

    model_peers.py MODEL.gguf [--threads 1 2] [--rounds 3] [--bench build/release/bin/model_bench]

The two engines take turns, round by round, so that what else the machine does meets both; shown is the median of each
and the median of the rounds' ratios. model_bench checks its answers before it times them. Needs llama-cpp-python and
numpy (`pip install numpy llama-cpp-python==0.3.36`; the latter compiles for about ten minutes).
"""
import argparse
import ctypes
import json
import pathlib
import platform
import statistics
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PREFILL, DECODED = 512, 64
FIGURES = [("prefill", 512), ("decode", 0), ("decode", 512)]


def decant(bench, model, threads):
    done = subprocess.run([bench, model, "--threads", str(threads)], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {(row["name"], row["depth"]): row["tokens_per_s"] for row in rows}


class LlamaCpp:
    def __init__(self, model):
        import llama_cpp

        self.api = llama_cpp
        llama_cpp.llama_backend_init()
        self.quiet = llama_cpp.llama_log_callback(lambda level, text, data: None)
        llama_cpp.llama_log_set(self.quiet, None)
        self.model = llama_cpp.llama_model_load_from_file(model.encode(), llama_cpp.llama_model_default_params())
        self.vocabulary = llama_cpp.llama_vocab_n_tokens(llama_cpp.llama_model_get_vocab(self.model))

    def _context(self, threads):
        params = self.api.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = 2048, 2048, 512
        params.n_threads = params.n_threads_batch = threads
        return self.api.llama_init_from_model(self.model, params)

    def _feed(self, context, tokens):
        array = (ctypes.c_int32 * len(tokens))(*tokens)
        assert self.api.llama_decode(context, self.api.llama_batch_get_one(array, len(tokens))) == 0
        self.api.llama_synchronize(context)
        self.api.llama_get_logits_ith(context, -1)

    def measure(self, threads):
        tokens = [(i * 7919 + 17) % self.vocabulary for i in range(PREFILL + DECODED)]
        figures = {}
        for depth in (0, PREFILL):
            context = self._context(threads)
            self._feed(context, tokens[:1])
            self.api.llama_memory_clear(self.api.llama_get_memory(context), True)
            if depth:
                start = time.perf_counter()
                self._feed(context, tokens[:PREFILL])
                figures["prefill", PREFILL] = PREFILL / (time.perf_counter() - start)
            start = time.perf_counter()
            for token in tokens[depth:depth + DECODED]:
                self._feed(context, [token])
            figures["decode", depth] = DECODED / (time.perf_counter() - start)
            self.api.llama_free(context)
        return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bench", default=str(ROOT / "build/release/bin/model_bench"))
    options = parser.parse_args()
    llama = LlamaCpp(options.model)
    cpu = next((line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "?")
    print(f"{cpu}, {platform.system()} {platform.machine()}, {options.rounds} rounds, tokens/s")
    print("threads  figure       decant  llama.cpp  ratio")
    for threads in options.threads:
        rounds = [(decant(options.bench, options.model, threads), llama.measure(threads))
                  for _ in range(options.rounds)]
        for figure in FIGURES:
            ours = [a[figure] for a, _ in rounds]
            theirs = [b[figure] for _, b in rounds]
            ratio = statistics.median(a / b for a, b in zip(ours, theirs))
            print(f"{threads:7}  {figure[0]} @{figure[1]:<4} {statistics.median(ours):7.1f}  "
                  f"{statistics.median(theirs):9.1f}  {ratio:5.2f}")


if __name__ == "__main__":
    main()
