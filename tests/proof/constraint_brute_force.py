"""Masks of a tiny vocabulary against every small text, on random schemas, with jsonschema-rs as judge.

    constraint_brute_force.py --schemas 300 --seed 1 [--focus unique]

The vocabulary has all printable ASCII and white space byte by byte, the bytes of two characters beyond ASCII, and pieces
that split characters and cross quotes and commas. For each schema, at places on the way to accepted texts, each reached
by a random way of cutting it into tokens:

    missing   a token that some accepted text of the universe goes on with is not in the mask
    end       the end token is in the mask, and the text so far is not accepted; or the other way round
    cut       a piece is in the mask, and its bytes cannot be written one by one; or the other way round
    dead      a token of the mask has no completion: the shortest one is refused by the judge
    walk      a text that random tokens of the masks led to is refused
    mutant    a text that is near to an accepted one is judged otherwise
    empty     a schema said to be Unsatisfiable accepts a text

Each is a difference, and the exit code is then 1. Schemas that decant refuses otherwise are counted by name.
"""
import argparse
import collections
import json
import random
import sys

import constraint_engine as base
from constraint_schemas import Schemas, universe

PIECES = ['{"', '":', '",', '"}', '":1', '1,', '1]', '[[', ']]', '}}', '"a', 'a"', 'ab', '"ab"', '{"a":', ',"', '", "', ': ',
          ', ', '  ', '\n ', 'true', 'tr', 'ue', 'null', 'nul', 'false', 'als', '[]', '{}', '[1', '0,', '0.', '.5', '1e', 'e1',
          '10', '-1', '1.5', '"]', '["', '],[', '},{', '\\u', '\\u00', '\\u006', '61', '0061', 'é', 'éb', 'aé', '"é', 'é"', '\\"',
          '":[', '":{', '":"', '""', '"",', 'aa', 'aaaa', 'ba', 'a":1,"b', '1,1,', '😀', '\\ud83d', '\\ude00', 'b"}', '"b":', ']}',
          '}]', '0}', '1}', 'e}', 'l]', '-0', 'E+', '00', '0e5']
SPLIT = [b"\xe2", b"\x82", b"\xc3", b"\xa9", b"\xf0", b"\x9f", b"\x98", b"\x80", b'\xa9"', b'"\xc3', b"a\xc3", b"\xa9b", b"\xf0\x9f", b"\x98\x80",
         b"\xff", b"\xa9\xc3", b"\x80\"}", b"\xe2\x82"]


def vocabulary():
    ascii_bytes = [bytes([i]) for i in (9, 10, 13, *range(32, 127))]
    return list(dict.fromkeys(ascii_bytes + SPLIT + [piece.encode() for piece in PIECES]))


class Trie:
    """The prefixes of some texts; a node is a dict by byte."""

    def __init__(self, texts):
        self.root = {}
        for text in texts:
            node = self.root
            for byte in text:
                node = node.setdefault(byte, {})

    def at(self, text, node=None):
        node = self.root if node is None else node
        for byte in text:
            node = node.get(byte)
            if node is None:
                return None
        return node


class Differences:
    """Counts, and the first few of each kind in full."""

    def __init__(self, shown):
        self.counts, self._shown = collections.Counter(), shown

    def add(self, kind, schema, *details):
        self.counts[kind] += 1
        if self.counts[kind] <= self._shown:
            print(f"DIFFERENCE {kind}: {json.dumps(schema, ensure_ascii=False)}")
            print("   ", *details, flush=True)


