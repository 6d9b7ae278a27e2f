#!/usr/bin/env bash
# What `make demo` shows: a hundred tokens that come out the same on every machine, and the inside of one step.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
decant=build/release/bin/decant

show() {
  say ""
  say "\$ $(printf '%q ' "$@")"
  "$@"
  echo
}

show "$decant" run -p "Once upon a time" -n 100 --seed 7
show "$decant" step -p "The capital of France is" --seed 7
