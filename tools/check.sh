#!/usr/bin/env bash
# The checks that need no build: layers, numerics, sizes, links, constants, the tools' own tests, shell scripts, layout.
# All of them run; the first failure decides the exit status only at the end.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
failed=()
run() {
  local name=$1
  shift
  "$@" || failed+=("$name")
}

# The system's Python comes first: it is the one that has Debian's python3-mpmath.
python=python3
if ! "$python" -c 'import mpmath' 2>/dev/null && [[ -x /usr/bin/python3 ]]; then python=/usr/bin/python3; fi

run layers "$python" tools/check_layers.py
run numerics "$python" tools/check_numerics.py
run sizes "$python" tools/check_sizes.py
run docs "$python" tools/check_docs.py
run constants "$python" tools/make_constants.py --check
run tools "$python" -m unittest discover -q -s tests/tools
run shellcheck shellcheck -x tools/*.sh tests/ci/*.sh .ci/run
run format tools/format.sh --check

[[ ${#failed[@]} -eq 0 ]] || die "failed: ${failed[*]}"
