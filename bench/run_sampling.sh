#!/usr/bin/env bash
# Measures the sampler, with one thread and with two, on made and on recorded rows, beside other engines, and writes
# bench/RESULTS.md and bench/growth.svg. About ten minutes; leave the machine alone meanwhile.
#
#   bench/run_sampling.sh [--quick] [--build build/release] [--out bench]
#
# Recorded rows need the default model in models/ (make model), or DECANT_ROWS=FILE.npy. Other engines are those that
# PYTHON (default python3) can import. --quick takes small sizes, to see that everything runs; write its results
# elsewhere with --out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=build/release
out=bench
quick=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --quick) quick=(--quick) ;;
    --build) build=$2; shift ;;
    --out) out=$2; shift ;;
    *) echo "usage: bench/run_sampling.sh [--quick] [--build FOLDER] [--out FOLDER]" >&2; exit 2 ;;
  esac
  shift
done
python=${PYTHON:-python3}
bench=$build/bin/sampling_bench
decant=$build/bin/decant
for program in "$bench" "$decant"; do
  [[ -x $program ]] || { echo "run_sampling.sh: $program is missing; cmake --preset release && cmake --build --preset release" >&2; exit 1; }
done
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

rows=()
if [[ -n ${DECANT_ROWS:-} ]]; then
  rows=(--rows "$DECANT_ROWS")
elif "$decant" bench sampler --record "$work/rows.npy" --threads 2 2>"$work/record"; then
  rows=(--rows "$work/rows.npy")
else
  cat "$work/record" >&2
  echo "run_sampling.sh: without recorded rows" >&2
fi

begin=$SECONDS
"$bench" "${quick[@]}" "${rows[@]}" | tee "$work/one.jsonl" >&2
"$bench" "${quick[@]}" --two-threads | tee "$work/two.jsonl" >&2
if "$python" -c 'import numpy' 2>/dev/null; then
  "$python" bench/peers/sampler_peers.py "${quick[@]}" --decant "$decant" --json "$work/peers.json" >&2
else
  echo "run_sampling.sh: $python has no numpy: without other engines" >&2
fi
"$python" bench/growth.py "$work/one.jsonl" "$out/growth.svg"
"$python" bench/sampling_report.py "$work" "bench/run_sampling.sh ${quick[*]}" >"$out/RESULTS.md"
echo "$out/RESULTS.md and $out/growth.svg after $((SECONDS - begin)) s" >&2
