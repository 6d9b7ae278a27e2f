#!/usr/bin/env bash
# Runs clang-tidy over the sources (tests left out), or over the files given.
#
#   tools/tidy.sh [--build build/clang] [file.cc ...]
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
tool=${CLANG_TIDY:-clang-tidy-19}
command -v "$tool" >/dev/null || die "$tool is not installed" "tools/setup.sh lint installs it"
build=build/clang
if [[ ${1:-} == --build ]]; then
  build=$2
  shift 2
fi
[[ -f $build/compile_commands.json ]] || die "$build/compile_commands.json does not exist" "configure first: cmake --preset clang"

files=("$@")
if [[ ${#files[@]} -eq 0 ]]; then
  mapfile -t files < <(find src apps -name '*.cc' ! -name '*_test.cc' ! -name '*_bench.cc' | sort)
fi
groups=build/tidy
rm -rf "$groups"
listed=$(python3 tools/tidy_groups.py "$build" "$groups" "${files[@]}")
printf '%s\n' "$listed" | tr '\n' '\0' | xargs -0 -n 1 -P "${JOBS:-$(jobs_here)}" "$tool" -p "$groups" --quiet --header-filter='(include/decant|src|apps)/.*\.(h|cc)$' \
  --checks=-bugprone-suspicious-include,-clang-diagnostic-shadow --warnings-as-errors='*' \
  2> >(grep -v -E '^[0-9]+ warnings? generated|^Suppressed|^Use -header-filter' >&2)
