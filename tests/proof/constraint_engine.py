"""What the constraint_*.py proofs share: decant's constraints over a vocabulary of one's own, and jsonschema-rs as judge.

    engine = Engine(tokens)                 tokens: bytes by id; the id after the last one ends a text
    place = engine.compile(schema).start()  Place: mask, accept, accepts, fork, roll_back, state, shortest_end
    judge = Judge(schema)                   judge.accepts(text): strict JSON, no key twice, and valid

A proof exits with 77 where jsonschema-rs or the library is absent, 1 on a difference, else 0.
"""
import ctypes
import decimal
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "peers"))
import decant_adapter as adapter  # noqa: E402

SKIPPED = 77
OPEN, MAY_END, MUST_END, DEAD = range(4)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def need():
    """Skips where something is absent that every proof here takes."""
    if not pathlib.Path(adapter.library_path()).exists():
        skip(f"no library {adapter.library_path()}; build it, or set DECANT_LIBRARY")
    try:
        import jsonschema_rs  # noqa: F401
    except ImportError:
        skip("no jsonschema-rs; pip install jsonschema-rs")


class Engine:
    """Grammars over a vocabulary."""

    def __init__(self, tokens):
        self.tokens = list(tokens)
        self.end = len(self.tokens)
        self.words = (self.end + 32) // 32
        self.vocabulary = adapter.vocabulary_of(self.tokens + [b""], [self.end], [self.end], self.end + 1)
        self.by_byte = {token[0]: i for i, token in enumerate(self.tokens) if len(token) == 1}
        self.library = ctypes.PyDLL(adapter.library_path())
        self.library.decant_constraint_free.restype = None

    def compile(self, schema, assert_formats=0):
        """Raises adapter.SchemaError, whose status says why."""
        text = schema if isinstance(schema, (bytes, str)) else json.dumps(schema)
        return Language(self, adapter.Grammar(self.vocabulary, text, adapter.schema_options(assert_formats)))


class Language:
    def __init__(self, engine, grammar):
        self.engine, self.grammar = engine, grammar

    def start(self):
        return Place(self, adapter.made(adapter.library().constraint_free, adapter.library().constraint_new,
                                        self.grammar.by))


class Place:
    """Where a text stands. Tokens go in by id, and write_bytes writes a text byte by byte."""

    __slots__ = ("language", "handle", "engine")

    def __init__(self, language, handle):
        self.language, self.handle, self.engine = language, handle, language.engine

    def _ask(self, name, *arguments):
        error = ctypes.c_void_p()
        adapter.library().check(
            getattr(self.engine.library, "decant_constraint_" + name)(self.handle.by, *arguments, ctypes.byref(error)),
            error)

    def fork(self):
        return Place(self.language, adapter.made(adapter.library().constraint_free, adapter.library().constraint_fork,
                                                 self.handle.by))

    def mask(self):
        """An int; bit t is token t."""
        row = (ctypes.c_uint32 * self.engine.words)()
        self._ask("fill_mask", row, ctypes.c_size_t(self.engine.words))
        return int.from_bytes(row, "little")

    def accept(self, token):
        return not self.engine.library.decant_constraint_accept(self.handle.by, ctypes.c_uint32(token), None)

    def accepts(self, tokens):
        """How many of the tokens would be accepted, one after the other; moves nothing."""
        count = ctypes.c_size_t()
        self._ask("validate", adapter.ids_of(tokens), ctypes.c_size_t(len(tokens)), ctypes.byref(count))
        return count.value

    def write_bytes(self, text):
        """Whether all of the text fits; moves on as far as it does."""
        ids = self.engine.by_byte
        return all(byte in ids and self.accept(ids[byte]) for byte in text)

    def is_text(self, text):
        """Whether the text may be written from here and ended; moves nothing."""
        ids = self.engine.by_byte
        if any(byte not in ids for byte in text):
            raise ValueError(f"the vocabulary lacks a byte of {text!r}")
        tokens = [ids[byte] for byte in text] + [self.engine.end]
        return self.accepts(tokens) == len(tokens)

    def roll_back(self, n):
        self._ask("roll_back", ctypes.c_size_t(n))

    def state(self):
        place = ctypes.c_uint32()
        self._ask("state", ctypes.byref(place))
        return place.value

    def may_end(self):
        return self.state() in (MAY_END, MUST_END)

    def is_proven(self):
        proven = ctypes.c_int()
        self._ask("is_proven", ctypes.byref(proven))
        return proven.value == 1

    def shortest_end(self):
        """Bytes; None when the search ran out of budget."""
        text, size = ctypes.c_void_p(), ctypes.c_size_t()
        self._ask("shortest_end", ctypes.byref(text), ctypes.byref(size))
        return ctypes.string_at(text.value, size.value) if text.value else None


class NotJson(ValueError):
    """A text that is not the JSON that decant writes."""


class Undecided(ValueError):
    """A number too large or small to expand: the judge is not asked."""


def _no_key_twice(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise NotJson("a key twice")
    return members


def _no_constant(name):
    raise NotJson(name)


def _exact(text):
    """Of a number with a fraction or an exponent."""
    digits, _, exponent = text.lower().partition("e")
    if not digits.strip("-0."):
        return decimal.Decimal(0)
    if len(text) > 1000 or abs(int(exponent or 0)) > 1000:
        raise Undecided(text)
    return decimal.Decimal(_finite(text))


def _whole(text):
    if len(text) > 1000:
        raise Undecided(text)
    return int(_finite(text))


def _finite(text):
    if math.isinf(float(text)):
        raise NotJson(f"{text} is not finite as a double")
    return text


def read_json(text):
    """The value of a JSON text (bytes) that has no white space around it, its numbers exact; NotJson otherwise."""
    if text[:1].isspace() or text[-1:].isspace():
        raise NotJson("white space around the value")
    try:
        value = json.loads(text.decode("utf-8"), object_pairs_hook=_no_key_twice, parse_constant=_no_constant,
                           parse_float=_exact, parse_int=_whole)
        if b"\\u" in text:  # half a surrogate pair is no text, and UnicodeEncodeError a ValueError
            json.dumps(value, ensure_ascii=False, default=str).encode("utf-8")
        return value
    except Undecided:
        raise
    except (ValueError, RecursionError) as error:
        raise NotJson(str(error)) from error


class Judge:
    """jsonschema-rs on one schema; it computes exactly what it is given as Python's Decimal."""

    def __init__(self, schema, formats=False):
        import jsonschema_rs

        text = schema if isinstance(schema, str) else json.dumps(schema)
        self._is_valid = jsonschema_rs.validator_for(text, validate_formats=formats).is_valid

    def takes(self, value):
        return self._is_valid(value)

    def accepts(self, text):
        """Undecided where a number is beyond reach."""
        try:
            return self.takes(read_json(text))
        except NotJson:
            return False
