"""Long texts: the time of a token stays what it was, and taking tokens back and forking keep their laws.

    constraint_length.py --tokens 100000

For lists, strings and objects of so many tokens, and for arrays nested so deep, it prints microseconds a token (mask and
acceptance) in ten windows; the last may take at most --factor times the second. On the way, at random places: a fork has
the same mask; what the fork does leaves the first one alone; validating moves nothing; rolling back k tokens gives the
mask that was there, and the same tokens lead on to the same masks. The shortest end closes what is open.
"""
import argparse
import random
import sys
import time

import constraint_engine as base

WINDOWS = 10


def vocabulary():
    pieces = ["12", "1,", "23", "ab", "the", " of", "abc ", '","', '":', '"a', "[[", "]]", "],", "é", '":1,"']
    return [bytes([i]) for i in range(256)] + [piece.encode() for piece in pieces]


class Run:
    def __init__(self, engine, name, schema, arguments):
        self.engine, self.name, self.factor = engine, name, arguments.factor
        self.chance = random.Random(arguments.seed)
        self.place = engine.compile(schema).start()
        self.masks, self.tokens, self.wrong = {}, [], []
        self.ids = {token: i for i, token in enumerate(engine.tokens)}

    def fail(self, what):
        self.wrong.append(f"{self.name}, token {len(self.tokens)}: {what}")

    def write(self, pieces):
        """Writes the pieces with a mask before each; the laws are tried on one token of 500."""
        windows, size = [], max(1, len(pieces) // WINDOWS)
        for start in range(0, len(pieces), size):
            spent = 0
            for piece in pieces[start:start + size]:
                token = self.ids[piece]
                began = time.thread_time()
                mask = self.place.mask()
                fits = self.place.accept(token)
                spent += time.thread_time() - began
                if not fits or not mask >> token & 1:
                    self.fail(f"{piece!r} is refused")
                    return
                self.tokens.append(token)
                if self.chance.random() < 1 / 500:
                    self.laws()
            windows.append(spent / min(size, len(pieces) - start) * 1e6)
        windows = windows[:WINDOWS]
        print(f"  {self.name}: " + " ".join(f"{us:.2f}" for us in windows) + " us a token", flush=True)
        if len(windows) > 2 and windows[-1] > self.factor * windows[1]:
            self.fail(f"the last window takes {windows[-1] / windows[1]:.1f} times the second")

    def laws(self):
        place, mask = self.place, self.place.mask()
        fork = place.fork()
        if fork.mask() != mask:
            self.fail("a fork has another mask")
        back = self.chance.randint(0, min(len(self.tokens), self.chance.choice((1, 10, 1000))))
        allowed = [i for i in range(self.engine.end) if mask >> i & 1][:50]
        if allowed:
            fork.accept(self.chance.choice(allowed))
        fork.roll_back(min(back, len(self.tokens)))
        if place.mask() != mask:
            self.fail("what a fork did changed the mask")
        if place.accepts(self.tokens[-5:]) and place.mask() != mask:
            self.fail("validating changed the mask")
        if back == 0:
            return
        place.roll_back(back)
        before = place.mask()
        for token in self.tokens[-back:]:
            if not place.accept(token):
                self.fail(f"after rolling back {back} tokens one of them is refused")
                return
        if place.mask() != mask:
            self.fail(f"rolling back {back} tokens and writing them again changed the mask")
        place.roll_back(back)
        if place.mask() != before:
            self.fail(f"rolling back {back} tokens twice gave two masks")
        for token in self.tokens[-back:]:
            place.accept(token)

    def end(self, expected):
        """The shortest end, and what it leads to; then back to the very start."""
        first = self.place.fork()
        first.roll_back(len(self.tokens))
        if first.mask() != self.place.language.start().mask():
            self.fail("rolling back everything is not the start")
        end = self.place.shortest_end()
        if end != expected:
            self.fail(f"the shortest end is {end if end is None else end[:40]!r}, not {expected[:40]!r}")
        elif not self.place.write_bytes(end) or not self.place.may_end():
            self.fail("the shortest end does not end it")


def integers(chance, n):
    out = [b"["]
    while len(out) < n:
        out += chance.choice(([b"1", b"2", b","], [b"1,"], [b"12", b"23", b","], [b"-", b"7", b","]))
    return out + [b"5"]


def letters(chance, n):
    return [b'"'] + [chance.choice((b"ab", b"the", b" of", b"abc ", b"x", b"z")) for _ in range(n)]


def members(chance, n):
    out, count = [b"{"], 0
    while len(out) < n:
        out += [b'"', *(bytes([c]) for c in str(count).encode()), b'":', b"1", b","]
        count += 1
    return out[:-1]


def different(n, before, after):
    out, count = [b"["], 0
    while len(out) < n:
        out += [*(bytes([c]) for c in f"{before}{count}{after}".encode()), b","]
        count += 1
    return out[:-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=100_000, help="tokens a text, and levels of nesting (default 100000)")
    parser.add_argument("--factor", type=float, default=3, help="how much slower the last window may be (default 3)")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    arguments = parser.parse_args()
    base.need()
    engine, chance, n = base.Engine(vocabulary()), random.Random(arguments.seed), arguments.tokens
    runs = []

    def run(name, schema, pieces, end):
        runs.append(Run(engine, name, schema, arguments))
        runs[-1].write(pieces)
        if not runs[-1].wrong:
            runs[-1].end(end)

    run("integers", {"type": "array", "items": {"type": "integer"}}, integers(chance, n), b"]")
    run("bounded integers", {"type": "array", "items": {"type": "integer", "minimum": -7, "maximum": 1223}, "minItems": 3},
        integers(chance, n), b"]")
    for kind, before, after in (("integer", "", ""), ("string", '"a', '"'), ("object", '{"n":', "}"), ("array", "[[", "]]")):
        run(f"different {kind}s", {"type": "array", "uniqueItems": True, "items": {"type": kind}},
            different(n, before, after), b"]")
    run("string", {"type": "string"}, letters(chance, n), b'"')
    run("string of bounded length", {"type": "string", "minLength": 3, "maxLength": 10 * n}, letters(chance, n), b'"')
    run("string of a pattern", {"type": "string", "pattern": "^[a-z ]*$"}, letters(chance, n), b'"')
    run("members", {"type": "object", "additionalProperties": {"type": "integer"}}, members(chance, n), b"}")
    run("nested arrays", {}, [b"["] * n, b"]" * n)
    run("nested arrays, closed", {}, [b"["] * n + [b"]"] * (n - 1), b"]")
    wrong = [line for one in runs for line in one.wrong]
    print("\n".join(wrong[:20]))
    print(f"{len(runs)} texts of {n} tokens: {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
