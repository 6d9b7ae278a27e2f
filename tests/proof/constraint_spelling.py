"""Every way to spell a value is accepted, or refused, as the value is: decant against jsonschema-rs.

    constraint_spelling.py --schemas 300 [--files maskbench --sample 300]

Values that a schema accepts, and values that it does not, are spelled at random: characters as escapes in strings and in
keys, surrogate pairs, numbers with fractions, exponents and signs of zero, members in another order, every kind of white
space in runs up to the bound. A run past the bound, and a key that comes twice in two spellings, must be refused.
Large and fine numbers are judged by Python's fractions as well. Schemas are random ones and, with --files, those of
MaskBench files with their instances.
"""
import argparse
import collections
import fractions
import glob
import json
import pathlib
import random
import sys

import constraint_engine as base
from constraint_schemas import Schemas, universe

BOUND = 128  # characters of white space in a row
ESCAPES = {'"': '\\"', "\\": "\\\\", "/": "\\/", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
BIG = [2**53 - 1, 2**53, 2**53 + 1, 2**63, 2**64 - 1, 2**64, 2**64 + 1, -(2**64) - 1, 10**40, 10**40 + 1, 3 * (2**64 + 1)]
FINE = ["0.1", "0.3", "0.30000000000000004", "1e-30", "1.000000000000000000001", "123456789.123456789", "-2.5e-10", "0.7"]


class Speller:
    def __init__(self, seed, plain_integers=False):
        self.chance = random.Random(seed)
        self.plain_integers = plain_integers  # draft 4: 1.0 is no integer there

    def space(self):
        roll = self.chance.random()
        size = 0 if roll < 0.6 else BOUND if roll > 0.99 else self.chance.randint(1, 4)
        return "".join(self.chance.choice(" \t\n\r") for _ in range(size))

    def string(self, text):
        how_often = self.chance.choice((0, 0.1, 0.5, 1))
        return '"' + "".join(self._character(c, how_often) for c in text) + '"'

    def _character(self, c, how_often):
        must = c in '"\\' or ord(c) < 32
        if not must and self.chance.random() >= how_often:
            return c
        if c in ESCAPES and self.chance.random() < 0.5:
            return ESCAPES[c]
        units = c.encode("utf-16-be")
        hex_digits = self.chance.choice(("{:04x}", "{:04X}"))
        return "".join("\\u" + hex_digits.format(units[i] << 8 | units[i + 1]) for i in range(0, len(units), 2))

    def number(self, value):
        """The same number in other digits: the point moved, zeros added, an exponent, a minus before zero."""
        exact = fractions.Fraction(str(value))
        if self.plain_integers or self.chance.random() < 0.25:
            return str(value) if isinstance(value, int) else _plain(exact)
        digits, scale = _digits(abs(exact))
        zeros = self.chance.choice((0, 0, 1, 5))
        digits, scale = digits + "0" * zeros, scale - zeros  # value = digits * 10^scale
        point = self.chance.randint(0, len(digits))
        whole, part = digits[:point].lstrip("0") or "0", digits[point:]
        exponent = scale + len(part)
        text = whole + ("." + part if part else "")
        if exponent or self.chance.random() < 0.3:
            sign = "-" if exponent < 0 else self.chance.choice(("", "+"))
            text += self.chance.choice("eE") + sign + "0" * self.chance.choice((0, 0, 2)) + str(abs(exponent))
        minus = exact < 0 or (exact == 0 and self.chance.random() < 0.3)
        return ("-" if minus else "") + text

    def value(self, value):
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, list):
            parts = [self.space() + self.value(item) + self.space() for item in value]
            return "[" + (",".join(parts) if parts else self.space()) + "]"
        if isinstance(value, dict):
            members = list(value.items())
            self.chance.shuffle(members)
            parts = [self.space() + self.string(key) + self.space() + ":" + self.space() + self.value(member) + self.space()
                     for key, member in members]
            return "{" + (",".join(parts) if parts else self.space()) + "}"
        return self.number(value)


def _digits(exact):
    """(digits, scale) of a fraction that has finitely many decimals."""
    scale = 0
    while exact.denominator != 1:
        exact, scale = exact * 10, scale - 1
    return str(exact.numerator), scale


def _plain(exact):
    digits, scale = _digits(abs(exact))
    if scale:
        digits = digits.rjust(1 - scale, "0")
        digits = digits[:scale] + "." + digits[scale:]
    return ("-" if exact < 0 else "") + digits


