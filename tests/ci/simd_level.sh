#!/usr/bin/env bash
# Runs the golden logits of the real model on one instruction set.
#
#   tests/ci/simd_level.sh MODEL_TEST LEVEL
#
# Exit 77 (skipped) where the model is absent. Where the machine lacks the level, decant must say so.
set -euo pipefail

test=$1
level=$2
output=$(DECANT_SIMD=$level "$test" --gtest_filter='LogitsTest.AreTheGoldenOnes' 2>&1) && status=0 || status=$?
printf '%s\n' "$output"
if grep -q '\[  SKIPPED \]' <<<"$output"; then exit 77; fi
if [[ $status -ne 0 ]] && grep -q "DECANT_SIMD is .*; this machine has" <<<"$output"; then
  printf 'this machine has no %s; it was refused by name\n' "$level"
  exit 0
fi
exit "$status"
