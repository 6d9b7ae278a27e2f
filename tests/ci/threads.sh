#!/usr/bin/env bash
# Thread sanitizer over what runs on several threads: the pool, batches in C++ and in C, one sampler shared by many.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/common.sh"

cd "$ROOT"
export TSAN_OPTIONS=halt_on_error=1
cmake --preset tsan
cmake --build --preset tsan --target core_test sampler_batch_test agreement_test capi_c_test draws_proof
build/tsan/bin/core_test --gtest_filter='Runtime*'
build/tsan/bin/sampler_batch_test
build/tsan/bin/agreement_test --gtest_filter='Custom*'
build/tsan/bin/capi_c_test
build/tsan/bin/draws_proof --draws 2000 --threads 4 --rows 20