class Proof:
    def __init__(self, show):
        self.engine = base.Engine([bytes([i]) for i in range(256)])
        self.tally, self.differences, self.show = collections.Counter(), collections.Counter(), show

    def compare(self, kind, schema, place, text, good):
        """`place`: at the start of a text; it does not move."""
        self.tally["valid texts" if good else "invalid texts"] += 1
        data = text.encode("utf-8")
        if place.is_text(data) != good:
            self.differences[kind] += 1
            if self.differences[kind] <= self.show:
                print(f"DIFFERENCE {kind}: {json.dumps(schema, ensure_ascii=False)[:1500]}")
                print("   ", "valid" if good else "not valid", data[:1500], flush=True)

    def compile(self, schema):
        try:
            language = self.engine.compile(schema)
        except base.adapter.SchemaError as error:
            self.tally["refused " + error.status] += 1
            return None
        self.tally["schemas"] += 1
        return language.start()

    def spell(self, schema, judge, values, speller, times):
        """Each value `times` times, and texts that break the two rules."""
        place = self.compile(schema)
        if place is None:
            return
        for value in values:
            good = judge.takes(value)
            for _ in range(times):
                self.compare("spelling", schema, place, speller.value(value), good)
            if isinstance(value, dict) and value:
                text = speller.value(value)
                key = speller.chance.choice(list(value))
                twice = text[:-1] + "," + speller.string(key) + ":" + speller.value(value[key]) + "}"
                self.compare("key twice", schema, place, twice, False)
            if isinstance(value, (dict, list)):
                text = json.dumps(value, default=str)
                self.compare("long space", schema, place, text[0] + " " * (BOUND + 1) + text[1:], False)
            self.compare("space around", schema, place, speller.chance.choice((" ", "\n")) + speller.value(value), False)

    def numbers(self, speller, times):
        """Keywords on numbers at the limits of integers and doubles, judged by fractions."""
        texts = [str(n) for n in BIG] + FINE + ["0", "-0.0", "1"]
        for limit in texts:
            bound = fractions.Fraction(limit)
            rules = {"minimum": lambda n, b=bound: n >= b, "maximum": lambda n, b=bound: n <= b,
                     "exclusiveMinimum": lambda n, b=bound: n > b, "exclusiveMaximum": lambda n, b=bound: n < b,
                     "const": lambda n, b=bound: n == b}
            if bound > 0:
                rules["multipleOf"] = lambda n, b=bound: (n / b).denominator == 1
            for keyword, holds in rules.items():
                for is_whole in (False, True):
                    schema = '{"type":"%s","%s":%s}' % ("integer" if is_whole else "number", keyword, limit)
                    judge, place = base.Judge(schema), self.compile(schema)
                    for near in ([bound + d for d in (0, 1, -1)] + [bound * k for k in (2, 3, -1)] +
                                 [bound + fractions.Fraction(1, 10**25)] + [fractions.Fraction(t) for t in texts]):
                        good = holds(near) and (not is_whole or near.denominator == 1)
                        if place is None:
                            if good:
                                self.differences["empty"] += 1
                                print("DIFFERENCE empty:", schema, _plain(near), flush=True)
                            continue
                        if judge.accepts(_plain(near).encode()) != good:
                            self.tally["numbers that jsonschema-rs judges otherwise"] += 1
                        for _ in range(times):
                            self.compare("number", schema, place, speller.number(_Exact(near)), good)


class _Exact:
    """A fraction that Speller.number takes."""

    def __init__(self, exact):
        self.text = _plain(exact)

    def __str__(self):
        return self.text


def draft_of(schema):
    named = schema.get("$schema", "") if isinstance(schema, dict) else ""
    return "4" if "draft-04" in named or "draft-03" in named else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemas", type=int, default=300, help="random schemas (default 300)")
    parser.add_argument("--values", type=int, default=12, help="valid, and invalid, values of each (default 12)")
    parser.add_argument("--times", type=int, default=4, help="spellings of a value (default 4)")
    parser.add_argument("--files", type=pathlib.Path, help="MaskBench files")
    parser.add_argument("--sample", type=int, default=300, help="how many of them (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--show", type=int, default=5, help="differences of each kind shown (default 5)")
    arguments = parser.parse_args()
    base.need()
    proof, speller, schemas = Proof(arguments.show), Speller(arguments.seed), Schemas(arguments.seed + 1000)
    proof.numbers(speller, arguments.times)
    stock = []
    for text in universe():
        try:
            stock.append(base.read_json(text))
        except base.NotJson:
            continue
    for _ in range(arguments.schemas):
        schema = schemas.make()
        judge = base.Judge(schema)
        mixed = speller.chance.sample(stock, 1500)
        valid = [value for value in mixed if judge.takes(value)][:arguments.values]
        invalid = [value for value in mixed if not judge.takes(value)][:arguments.values]
        proof.spell(schema, judge, valid + invalid, speller, arguments.times)
    if arguments.files:
        files = sorted(glob.glob(str(arguments.files / "*.json")))
        for file in random.Random(20261129).sample(files, min(arguments.sample, len(files))):
            entry = json.loads(pathlib.Path(file).read_bytes())
            try:
                judge = base.Judge(entry["schema"])
            except ValueError:
                proof.tally["refused by jsonschema-rs"] += 1
                continue
            speller.plain_integers = draft_of(entry["schema"]) == "4"
            proof.spell(entry["schema"], judge, [test["data"] for test in entry["tests"]], speller, arguments.times)
    print(", ".join(f"{count} {what}" for what, count in sorted(proof.tally.items())))
    print(f"{sum(proof.differences.values())} differences" +
          "".join(f", {n} {kind}" for kind, n in proof.differences.items()))
    return 1 if proof.differences else 0


if __name__ == "__main__":
    sys.exit(main())
