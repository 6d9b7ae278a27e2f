#!/usr/bin/env bash
# Level D5 on another architecture: the logits of a short prompt have the same bits natively and on AArch64, emulated.
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

flags=(-std=c++23 -O2 -ffp-contract=off -DNDEBUG -I. -Iinclude -Isrc)

# Only the header folders of these libraries go on the path: the rest of /usr/include belongs to this machine.
for library in hwy rapidjson; do ln -sfn "/usr/include/$library" "$out/include/$library"; done
# One static target, so that no scalable vectors come in, and nothing of libhwy has to be linked.
cross=(aarch64-linux-gnu-g++ "${flags[@]}" -DHWY_COMPILE_ONLY_STATIC -isystem "$out/include")
command -v ccache >/dev/null && cross=(ccache "${cross[@]}")

mapfile -t sources < <(find src -name '*.cc' ! -name '*_test.cc' ! -name '*_bench.cc' ! -path 'src/twin/*' ! -path 'src/capi/*' | sort)
sources+=(tests/ci/short_golden.cc)
objects=()
for source in "${sources[@]}"; do objects+=("$out/${source//\//_}.o"); done

say "compiling ${#sources[@]} files for AArch64"
{
  printf 'all:'
  printf ' %s' "${objects[@]}"
  printf '\n'
  for i in "${!sources[@]}"; do
    printf '%s: FORCE\n\t@%s -c %s -o $@\n' "${objects[i]}" "${cross[*]}" "${sources[i]}"
  done
  printf 'FORCE:\n'
} >"$out/rules.mk"
make --no-print-directory -j "${JOBS:-$(jobs_here)}" -f "$out/rules.mk"
aarch64-linux-gnu-g++ "${objects[@]}" -pthread -o "$out/short_golden"

g++ "${flags[@]}" tests/ci/short_golden.cc -Wl,--start-group build/release/lib/libdecant_*.a -Wl,--end-group -lhwy -pthread \
  -o "$out/short_golden_native"

native=$("$out/short_golden_native" "$model")
say "native:  $native"
emulated=$(qemu-aarch64 -L /usr/aarch64-linux-gnu "$out/short_golden" "$model")
say "aarch64: $emulated"
[[ -n $native && $native == "$emulated" ]] || die "the logits differ between the two architectures"
