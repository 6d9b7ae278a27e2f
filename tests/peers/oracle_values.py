"""Reading of a line of `decant sample` for oracle.py: JSON texts, parameters, their types and their ranges.

Written from docs/sampling.md alone. Numbers stay texts until a parameter says what they are.
"""
import json, re, struct
from fractions import Fraction

INF, M32, M64, MIN_T = float("inf"), 2**32 - 1, 2**64 - 1, float.fromhex("0x1p-1022")
LINE = ("logits", "prompt_ids", "output_ids", "params", "preset", "seed", "draws", "id")
LISTS = ("allowed_token_ids", "banned_token_ids", "begin_suppress_tokens", "forced_token_ids")
BANS = ("no_repeat_ngram_size", "bad_words") + LISTS
PENALTIES = ("repetition_penalty", "frequency_penalty", "presence_penalty", "dry")
FILTERS, DRAWERS = ("top_k", "top_p", "min_p"), ("greedy", "categorical")
STAGES = ("logit_bias",) + PENALTIES + BANS + ("min_tokens", "temperature") + FILTERS
ALIAS = {"sampler_seed": "seed", "temp": "temperature", "sampler_priority": "samplers", "repeat_penalty": "repetition_penalty",
         "rep_pen": "repetition_penalty", "repeat_last_n": "repetition_window", "rep_pen_range": "repetition_window",
         "repetition_context_size": "repetition_window", "suppress_tokens": "banned_token_ids", "min_new_tokens": "min_tokens"}
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Num(str):
    """A JSON number (or NaN, Infinity, -Infinity) as its text."""


class Pairs(list):
    """A JSON object as its pairs, duplicates kept."""


class Bad(Exception): pass


def f32(x):
    try: return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError: return INF if x > 0 else -INF


def parse(text):
    return json.loads(text, parse_float=Num, parse_int=Num, parse_constant=Num, object_pairs_hook=Pairs)


# --- one value ---------------------------------------------------------------------------------------------------------
def in_range(x, ok, code="OutOfRange"):
    if not ok: raise Bad(code)
    return x


def real(v):
    return float(in_range(v, isinstance(v, Num), "WrongType"))


def integer(v):
    """The exact integer of a number in any spelling: 3, 3.0, 3e0."""
    if not (isinstance(v, Num) and NUMBER.fullmatch(v)): raise Bad("WrongType")
    q = Fraction(v)
    if q.denominator != 1: raise Bad("WrongType")
    return int(q)


def text(v):
    return in_range(v, type(v) is str, "WrongType")


def token(v):
    """An id of the history or of a list."""
    in_range(v, NUMBER.fullmatch(v) and Fraction(v).denominator == 1 and 0 <= Fraction(v) <= M32)
    return int(Fraction(v))


def numbers(v):
    return in_range(v, type(v) is list and all(isinstance(x, Num) for x in v), "WrongType")


def tokens(v):
    return [token(x) for x in numbers(v)]


def words(v):
    for w in in_range(v, type(v) is list, "WrongType"): numbers(w)            # types first, then ranges
    return [in_range(tokens(w), w != []) for w in v]


def texts(v):
    v = [v] if type(v) is str else in_range(v, type(v) is list, "WrongType")
    for w in v: text(w)
    return [in_range(w, w != "") for w in v]


def scope(v):
    return in_range(text(v), v in ("output", "window"))


def is_ban(v):
    return v is None or (v in ("-inf", "-Infinity") and not isinstance(v, Num))


def logit(v):
    return -INF if is_ban(v) else f32(real(v))


def bias(v):
    if not isinstance(v, Pairs): raise Bad("WrongType")
    if not all(re.fullmatch("[0-9]+", key) for key, _ in v): raise Bad("WrongType")
    if any(int(key) > M32 for key, _ in v): raise Bad("TokenOutOfRange")
    return [(int(key), -INF if is_ban(b) else real(b)) for key, b in v]


