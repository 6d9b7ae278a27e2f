"""Masks of a real vocabulary beside those of llguidance and XGrammar, and why they differ.

    constraint_peers.py --tokenizer tokenizer.json --files maskbench --sample 60

The peers are those of bench/peers/mask_peers.py, the tokenizer is a byte-level BPE of Hugging Face. Along valid instances
of MaskBench files, masks are compared at random places. For some tokens of each difference:

    only decant has it   a completion is written, and jsonschema-rs must accept it. The reason is guessed from mask and token
    only the peer has it the peer writes on to an end. Where jsonschema-rs refuses that text, decant was right. Where it
                         accepts it, and decant does not for a reason that docs/constraints.md tells, that reason counts
    unexplained          everything else, in full

Exit code 1 where something is unexplained.
"""
import argparse
import collections
import glob
import json
import os
import pathlib
import random
import sys

import constraint_engine as base

MOST_WHITE = 128


class Peer:
    """An engine of mask_peers.py, one state at a time; masks as ints."""

    def __init__(self, name, adapter, words):
        import numpy

        self.name, self.adapter = name, adapter
        self.row = numpy.zeros(words, dtype=numpy.int32)

    def at(self, compiled, tokens):
        """None where the peer does not take them."""
        state = self.adapter.start(compiled)
        return state if all(self.adapter.commit(state, token) for token in tokens) else None

    def mask(self, state):
        self.row[:] = 0
        self.adapter.mask(state, self.row)
        return int.from_bytes(self.row.tobytes(), "little")


def ids_in(mask):
    out = []
    while mask:
        low = mask & -mask
        out.append(low.bit_length() - 1)
        mask ^= low
    return out


class Proof:
    def __init__(self, vocab, peers, arguments):
        self.vocab, self.peers, self.arguments = vocab, peers, arguments
        self.chance = random.Random(arguments.seed)
        self.engine = base.Engine([b"" if i in vocab.special else token for i, token in enumerate(vocab.bytes)])
        self.reasons = collections.Counter()
        self.tally = collections.Counter()
        self.unexplained = 0

    def text_of(self, tokens):
        return b"".join(self.engine.tokens[token] for token in tokens)

    def file(self, path):
        entry = json.loads(pathlib.Path(path).read_bytes())
        schema, text = entry["schema"], json.dumps(entry["schema"], ensure_ascii=False)
        instances = [test["data"] for test in entry["tests"] if test["valid"]][:2]
        try:
            judge, language = base.Judge(schema, formats=True), self.engine.compile(schema, assert_formats=1)
        except ValueError:
            self.tally["schemas refused"] += 1
            return
        self.tally["schemas"] += 1
        for peer in self.peers:
            try:
                compiled = peer.adapter.compile(text, schema)
            except Exception:  # whatever the peer raises
                self.tally[f"schemas refused by {peer.name}"] += 1
                continue
            for instance in instances:
                tokens = self.vocab.encode(json.dumps(instance, ensure_ascii=False))
                for size in sorted(self.chance.sample(range(len(tokens) + 1), min(len(tokens) + 1, self.arguments.places))):
                    self.place(path, judge, language, peer, compiled, tokens[:size])

    def place(self, path, judge, language, peer, compiled, tokens):
        place, state = language.start(), peer.at(compiled, tokens)
        if not all(place.accept(token) for token in tokens):
            self.tally["instances that decant refuses"] += 1
            return
        if state is None:
            self.tally[f"instances that {peer.name} refuses"] += 1
            return
        self.tally["masks"] += 1
        own, other = place.mask(), peer.mask(state)
        # The peers end with one token of their own; decant's is past the vocabulary.
        other_end = other >> self.vocab.eos & 1
        own_end = own >> self.engine.end & 1
        few = (1 << self.vocab.size) - 1
        own, other = own & few, other & few & ~(1 << self.vocab.eos)
        if own_end != other_end:
            accepted = judge.accepts(self.text_of(tokens))
            self.note(peer, "end", path, tokens, b"", "the peer ends wrongly" if accepted == bool(own_end) else None)
        only_own, only_other = own & ~other, other & ~own
        self.tally["tokens only decant has"] += only_own.bit_count()
        self.tally[f"tokens only {peer.name} has"] += only_other.bit_count()
        for token in self.some(only_own):
            self.own(path, judge, place, peer, tokens, token, other)
        for token in self.some(only_other):
            self.other(path, judge, language, peer, compiled, tokens, token)

    def some(self, mask):
        ids = ids_in(mask)
        return self.chance.sample(ids, min(len(ids), self.arguments.tokens))

    def note(self, peer, side, path, tokens, token, reason, *details):
        self.reasons[f"{peer.name}, {side}: {reason or 'UNEXPLAINED'}"] += 1
        if reason is None:
            self.unexplained += 1
            print(f"UNEXPLAINED {peer.name}, {side}: {os.path.basename(path)} after {self.text_of(tokens)[-200:]!r}: "
                  f"{token!r}", *details, flush=True)

    def own(self, path, judge, place, peer, tokens, token, other):
        piece = self.engine.tokens[token]
        fork = place.fork()
        fork.accept(token)
        end = fork.shortest_end()
        text = self.text_of(tokens) + piece + (end or b"")
        try:
            good = end is not None and judge.accepts(text)
        except base.Undecided:
            good = True
        reason = None
        if good:
            reason = ("the peer forces one token" if other.bit_count() == 1 else
                      "white space" if not piece.strip() or piece != piece.strip() else
                      "an escape" if b"\\" in piece else
                      "a spelling of a number" if piece[:1] in b"0123456789-+.eE" else
                      "bytes of a character" if not _is_utf8(piece) else "other valid text")
        self.note(peer, "only decant", path, tokens, piece, reason, "completed as", text[-300:])

    def other(self, path, judge, language, peer, compiled, tokens, token):
        piece = self.engine.tokens[token]
        if not piece:
            self.note(peer, "only the peer", path, tokens, piece, "a token that writes nothing")
            return
        text = self.complete(peer, compiled, tokens + [token])
        if text is None:
            # Writes no end in reach: what the text so far says must do.
            reason = self.refusal(self.text_of(tokens) + piece)
            self.note(peer, "only the peer", path, tokens, piece, reason or "no end found", "no end found")
            return
        try:
            good = judge.accepts(text)
        except base.Undecided:
            good = False
        reason = self.refusal(text) if good else "its text is not valid"
        self.note(peer, "only the peer", path, tokens, piece, reason, "went on as", text[-300:])

    @staticmethod
    def refusal(text):
        """What docs/constraints.md says is never written."""
        run = 0
        for byte in text:
            run = run + 1 if byte in b" \t\r\n" else 0
            if run > MOST_WHITE:
                return "more white space than the bound"
        try:
            base.read_json(text)
        except base.NotJson as error:
            return f"not JSON that decant writes: {error}" if "twice" in str(error) or "around" in str(error) else None
        except base.Undecided:
            return None
        return None

    def complete(self, peer, compiled, tokens):
        """The text that the peer goes on to, closing what it may; None where it does not end soon."""
        state = peer.at(compiled, tokens)
        if state is None:
            return None
        tokens = list(tokens)
        closing = [self.engine.by_byte[byte] for byte in b'}]"0aetrulfs:,{[1']
        for _ in range(80):
            mask = peer.mask(state)
            if mask >> self.vocab.eos & 1:
                return self.text_of(tokens)
            token = next((t for t in closing if mask >> t & 1), None)
            if token is None or self.chance.random() < 0.1:
                ids = ids_in(mask & ~(1 << self.vocab.eos))
                if not ids:
                    return None
                token = self.chance.choice(ids)
            if not peer.adapter.commit(state, token):
                return None
            tokens.append(token)
        return None


