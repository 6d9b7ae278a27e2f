#!/usr/bin/env bash
# Level D5 on another architecture, emulated: on AArch64 the logits of a short prompt have the bits they have natively,
# and the sampler, on NEON, chooses what its twin chooses.
# Needs the release build, the model, and the packages of `tools/setup.sh cross`.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../../tools/common.sh"

cd "$ROOT"
model=models/SmolLM2-135M-Instruct.Q4_1.gguf
[[ -f $model ]] || die "$model does not exist" "make model"
compgen -G 'build/release/lib/libdecant_*.a' >/dev/null || die "there is no release build" "make build"
out=build/aarch64
mkdir -p "$out/include"

flags=(-std=c++23 -ffp-contract=off -DNDEBUG -I. -Iinclude -Isrc -Itests)
# What has a part in the numbers is optimised as in a release; the rest only has to be there.
level_of() {
  case $1 in
    src/core/* | src/simd/* | src/model/* | src/weights/* | src/process/* | src/filter/* | src/draw/* | src/decode/* | tests/*) echo -O2 ;;
    *) echo -O0 ;;
  esac
}

# Only the header folders of these libraries go on the path: the rest of /usr/include belongs to this machine.
for library in hwy rapidjson; do ln -sfn "/usr/include/$library" "$out/include/$library"; done
# One static target, so that no scalable vectors come in, and nothing of libhwy has to be linked.
cross=(aarch64-linux-gnu-g++ "${flags[@]}" -DHWY_COMPILE_ONLY_STATIC -isystem "$out/include")
command -v ccache >/dev/null && cross=(ccache "${cross[@]}")

mapfile -t library < <(find src -name '*.cc' ! -name '*_test.cc' ! -name '*_bench.cc' ! -path 'src/capi/*' | sort)
library+=(tests/agreement/sampler_rows.cc tests/agreement/twin_answer.cc)
programs=(tests/ci/short_golden.cc tests/proof/draws_proof.cc)
object_of() { printf '%s' "$out/${1//\//_}.o"; }
objects=()
for source in "${library[@]}"; do objects+=("$(object_of "$source")"); done

say "compiling $((${#library[@]} + ${#programs[@]})) files for AArch64"
{
  printf 'all:'
  for source in "${library[@]}" "${programs[@]}"; do printf ' %s' "$(object_of "$source")"; done
  printf '\n'
  for source in "${library[@]}" "${programs[@]}"; do
    printf '%s: FORCE\n\t@%s %s -c %s -o $@\n' "$(object_of "$source")" "${cross[*]}" "$(level_of "$source")" "$source"
  done
  printf 'FORCE:\n'
} >"$out/rules.mk"
make --no-print-directory -j "${JOBS:-$(jobs_here)}" -f "$out/rules.mk"
for program in "${programs[@]}"; do
  aarch64-linux-gnu-g++ "$(object_of "$program")" "${objects[@]}" -pthread -o "$out/$(basename "$program" .cc)"
done
emulated() { qemu-aarch64 -L /usr/aarch64-linux-gnu "$out/$1" "${@:2}"; }

g++ "${flags[@]}" -O2 tests/ci/short_golden.cc -Wl,--start-group build/release/lib/libdecant_*.a -Wl,--end-group -lhwy -pthread \
  -o "$out/short_golden_native"

native=$("$out/short_golden_native" "$model")
say "native:  $native"
aarch64=$(emulated short_golden "$model")
say "aarch64: $aarch64"
[[ -n $native && $native == "$aarch64" ]] || die "the logits differ between the two architectures"

# Rows of all sizes, two of them the largest; the first line names the instruction set.
proof=$(emulated draws_proof --draws 4000 --rows 100 --threads "${JOBS:-$(jobs_here)}") && status=0 || status=$?
say "$proof"
[[ $status -eq 0 ]] || die "on AArch64 the sampler does not choose what its twin chooses"
grep -q ', neon$' <<<"$proof" || die "on AArch64 the sampler ran without NEON"
