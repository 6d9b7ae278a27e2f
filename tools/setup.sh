#!/usr/bin/env bash
# Installs the Debian packages that a purpose needs, and only those that are missing.
#
#   tools/setup.sh [core] [tests] [lint] [cross] [all]      default: core
#   tools/setup.sh --list PURPOSE...                                 prints the packages, installs nothing
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# The library and the program, and pip, which fetches the default model.
core=(ca-certificates ccache cmake g++ libcli11-dev libedit-dev libfmt-dev libhwy-dev libtomlplusplus-dev make ninja-build python3 python3-pip rapidjson-dev)
tests=(curl fish libgmock-dev libgtest-dev libmpfr-dev pkg-config unicode-data zsh)
# The second compiler with its sanitizer and fuzzer runtimes, the formatters, and what the checks in tools/ use.
lint=(clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev python3-mpmath shellcheck valgrind)
cross=(g++-aarch64-linux-gnu qemu-user)

packages_for() {
  case $1 in
    core) printf '%s\n' "${core[@]}" ;;
    tests) printf '%s\n' "${tests[@]}" ;;
    lint) printf '%s\n' "${lint[@]}" ;;
    cross) printf '%s\n' "${cross[@]}" ;;
    all) printf '%s\n' "${core[@]}" "${tests[@]}" "${lint[@]}" "${cross[@]}" ;;
    *) die "unknown purpose '$1'" "expected core, tests, lint, cross or all" ;;
  esac
}

list_only=no
if [[ ${1:-} == --list ]]; then
  list_only=yes
  shift
fi
[[ $# -gt 0 ]] || set -- core

wanted=()
for purpose in "$@"; do
  names=$(packages_for "$purpose")
  mapfile -t -O "${#wanted[@]}" wanted <<<"$names"
done

if [[ $list_only == yes ]]; then
  printf '%s\n' "${wanted[@]}"
  exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  say "This is no Debian system, so nothing is installed. decant needs what these Debian packages hold:"
  say "  ${wanted[*]}"
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || die "these packages are missing, and there is no sudo to install them with:" \
    "${missing[*]}" "as root: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

say "Installing with apt, for '$*': ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get -qq update || say "warning: apt-get update failed; trying with the lists that are there"
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y install --no-install-recommends "${missing[@]}" >/dev/null ||
  die "apt-get could not install: ${missing[*]}" "look at its message above; without a network, install them by hand"
