#!/usr/bin/env bash
# Lays the C++ out with clang-format.
#
#   tools/format.sh            rewrites the files
#   tools/format.sh --check    changes nothing; lists what would change and fails
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

cd "$ROOT"
tool=${CLANG_FORMAT:-clang-format-19}
command -v "$tool" >/dev/null || die "$tool is not installed" "tools/setup.sh lint installs it"

folders=()
for folder in include src apps tests bench fuzz examples; do [[ -d $folder ]] && folders+=("$folder"); done
mapfile -d '' files < <(find "${folders[@]}" -type f \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0 | sort -z)
[[ ${#files[@]} -gt 0 ]] || die "no source file was found"

if [[ ${1:-} == --check ]]; then
  "$tool" --dry-run -Werror "${files[@]}"
else
  "$tool" -i "${files[@]}"
fi
