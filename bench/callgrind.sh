#!/usr/bin/env bash
# Instructions that the sampler takes for a row of 128,256 logits, chain by chain, counted by callgrind: the same number,
# to a few millionths, at every run, however busy the machine is. Kernels are those for AVX2, since valgrind knows no AVX-512.
#
#   bench/callgrind.sh            compares with bench/callgrind.json; fails where a count is more than 3 % above it
#   bench/callgrind.sh --store    writes bench/callgrind.json
#
# Counts belong to a compiler: with another one than the stored, nothing is compared and the exit status is 77.
# SAMPLING_BENCH names another build of the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bench=${SAMPLING_BENCH:-build/release/bin/sampling_bench}
[[ -x $bench ]] || { echo "callgrind.sh: $bench is missing; cmake --preset release && cmake --build --preset release" >&2; exit 1; }
command -v valgrind >/dev/null || { echo "callgrind.sh: valgrind is not installed (apt-get install valgrind)" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for chain in greedy top_k:40+temperature min_p:0.05+temperature temperature top_p:0.95+temperature all; do
  echo "counting $chain" >&2
  # An environment of another length would move the stack, and a copy of unaligned bytes takes other instructions.
  env -i PATH="$PATH" DECANT_SIMD=avx2 valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect=DecantCountedPass \
    "$bench" --count "$chain" >"$folder/out" 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/{"collected":\1}/p' "$folder/err" | cat "$folder/out" - >>"$folder/counts"
done

python3 - "$folder/counts" bench/callgrind.json "${1:-}" <<'PYTHON'
import json
import os
import sys

counts_path, stored_path, mode = sys.argv[1:]
with open(counts_path, encoding="utf-8") as file:
    lines = [json.loads(line) for line in file]
counts = {about["name"]: round(count["collected"] / about["rows"]) for about, count in zip(lines[::2], lines[1::2])}
now = {"compiler": lines[0]["machine"].split(", ")[-1], "simd": "avx2", "vocab": lines[0]["vocab"],
       "instructions_per_row": counts}
if mode == "--store":
    with open(stored_path, "w", encoding="utf-8") as file:
        file.write(json.dumps(now, indent=2) + "\n")
stored = None
if os.path.exists(stored_path):
    with open(stored_path, encoding="utf-8") as file:
        stored = json.load(file)
if stored and any(stored[key] != now[key] for key in ("compiler", "simd", "vocab")):
    print(f"stored with {stored['compiler']}, now {now['compiler']}: not comparable", file=sys.stderr)
    sys.exit(77)
worse = []
print(f"instructions a row, {now['vocab']} logits, {now['simd']}, {now['compiler']}")
for name, count in counts.items():
    before = stored["instructions_per_row"].get(name) if stored else None
    change = f"{100 * (count / before - 1):+6.2f} %" if before else "  not stored"
    print(f"{name:26}{count:14,}  {count / now['vocab']:8.2f} a logit  {change}")
    if before and count > 1.03 * before:
        worse.append(name)
if not stored:
    sys.exit("nothing is stored: bench/callgrind.sh --store")
if worse:
    sys.exit(f"more than 3 % above the stored count: {', '.join(worse)}")
PYTHON
