#!/usr/bin/env bash
# Runs every fuzzer of a build once over its committed corpus; no new inputs are made.
#
#   tools/run_fuzz_corpora.sh [build/fuzz]
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
build=${1:-build/fuzz}
ran=0
for fuzzer in "$build"/bin/*_fuzz; do
  [[ -x $fuzzer ]] || continue
  name=$(basename "$fuzzer" _fuzz)
  corpus=fuzz/corpus/$name
  [[ -d $corpus ]] || die "the fuzzer $name has no corpus" "expected files in $corpus"
  count=$(find "$corpus" -type f | wc -l)
  [[ $count -gt 0 ]] || die "$corpus is empty"
  "$fuzzer" -runs=0 -rss_limit_mb=2048 -timeout=20 "$corpus" >"$build/$name.fuzz.log" 2>&1 || {
    tail -40 "$build/$name.fuzz.log" >&2
    die "the fuzzer $name failed on its corpus"
  }
  say "$name: $count inputs"
  ran=$((ran + 1))
done
[[ $ran -gt 0 ]] || die "no fuzzer was found in $build/bin" "cmake --preset fuzz && cmake --build --preset fuzz"
