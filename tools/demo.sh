#!/usr/bin/env bash
# What `make demo` shows: a hundred tokens that come out the same on every machine, and the inside of one step.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
decant=build/release/bin/decant

show() {
  say ""
  say "\$ decant $(printf ' %s' "${@:2}" | sed -E 's/(-p) ([^-]+) -/\1 "\2" -/; s/^ //')"
  "$@"
  echo
}

show "$decant" run -p "Once upon a time, in a small village by the sea, there lived a girl named" -n 100 --seed 7
show "$decant" step -p "Once upon a time, there was a" --temperature 0.8 --top-k 40 --top-p 0.6 --seed 7 --rows 8

say "The program is build/release/bin/decant. To call it by its name:  export PATH=\"\$PWD/build/release/bin:\$PATH\""