def _is_utf8(piece):
    try:
        piece.decode("utf-8")
        return True
    except UnicodeDecodeError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokenizer", required=True, help="a tokenizer.json of byte-level BPE")
    parser.add_argument("--files", type=pathlib.Path, required=True, help="MaskBench files")
    parser.add_argument("--sample", type=int, default=60, help="how many of them (default 60)")
    parser.add_argument("--places", type=int, default=6, help="masks of an instance (default 6)")
    parser.add_argument("--tokens", type=int, default=4, help="tokens of a difference that are looked at (default 4)")
    parser.add_argument("--peers", default="llguidance,xgrammar", help="engines of mask_peers.py")
    parser.add_argument("--seed", type=int, default=1, help="default 1")
    arguments = parser.parse_args()
    base.need()
    try:
        import mask_peers
        vocab = mask_peers.Vocabulary(arguments.tokenizer)
        peers = [Peer(name, mask_peers.engine_of(name, vocab), (vocab.size + 31) // 32)
                 for name in arguments.peers.split(",")]
    except (ImportError, OSError) as error:
        base.skip(f"the peers are not here: {error}")
    proof = Proof(vocab, peers, arguments)
    files = sorted(glob.glob(str(arguments.files / "*.json")))
    for path in random.Random(20261129).sample(files, min(arguments.sample, len(files))):
        proof.file(path)
    for reason, count in sorted(proof.reasons.items()):
        print(f"  {count:7} {reason}")
    print(", ".join(f"{count} {what}" for what, count in sorted(proof.tally.items())))
    print(f"{sum(proof.reasons.values())} differences looked at, {proof.unexplained} unexplained")
    return 1 if proof.unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
