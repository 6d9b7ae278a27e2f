#!/usr/bin/env bash
# Thread sanitizer over what runs on several threads: batches in C++ and in C, samplers and a pool shared by many callers.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/common.sh"

cd "$ROOT"
export TSAN_OPTIONS=halt_on_error=1
cmake --preset tsan
cmake --build --preset tsan --target sampler_batch_test capi_c_test
build/tsan/bin/sampler_batch_test
build/tsan/bin/capi_c_test
