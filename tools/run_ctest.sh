#!/usr/bin/env bash
# Runs ctest for a preset. Where CI=true, a test that was skipped or not run is a failure, unless
# tests/ci/allowed_skips.txt names it: a suite that quietly does nothing looks like one that passes.
#
#   tools/run_ctest.sh PRESET [ctest arguments]
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ $# -ge 1 ]] || die "which preset?" "usage: tools/run_ctest.sh PRESET [ctest arguments]"
preset=$1
shift
cd "$ROOT"
export DECANT_MODELS=${DECANT_MODELS:-$ROOT/models}
log=build/$preset/ctest.log
[[ -d build/$preset ]] || die "build/$preset does not exist" "configure first: cmake --preset $preset"

status=0
ctest --preset "$preset" --no-tests=error --output-on-failure -j "${JOBS:-$(jobs_here)}" "$@" 2>&1 | tee "$log" || status=$?

if [[ ${CI:-} == true ]]; then
  allowed=$(grep -v -e '^#' -e '^[[:space:]]*$' tests/ci/allowed_skips.txt || true)
  skipped=$(grep -E '\*\*\*(Skipped|Not Run)' "$log" || true)
  [[ -z $allowed ]] || skipped=$(grep -v -E -f <(printf '%s\n' "$allowed") <<<"$skipped" || true)
  if [[ -n $skipped ]]; then
    printf '%s\n' "$skipped" >&2
    die "these tests of preset $preset did not run, and in CI every test has to" \
      "a reason to skip belongs into tests/ci/allowed_skips.txt"
  fi
fi
exit "$status"
