#!/usr/bin/env python3
"""Computes the constants of the numeric profile and keeps docs/determinism.md in step with them.

The document carries one marked block of constants, as C hexadecimal floats. This script computes each of them with
mpmath at 400 bits, rounds once to nearest even, and rewrites the block; --check only compares and exits 1 when the
block is stale, --print writes it to standard output. No other file is touched.
"""
import argparse
import pathlib
import sys
from fractions import Fraction

import mpmath

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "determinism.md"
BEGIN = "<!-- constants: begin (written by tools/make_constants.py) -->"
END = "<!-- constants: end -->"
PRECISION = 400


def nearest_double(value):
    """The double nearest to an mpmath number, ties to even (a tie cannot survive 400 bits unless it is exact)."""
    sign, mantissa, exponent, _ = mpmath.mpf(value)._mpf_
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    rounded = exact.numerator / exact.denominator  # int / int is correctly rounded
    return -rounded if sign else rounded


def hex_text(value):
    """C hexadecimal text without trailing zeros: 0x1.8p+1."""
    mantissa, exponent = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{exponent}"


def table(head, rows):
    lines = [f"| {head[0]} | {head[1]} | {head[2]} |", "|---|---|---|"]
    lines += [f"| {name} | {meaning} | `{hex_text(nearest_double(value))}` |" for name, meaning, value in rows]
    return "\n".join(lines)


def sections():
    mpf, factorial = mpmath.mpf, mpmath.factorial
    ln2 = mpmath.ln(2)
    yield "Single constants", table(("name", "RN of", "value"), [
        ("`LOG2E`", "1/ln 2", 1 / ln2),
        ("`LN2`", "ln 2", ln2),
        ("`TWO_OVER_LN2`", "2/ln 2", 2 / ln2),
        ("`SQRT2`", "√2", mpmath.sqrt(2)),
        ("`TWO_OVER_PI`", "2/π", 2 / mpmath.pi),
        ("`P1`", "chosen: head of π/2, 31 bits", mpf(float.fromhex("0x1.921fb544p+0"))),
        ("`P2`", "chosen: the next bits of π/2", mpf(float.fromhex("0x1.0b4611a6p-34"))),
        ("`P3`", "π/2 − P1 − P2", mpmath.pi / 2 - mpf(float.fromhex("0x1.921fb544p+0"))
         - mpf(float.fromhex("0x1.0b4611a6p-34"))),
    ])
    yield "`exp2`: the polynomial", table(("name", "RN of", "value"), [
        (f"`E[{i}]`", f"(ln 2)^{i}/{i}!", ln2**i / factorial(i)) for i in range(7)])
    yield "`exp2`: the table", table(("name", "RN of", "value"), [
        (f"`T[{j}]`", f"2^({j}/16)", mpf(2) ** (mpf(j) / 16)) for j in range(16)])
    yield "`log2`: the polynomial", table(("name", "RN of", "value"), [
        (f"`L[{k}]`", f"1/{2 * k + 1}", mpf(1) / (2 * k + 1)) for k in range(11)])
    yield "`sin`: the polynomial", table(("name", "RN of", "value"), [
        (f"`S[{k}]`", f"{'−' if k % 2 else ''}1/{2 * k + 1}!", mpf((-1) ** k) / factorial(2 * k + 1))
        for k in range(9)])
    yield "`cos`: the polynomial", table(("name", "RN of", "value"), [
        (f"`C[{k}]`", f"{'−' if k % 2 else ''}1/{2 * k}!", mpf((-1) ** k) / factorial(2 * k))
        for k in range(10)])


def block():
    with mpmath.workprec(PRECISION):
        parts = [f"**{title}**\n\n{body}" for title, body in sections()]
    return "\n\n".join([BEGIN, *parts, END])


def replace_block(text):
    """The document with its block made new; ValueError when the markers are not there exactly once, in order."""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(BEGIN) > text.index(END):
        raise ValueError(f"expected one block between '{BEGIN}' and '{END}'")
    head, rest = text.split(BEGIN)
    return head + block() + rest.split(END)[1]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 when stale")
    parser.add_argument("--print", action="store_true", dest="show", help="write the block to standard output")
    parser.add_argument("--document", type=pathlib.Path, default=DOCUMENT)
    options = parser.parse_args(arguments)
    if options.show:
        print(block())
        return 0
    text = options.document.read_text(encoding="utf-8")
    try:
        fresh = replace_block(text)
    except ValueError as problem:
        print(f"{options.document}: {problem}", file=sys.stderr)
        return 1
    if fresh == text:
        return 0
    if options.check:
        print(f"{options.document}: the block of constants is stale; run tools/make_constants.py", file=sys.stderr)
        return 1
    options.document.write_text(fresh, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
