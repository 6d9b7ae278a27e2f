#!/usr/bin/env bash
# Runs PROGRAM MODEL ARGUMENTS... with the path of the default model; exit 77 (skipped) where it is absent.
#
#   tests/ci/with_model.sh PROGRAM ARGUMENTS...
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
model=${DECANT_MODELS:-$root/models}/SmolLM2-135M-Instruct.Q4_1.gguf
if [[ ! -f $model ]]; then
  echo "skipped: the default model is absent (make model)"
  exit 77
fi
program=$1
shift
exec "$program" "$model" "$@"