class Proof:
    def __init__(self, arguments):
        self.chance = random.Random(arguments.seed)
        self.twice = []  # JSON with a key twice, which decant never writes
        self.engine = base.Engine(vocabulary())
        self.pieces = [(i, token) for i, token in enumerate(self.engine.tokens) if len(token) > 1]
        self.singles = [i for i, token in enumerate(self.engine.tokens) if len(token) == 1]
        self.universe, self.values = [], []
        for text in universe():
            try:
                self.values.append(base.read_json(text))
                self.universe.append(text)
            except base.NotJson:  # a key twice, once spelled with an escape
                self.twice.append(text)
        self.differences = Differences(arguments.show)
        self.tally = collections.Counter()
        self.limits = arguments

    def one_schema(self, schema):
        judge = base.Judge(schema)
        accepted = [text for text, value in zip(self.universe, self.values) if judge.takes(value)]
        try:
            language = self.engine.compile(schema)
        except base.adapter.SchemaError as error:
            self.tally["refused " + error.status] += 1
            if error.status == "Unsatisfiable" and accepted:
                self.differences.add("empty", schema, accepted[0])
            elif error.status not in ("Unsatisfiable", "Unenforceable"):
                print(f"note: {error}: {json.dumps(schema, ensure_ascii=False)}", flush=True)
            return
        self.tally["schemas"] += 1
        trie = Trie(accepted)
        for text in self.chance.sample(accepted, min(len(accepted), self.limits.texts)):
            place, prefix = language.start(), b""
            while True:
                self.look(schema, judge, place, prefix, trie)
                if prefix == text:
                    break
                fitting = [(i, token) for i, token in self.pieces if text.startswith(token, len(prefix))]
                byte = (self.engine.by_byte[text[len(prefix)]], text[len(prefix):len(prefix) + 1])
                token, written = self.chance.choice(fitting + [byte])
                if not place.accept(token):
                    self.differences.add("missing", schema, prefix, written, text)
                    break
                prefix += written
        for text in self.chance.sample(self.twice, 3):
            if language.start().is_text(text):
                self.differences.add("mutant", schema, text, "a key twice")
        ends = [text for text in (self.walk(schema, judge, language, trie) for _ in range(self.limits.walks)) if text]
        self.mutants(schema, judge, language, ends + accepted)

    def look(self, schema, judge, place, prefix, trie):
        """Compares one mask in every way."""
        self.tally["masks"] += 1
        mask = place.mask()
        if not place.is_proven():
            self.tally["unproven masks"] += 1
        node = trie.at(prefix)
        if node is not None:
            for i, token in enumerate(self.engine.tokens):
                if token[0] in node and trie.at(token, node) is not None and not mask >> i & 1:
                    self.differences.add("missing", schema, prefix, token)
        try:
            if judge.accepts(prefix) != bool(mask >> self.engine.end & 1):
                self.differences.add("end", schema, prefix, "allowed" if mask >> self.engine.end & 1 else "not allowed")
        except base.Undecided:
            self.tally["undecided"] += 1
        for i, token in self.pieces:
            tokens = [self.engine.by_byte[byte] for byte in token]
            first = mask >> tokens[0] & 1
            if bool(mask >> i & 1) != bool(first and place.accepts(tokens) == len(tokens)):
                self.differences.add("cut", schema, prefix, token, "allowed" if mask >> i & 1 else "not allowed")
        open_ones = [i for i in self.singles if mask >> i & 1 and
                     (node is None or self.engine.tokens[i][0] not in node)]
        for i in self.chance.sample(open_ones, min(len(open_ones), self.limits.completions)):
            self.complete(schema, judge, place.fork(), prefix, i)

    def complete(self, schema, judge, place, prefix, token):
        """Shows that a token of the mask leads to an accepted text."""
        self.tally["completions"] += 1
        proven = place.is_proven()
        text = prefix + self.engine.tokens[token]
        if not place.accept(token):
            self.differences.add("dead", schema, text, "in the mask, and not accepted")
            return
        end = place.shortest_end()
        try:
            good = end is not None and judge.accepts(text + end)
        except base.Undecided:
            self.tally["undecided"] += 1
            return
        if not good and proven:
            self.differences.add("dead", schema, text, "shortest end", end)
        elif not good:
            self.tally["unproven dead ends"] += 1

    def walk(self, schema, judge, language, trie):
        """A text by random tokens, then the shortest end; None where it was cut."""
        place, text = language.start(), b""
        for _ in range(self.chance.randint(1, 30)):
            mask = place.mask()
            allowed = [i for i in range(self.engine.end) if mask >> i & 1]
            if not allowed:
                if not mask:
                    self.differences.add("dead", schema, text, "nothing may follow")
                break
            token = self.chance.choice(allowed)
            place.accept(token)
            text += self.engine.tokens[token]
            if self.chance.random() < 0.15:
                self.look(schema, judge, place, text, trie)
        end = place.shortest_end()
        if end is None:
            self.tally["walks without an end"] += 1
            return None
        text += end
        self.tally["walks"] += 1
        try:
            if not judge.accepts(text):
                self.differences.add("walk", schema, text)
        except base.Undecided:
            self.tally["undecided"] += 1
        return text

    def mutants(self, schema, judge, language, texts):
        """Texts near to accepted ones are judged as the judge does."""
        if not texts:
            return
        for _ in range(self.limits.mutants):
            text, other = self.chance.choice(texts), self.chance.choice(self.universe)
            at, size = self.chance.randint(0, len(text)), self.chance.randint(0, 3)
            how = self.chance.random()
            if how < 0.3:
                text = text[:at] + text[at + size:]
            elif how < 0.6:
                text = text[:at] + self.chance.choice(self.engine.tokens) + text[at + size:]
            elif how < 0.8:
                pieces = text.split(b",")
                self.chance.shuffle(pieces)
                text = b",".join(pieces)
            else:
                text = text[:at] + other + text[at + size:]
            if not text or any(byte not in self.engine.by_byte for byte in text):
                continue
            try:
                good = judge.accepts(text)
            except base.Undecided:
                self.tally["undecided"] += 1
                continue
            self.tally["near texts, valid" if good else "near texts, invalid"] += 1
            if language.start().is_text(text) != good:
                self.differences.add("mutant", schema, text, "valid" if good else "not valid")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schemas", type=int, default=300, help="random schemas (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    parser.add_argument("--focus", choices=Schemas.FOCI, default="all", help="what the schemas are about (default all)")
    parser.add_argument("--texts", type=int, default=12, help="accepted texts walked a schema (default 12)")
    parser.add_argument("--walks", type=int, default=8, help="random walks a schema (default 8)")
    parser.add_argument("--completions", type=int, default=4, help="tokens completed a mask (default 4)")
    parser.add_argument("--mutants", type=int, default=60, help="near texts a schema (default 60)")
    parser.add_argument("--show", type=int, default=5, help="differences of each kind shown (default 5)")
    arguments = parser.parse_args()
    base.need()
    proof, schemas = Proof(arguments), Schemas(arguments.seed, arguments.focus)
    for _ in range(arguments.schemas):
        proof.one_schema(schemas.make())
    print(", ".join(f"{count} {what}" for what, count in sorted(proof.tally.items())))
    differences = proof.differences.counts
    print(f"{sum(differences.values())} differences" + "".join(f", {n} {kind}" for kind, n in differences.items()))
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
