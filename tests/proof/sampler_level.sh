#!/usr/bin/env bash
# Compares the sampler with the twin on one instruction set (level D5 of docs/determinism.md).
#
#   tests/proof/sampler_level.sh FAST_SAMPLER_TEST LEVEL
#
# Where the machine lacks the level, decant must say so.
set -euo pipefail

test=$1
level=$2
filter='FastSamplerRowsTest.*:FastSamplerBordersTest.*-*SizesOfModels:*LargeRows'
output=$(DECANT_SIMD=$level "$test" --gtest_brief=1 --gtest_filter="$filter" 2>&1) && status=0 || status=$?
printf '%s\n' "$output"
if [[ $status -ne 0 ]] && grep -q "DECANT_SIMD is .*; this machine has" <<<"$output"; then
  printf 'this machine has no %s; it was refused by name\n' "$level"
  exit 0
fi
exit "$status"
