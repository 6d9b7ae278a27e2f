#!/usr/bin/env python3
"""Checks decant's NFC, which is that of Unicode 9.0, against NormalizationTest.txt of Unicode 15.0 (Debian's package
unicode-data), less the tests with code points assigned later, and, code point by code point, that what the file does
not name stays as it is.

  nfc_test.py TOKENIZE_LINES     exits 1 at a difference, 77 when the package is not there
"""
import bz2
import pathlib
import re
import struct
import subprocess
import sys

TEST = pathlib.Path("/usr/share/unicode/NormalizationTest.txt.bz2")
VERSION = (9, 0)


def assigned_later():
    later = set()
    for line in (TEST.parent / "DerivedAge.txt").read_text(encoding="utf-8").splitlines():
        match = re.match(r"([0-9A-F]+)(?:\.\.([0-9A-F]+))?\s*; (\d+)\.(\d+)", line)
        if match and (int(match[3]), int(match[4])) > VERSION:
            later.update(map(chr, range(int(match[1], 16), int(match[2] or match[1], 16) + 1)))
    return later


def normalize(program, texts):
    packed = b"".join(struct.pack("<I", len(t)) + t for t in (t.encode() for t in texts))
    out = subprocess.run([program, "-", "nfc"], input=packed, stdout=subprocess.PIPE, check=True).stdout
    results, at = [], 0
    while at < len(out):
        (length,) = struct.unpack_from("<I", out, at)
        results.append(out[at + 4:at + 4 + length].decode())
        at += 4 + length
    return results


def main():
    if not TEST.exists():
        print(f"skipped: {TEST} is not there (package unicode-data)")
        return 77
    lines = bz2.decompress(TEST.read_bytes()).decode().splitlines()
    if not lines[0].startswith("# NormalizationTest-15.0."):
        print(f"skipped: {TEST} is not of Unicode 15.0")
        return 77
    pairs, named, part1 = [], set(), False
    for line in lines:
        line = line.split("#")[0].strip()
        if not line or line.startswith("@"):
            part1 = line.startswith("@Part1") or (part1 and not line)
            continue
        source, nfc, nfd, nfkc, nfkd = ("".join(chr(int(c, 16)) for c in f.split()) for f in line.split(";")[:5])
        pairs += [(source, nfc), (nfc, nfc), (nfd, nfc), (nfkc, nfkc), (nfkd, nfkc)]
        # The same in the middle of a text: what stands around it must not matter.
        pairs += [("a\u00e9 " + source + " b\u4e2d", "a\u00e9 " + nfc + " b\u4e2d")]
        if part1:
            named.add(source)
    pairs += [(c, c) for c in map(chr, range(0x110000)) if not 0xD800 <= ord(c) < 0xE000 and c not in named]
    later = assigned_later()
    pairs = [(source, nfc) for source, nfc in pairs if len(source) == 1 or not later.intersection(source)]
    results = normalize(sys.argv[1], [source for source, _ in pairs])
    wrong = [(s, e, r) for (s, e), r in zip(pairs, results, strict=True) if r != e]
    for source, expected, result in wrong[:10]:
        print(f"{source!a}: {result!a}, expected {expected!a}")
    print(f"{len(pairs) - len(wrong)} of {len(pairs)} texts as in NormalizationTest.txt")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