def samplers(v):
    names = v if isinstance(v, list) else v.split(",") if isinstance(v, str) and v else []
    if v is None or isinstance(v, (Num, Pairs)) or not all(type(n) is str for n in names): raise Bad("WrongType")
    names = [in_range(n.replace("-", "_"), n.replace("-", "_") in STAGES + DRAWERS) for n in names]
    return in_range(names, len(set(names)) == len(names))


def read_seed(v):
    s = int(v) if type(v) is str and re.fullmatch("-?[0-9]+", v) else integer(v)
    return in_range(s, s != -1 and -2**63 <= s <= M64) & M64


# --- parameters: how each is read, the stages it belongs to, its range, what it is when left out ------------------------
def bias_range(pairs):
    for _, b in pairs: in_range(b, b < INF)                                   # NaN and +inf fail here
    return in_range(True, len({i for i, _ in pairs}) == len(pairs), "Conflict")


def is_window(n): return n >= -1
def is_finite(x): return -INF < x < INF
def anything(_): return True


COUNTED = ("frequency_penalty", "presence_penalty")
PARAMS = {
    "logit_bias": (bias, ("logit_bias",), bias_range, []),
    "repetition_penalty": (real, ("repetition_penalty",), lambda x: 0 < x < INF, 1),
    "repetition_window": (integer, ("repetition_penalty",), is_window, -1),
    "frequency_penalty": (real, ("frequency_penalty",), is_finite, 0),
    "presence_penalty": (real, ("presence_penalty",), is_finite, 0),
    "penalty_scope": (scope, COUNTED, anything, "output"),
    "penalty_window": (integer, COUNTED, is_window, -1),
    "dry_multiplier": (real, ("dry",), lambda x: 0 <= x <= 1e6, 0),
    "dry_base": (real, ("dry",), lambda x: 1 <= x <= 100, 1.75),
    "dry_allowed_length": (integer, ("dry",), lambda n: n >= 1, 2),
    "dry_penalty_last_n": (integer, ("dry",), is_window, -1),
    "dry_sequence_breakers": (texts, ("dry",), anything, []),
    "dry_sequence_breaker_ids": (words, ("dry",), anything, []),
    "no_repeat_ngram_size": (integer, ("no_repeat_ngram_size",), lambda n: n >= 0, 0),
    "bad_words": (texts, ("bad_words",), anything, []),
    "bad_words_ids": (words, ("bad_words",), anything, []),
    **{name: (tokens, (name,), anything, []) for name in LISTS},
    "min_tokens": (integer, ("min_tokens",), lambda n: n >= 0, 0),
    "stop_token_ids": (tokens, (), anything, []),
    "temperature": (real, ("temperature",), lambda t: t == 0 or MIN_T <= t <= 1e6, 1),
    "top_k": (integer, ("top_k",), lambda k: k >= -1, 0),
    "top_p": (real, ("top_p",), lambda p: 0 < p <= 1, 1),
    "min_p": (real, ("min_p",), lambda p: 0 <= p <= 1, 0),
    "samplers": (samplers, (), anything, None),
    "seed": (read_seed, (), anything, None),
}
CODES = {"top_k": "InvalidTopK", "temperature": "InvalidTemperature"}


def check_range(stage, given):
    for name, (_, stages, accepts, _) in PARAMS.items():
        if name in given and stage in stages: in_range(stage, accepts(given[name]), CODES.get(name, "OutOfRange"))


def is_off(stage, p):
    """p: all parameters, those left out at their defaults."""
    if stage == "repetition_penalty": return p[stage] == 1 or p["repetition_window"] == 0
    if stage in COUNTED: return p[stage] == 0 or p["penalty_window"] == 0
    if stage == "dry": return p["dry_multiplier"] == 0 or p["dry_penalty_last_n"] == 0
    if stage == "bad_words": return not p["bad_words_ids"]
    if stage == "min_tokens": return p[stage] == 0 or not p["stop_token_ids"]
    if stage == "top_k": return p[stage] in (0, -1)
    return p[stage] == PARAMS[stage][3]
