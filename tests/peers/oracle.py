#!/usr/bin/env python3
"""An independent oracle for `decant sample` (preset native), written from docs/determinism.md and docs/sampling.md alone.

Integers, fractions and f64 + - * / only; `struct` rounds to f32. It shares no code with decant.

  oracle.py --self-test
  oracle.py --make N --seed S > cases.jsonl
  oracle.py --compare cases.jsonl decant_output.jsonl
  oracle.py --decant BIN [--count N] [--seed S]      all in one, through `BIN sample`
  oracle.py < cases.jsonl                            the expected output (error messages empty)
"""
import argparse, bisect, decimal, json, random, re, struct, subprocess, sys
from fractions import Fraction

fh = float.fromhex
INF, M32, M64 = float("inf"), 2**32 - 1, 2**64 - 1
LOG2E, TWO_OVER_LN2, SQRT2 = fh("0x1.71547652b82fep+0"), fh("0x1.71547652b82fep+1"), fh("0x1.6a09e667f3bcdp+0")
MAX64, MIN_T = fh("0x1.fffffffffffffp+1023"), fh("0x1p-1022")
E = [fh(x) for x in ("0x1p+0 0x1.62e42fefa39efp-1 0x1.ebfbdff82c58fp-3 0x1.c6b08d704a0cp-5 0x1.3b2ab6fba4e77p-7 "
                     "0x1.5d87fe78a6731p-10 0x1.430912f86c787p-13").split()]
T16 = [fh("0x1." + x + "p+0") for x in (
    "0 0b5586cf9890f 172b83c7d517b 2387a6e756238 306fe0a31b715 3dea64c123422 4bfdad5362a27 5ab07dd485429 6a09e667f3bcd "
    "7a11473eb0187 8ace5422aa0db 9c49182a3f09 ae89f995ad3ad c199bdd85529c d5818dcfba487 ea4afa2a490da").split()]


# --- functions of determinism.md ---------------------------------------------------------------------------------------
def scale(x, n):
    """x * 2^n; the last step alone may round."""
    while n > 1000: x, n = x * float(1 << 1000), n - 1000
    while n < -1000: x, n = x / float(1 << 1000), n + 1000
    return x * float(1 << n) if n >= 0 else x / float(1 << -n)


def exp2(g):
    if g >= 1024: return INF
    if g < -1080: return 0.0
    k = round(16 * g)                                    # Python's round: to nearest, ties to even, an int
    r = g - k / 16
    p = E[6]
    for i in (5, 4, 3, 2, 1, 0): p = E[i] + r * p
    return scale(T16[k % 16] * p, k // 16)


def log2(x):                                             # the entropy and the race use it; here for the known answers
    num, den = x.as_integer_ratio()
    e = num.bit_length() - den.bit_length()
    m = Fraction(num, den) / (Fraction(2)**e)
    if m < 1: m, e = m * 2, e - 1
    m = float(m)                                         # exact
    if m > SQRT2: m, e = m / 2, e + 1
    f = (m - 1) / (m + 1)
    s = f * f
    p = 1.0 / 21                                         # L[k] = RN(1/(2k+1))
    for k in range(9, -1, -1): p = 1.0 / (2 * k + 1) + s * p
    return float(e) + (TWO_OVER_LN2 * f) * p


def f32(x):
    try: return struct.unpack("<f", struct.pack("<f", x))[0]
    except OverflowError: return INF if x > 0 else -INF


def philox(ctr, key):
    c0, c1, c2, c3 = ctr
    k0, k1 = key
    for i in range(10):
        if i: k0, k1 = (k0 + 0x9E3779B9) & M32, (k1 + 0xBB67AE85) & M32
        a, b = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (b >> 32) ^ c1 ^ k0, b & M32, (a >> 32) ^ c3 ^ k1, a & M32
    return c0, c1, c2, c3


def bits53(seed, position, sequence):
    o = philox((position & M32, sequence, 0, 0), (seed & M32, seed >> 32))
    return ((o[1] << 32) | o[0]) >> 11


# --- reading a line ----------------------------------------------------------------------------------------------------
class Num(str):
    """A JSON number (or NaN, Infinity, -Infinity) as its text."""


class Pairs(list):
    """A JSON object as its pairs, duplicates kept."""


class Bad(Exception): pass


LINE = ("logits", "prompt_ids", "output_ids", "params", "preset", "seed", "draws", "id")
FILTERS, STAGES = ("top_k", "top_p", "min_p"), ("logit_bias", "temperature", "top_k", "top_p", "min_p")
DRAWERS = ("greedy", "categorical")
ALIAS = {"sampler_seed": "seed", "temp": "temperature", "sampler_priority": "samplers"}
NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def parse(text):
    return json.loads(text, parse_float=Num, parse_int=Num, parse_constant=Num, object_pairs_hook=Pairs)


def real(v):
    if not isinstance(v, Num): raise Bad("WrongType")
    return float(v)


def integer(v):
    """The exact integer of a number in any spelling: 3, 3.0, 3e0."""
    if not (isinstance(v, Num) and NUMBER.fullmatch(v)): raise Bad("WrongType")
    q = Fraction(v)
    if q.denominator != 1: raise Bad("WrongType")
    return int(q)


def in_range(x, ok, code="OutOfRange"):
    if not ok: raise Bad(code)
    return x


def is_ban(v):
    return v is None or (v in ("-inf", "-Infinity") and not isinstance(v, Num))


def read_bias(v):
    if not isinstance(v, Pairs): raise Bad("WrongType")
    if not all(re.fullmatch("[0-9]+", key) for key, _ in v): raise Bad("WrongType")
    if any(int(key) >= 2**32 for key, _ in v): raise Bad("TokenOutOfRange")
    return [(int(key), -INF if is_ban(b) else real(b)) for key, b in v]


def read_samplers(v):
    names = v if isinstance(v, list) else v.split(",") if isinstance(v, str) and v else []
    if v is None or isinstance(v, (Num, Pairs)) or not all(type(n) is str for n in names): raise Bad("WrongType")
    names = [in_range(n.replace("-", "_"), n.replace("-", "_") in STAGES + DRAWERS) for n in names]
    return in_range(names, len(set(names)) == len(names))


def read_seed(v):
    s = int(v) if isinstance(v, str) and not isinstance(v, Num) and re.fullmatch("-?[0-9]+", v) else integer(v)
    return in_range(s, s != -1 and -2**63 <= s <= M64) & M64


READ = {"logit_bias": read_bias, "samplers": read_samplers, "top_k": integer, "temperature": real, "top_p": real, "min_p": real, "seed": read_seed}


def check_bias(pairs):
    for _, b in pairs: in_range(b, b < INF)                                   # NaN and +inf fail here
    in_range(pairs, len({i for i, _ in pairs}) == len(pairs), "Conflict")


CHECK = {
    "logit_bias": check_bias, "top_k": lambda k: in_range(k, k >= -1, "InvalidTopK"),
    "temperature": lambda t: in_range(t, t == 0 or MIN_T <= t <= 1e6, "InvalidTemperature"),
    "top_p": lambda p: in_range(p, 0 < p <= 1), "min_p": lambda p: in_range(p, 0 <= p <= 1),
}
OFF = {"logit_bias": ([],), "temperature": (1,), "top_k": (0, -1), "top_p": (1,), "min_p": (0,)}


def read_logit(v):
    return -INF if is_ban(v) else f32(real(v))


def sample_line(line, seed=0):
    """The object that `decant sample --seed SEED` answers to one line; of an error only its code."""
    try: pairs = parse(line)
    except ValueError: pairs = None
    if not isinstance(pairs, Pairs): return {"id": None, "error": {"code": "InvalidJson"}}
    obj = dict(pairs)                                                         # the last of two equal keys counts
    try: return run(obj, seed)
    except Bad as e: return {"id": obj.get("id"), "error": {"code": str(e)}}


def run(obj, seed):
    if any(k not in LINE for k in obj): raise Bad("UnknownParameter")
    row, given = obj.get("logits", []), obj.get("params", Pairs())
    if type(row) is not list or not isinstance(given, Pairs): raise Bad("WrongType")
    row = [read_logit(v) for v in row]
    before = [obj.get("prompt_ids", []), obj.get("output_ids", [])]
    if any(type(b) is not list for b in before): raise Bad("WrongType")
    for v in before[0] + before[1]:
        if not isinstance(v, Num): raise Bad("WrongType")
        in_range(v, NUMBER.fullmatch(v) and Fraction(v).denominator == 1 and 0 <= Fraction(v) < 2**32)
    given = [(ALIAS.get(k.replace("-", "_"), k.replace("-", "_")), v) for k, v in given]
    if any(k not in READ for k, _ in given): raise Bad("UnknownParameter")
    preset = obj.get("preset", "native")
    if type(preset) is not str: raise Bad("WrongType")
    if preset != "native": raise Bad("UnknownPreset")                         # this oracle has no preset `reference`
    params = {}
    for k, v in given:
        v = READ[k](v)
        if k in params and params[k] != v: raise Bad("Conflict")
        params[k] = v
    if "seed" in obj:
        if params.get("seed", read_seed(obj["seed"])) != read_seed(obj["seed"]): raise Bad("Conflict")
        seed = read_seed(obj["seed"])
    seed = params.pop("seed", seed)
    draws = in_range(*(lambda d: (d, 1 <= d <= 1048576))(integer(obj.get("draws", Num("1")))))
    order = params.pop("samplers", list(STAGES) + ["categorical"])
    if any(n in DRAWERS for n in order[:-1]) or any(k not in order for k in params): raise Bad("Conflict")
    for k in order:
        if k in params: CHECK[k](params[k])
    drawer = order[-1] if order and order[-1] in DRAWERS else "categorical"
    chain = [k for k in order if k in params and params[k] not in OFF[k]]
    # the row
    if not row: raise Bad("EmptyLogits")
    if len(row) > 524288: raise Bad("VocabularyTooLarge")
    bias = dict(params.get("logit_bias", []))
    if any(i >= len(row) for i in bias): raise Bad("TokenOutOfRange")
    if not all(x < INF for x in row): raise Bad("NonFiniteLogit")             # +inf and NaN
    biased = {i: -INF if -INF in (row[i], b) else f32(row[i] + b) for i, b in bias.items()}
    if any(x in (INF, -INF) and -INF not in (row[i], bias[i]) for i, x in biased.items()): raise Bad("NonFiniteLogit")
    return chain_run(obj, row, chain, params, biased, drawer, seed, draws, len(before[0]) + len(before[1]))


# --- the chain ---------------------------------------------------------------------------------------------------------
def weights(scores, cand, temp, memo):
    """cand in canonical order -> its integer weights, Z."""
    c, top, w = min(LOG2E / temp, MAX64), scores[cand[0]], []
    for i in cand:
        gap = (scores[i] - top) * c
        if gap not in memo: memo[gap] = 0 if gap < -46 else round(scale(exp2(gap), 44))
        w.append(memo[gap])
    return w, sum(w)


def chain_run(obj, scores, chain, params, biased, drawer, seed, draws, position):
    rank = lambda ids: sorted(ids, key=lambda i: (-scores[i], i))
    cand = rank(i for i, x in enumerate(scores) if x > -INF)
    zero, temp, stages, memo = params.get("temperature") == 0, 1.0, [], {}
    if not cand: raise Bad("EmptySupport")
    for name in chain:
        was, mass, p = cand, 0.0, params[name]
        if name == "logit_bias":
            for i, x in biased.items(): scores[i] = x
            cand = rank(i for i in cand if scores[i] > -INF)
        elif name == "temperature": temp = temp * p
        elif not zero:
            w, z = weights(scores, cand, temp, memo)
            if name == "top_k": keep = range(min(p, len(cand)))
            elif name == "top_p":
                need, s, n = round(p * 2.0**53) * z, 0, 0
                while s << 53 < need: s, n = s + w[n], n + 1
                keep = range(n)
            else: keep = [j for j in range(len(cand)) if w[j] << 9 >= round(p * 2.0**53)]
            keep = keep or [0]
            cand, mass = [was[j] for j in keep], (z - sum(w[j] for j in keep)) / z      # int / int rounds once
        if not cand: raise Bad("EmptySupport")
        stages.append({"name": name, "kept": len(cand), "removed": len(was) - len(cand), "removed_mass": mass})
        if zero and name in FILTERS: stages[-1]["skipped"] = True
    out = {"id": obj.get("id"), "token": cand[0], "tokens": [cand[0]] * draws, "kept": cand, "support": [cand[0]], "probs": [1.0],
           "stages": stages, "draw": {"kind": "greedy"}}
    if zero: return out
    ws, z = weights(scores, cand, temp, memo)
    own = sorted((i, x) for i, x in zip(cand, ws) if x > 0)
    out["support"], out["probs"] = [i for i, _ in own], [x / z for _, x in own]
    if drawer == "greedy": return out
    ends, s = [], 0
    for _, x in own: s += x; ends.append(s)
    for q in range(draws):
        r = bits53(seed, position, q)
        t = r * z >> 53
        j = bisect.bisect_right(ends, t)                                      # the first prefix sum above t
        out["tokens"][q] = own[j][0]
        if q == 0:
            lo, hi = ends[j] - own[j][1], ends[j]
            out["token"], out["draw"] = own[j][0], {"kind": "inverse_cdf", "r": str(r), "t": str(t), "z": str(z), "lo": str(lo),
                "hi": str(hi), "u": r / 2**53, "interval": [lo / z, hi / z]}
    return out


# --- cases -------------------------------------------------------------------------------------------------------------
def number(R, x):
    """One of several spellings near x."""
    k = R.randrange(9)
    if k == 0: return str(round(x))
    if k == 1: return "%.2f" % x
    if k == 2: return "%.3E" % x
    if k == 3: return repr(f32(x))
    if k == 4: return format(decimal.Decimal(x), "f")
    if k == 5 and abs(x) > 1e-30:                                             # a tie of f32 that only two roundings make
        a = struct.unpack("<I", struct.pack("<f", x))[0]
        mid = (f32(x) + struct.unpack("<f", struct.pack("<I", a + 1))[0]) / 2
        with decimal.localcontext() as c:
            c.prec = 200
            return format(decimal.Decimal(mid) * (1 + decimal.Decimal(R.choice((-1, 0, 1))) / 10**30), "f")
    return repr(x)


WILD = ("1e-400 -1e-400 -0.0 0 -0 1E5 1e+2 1e-45 7e-46 1.401298464324817e-45 -1.1754943508222875e-38 1.1754942807573643e-38 4.9e-324 "
        "3.4028234663852886e38 -3.4028234663852886e38 3.4028235677973361e38 -3.4028235677973365e38 -3.4028235677973366e38 "
        "-3.4028235677973367e38 -1e39 -1e400 -1.7976931348623159e308 88.7 -745.2 1e30 -1e30 16777217 33554435 "
        "0.1000000000000000055511151231257827").split()
WILD_T = ("2.2250738585072014e-308 2.2250738585072014E-308 1e-300 1e-45 1e-7 1e6 1000000 1E6 999999.9999 0.001 1e-400 0e5 -0.0 "
          "1000000.00000000000000001 1.0000000000000002 0.9999999999999999 65536 1e-30").split()
SEEDS = ("0 1 7 -2 -3 -9223372036854775808 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551614 4294967295 "
         "4294967296 -4294967296 1e3 3.0 12e1 1.8446744073709551615e19 -0").split()
IDS = ('null "a" 7 "\\u00e9\\n\\"" [1,{"b":null}] {"k":[true,false]} -1.50 1e5 123456789012345678901234567890 "" true'.split(" "))
TOO_BIG = ("NaN", "Infinity", "1e400", "1e39", "3.4028235677973366e38", "3.40282356779733661e38", "1.7976931348623159e308")
ERR_LINE = ['{', '[1,2]', '"x"', '7', 'null', '{"logits":[1,2]', '{"logits":[1,]}', '{"logits":[01]}', '{"logits":[+1]}', '{"logits":[.5]}',
            '{"logits":[1.]}', '{"logits":[1 2]}', "{'logits':[1]}", '{"logits":[1]}}', '{"logits":[nan]}', 'hello', '{"logits":[1],}',
            '{"logits":[1e]}', '{logits:[1]}', '{"logits":[1]} x', '{"logits":[-]}', '{"logits":[1],"id":"a\tb"}']
ERR_KEY = ['"logitz":[1]', '"Seed":1', '"params":[]', '"params":7', '"params":{"topk":3}', '"params":{"temperatur":1}', '"params":{"seed":1}',
           '"params":{"typical_p":0.5}', '"preset":"nativ"', '"preset":""', '"preset":7', '"seed":-1', '"seed":"-1"', '"seed":18446744073709551616',
           '"seed":"18446744073709551616"', '"seed":1e20', '"seed":1.5', '"seed":"x"', '"seed":""', '"seed":true', '"seed":[1]', '"seed":null',
           '"draws":0', '"draws":-1', '"draws":1048577', '"draws":1.5', '"draws":"x"', '"draws":null', '"logits":7', '"logits":{}',
           '"logits":[]', '"logits":[1,true]', '"logits":[1,"x"]', '"logits":[[1]]', '"prompt_ids":7', '"output_ids":"x"']
ERR_PARAM = ['"temperature":-1', '"temperature":NaN', '"temperature":Infinity', '"temperature":1e400', '"temperature":-Infinity',
             '"temperature":2.2250738585072009e-308', '"temperature":5e-324', '"temp":1000000.1', '"temperature":"warm"', '"temp":null',
             '"temperature":true', '"temperature":[1]', '"temperature":{}', '"temperature":-1e-5', '"temperature":""', '"top_k":-2',
             '"top_k":-2.0', '"top-k":"-3"', '"top_k":40.5', '"top_k":"many"', '"top_k":null', '"top_k":false', '"top_k":[]', '"top_k":1e-1',
             '"top_p":0', '"top_p":-0.0', '"top_p":1e-400', '"top_p":1.3', '"top_p":-0.1', '"top_p":NaN', '"top_p":Infinity',
             '"top_p":1.0000000000000003', '"top_p":"x"', '"top_p":null', '"top_p":[0.5]', '"min_p":-0.1', '"min_p":1.5', '"min-p":NaN',
             '"min_p":"x"', '"min_p":null', '"logit_bias":[1]', '"logit_bias":7', '"logit_bias":null', '"logit_bias":{"0":NaN}',
             '"logit_bias":{"0":Infinity}', '"logit_bias":{"0":1e400}', '"logit_bias":{"0":null}', '"logit_bias":{"0":"x"}',
             '"logit_bias":{"0":true}', '"logit_bias":{"0":1,"0":2}', '"logit_bias":{"0":1,"00":1}', '"logit_bias":{"0":1,"0":1}',
             '"logit_bias":{"524288":1}', '"logit_bias":{"99999999999999999999":0}', '"logit_bias":{"0":1e300}', '"logit_bias":{"0":-1e300}',
             '"logit_bias":{"0":-1.7976931348623157e308}', '"temperature":0.5,"temp":0.6', '"top_k":3,"top-k":4', '"top_k":3,"top_k":4',
             '"top_p":0.5,"top_p":0.25', '"samplers":7', '"samplers":null', '"samplers":[1]', '"samplers":{}', '"samplers":["top_q"]',
             '"samplers":"top_k,nope"', '"samplers":["top_k","top_k"]', '"samplers":["greedy","top_k"]', '"samplers":["categorical","greedy"]',
             '"top_k":3,"samplers":["top_p"]', '"temperature":0.5,"samplers":"top_k"', '"top_p":0.5,"min_p":0.1,"samplers":["min_p"]',
             '"samplers":["top_k"],"sampler_priority":["top_p"]']


def make_case(R):
    kind = R.choices(("plain", "ties", "wild", "bans", "error"), (50, 20, 10, 10, 10))[0]
    V = R.randint(1000, 5000) if R.random() < 0.02 else R.choice((R.randint(1, 8), R.randint(1, 40), R.randint(1, 200)))
    spread = R.choice((1, 4, 10, 30))
    if kind == "ties": logits = [str(R.randint(-3, 3)) + R.choice(("", "", ".0", "e0")) for _ in range(V)]
    elif kind == "wild" and R.random() < 0.3: logits = [R.choice(WILD) for _ in range(V)]
    else: logits = [number(R, spread * (R.random() + R.random() + R.random() - 1.5)) for _ in range(V)]
    if kind == "ties" and R.random() < 0.3: logits = [str(R.choice((0, -1, -2, -1, -2, -43, -44, -45, -46, -47))) for _ in range(V)]
    if kind == "wild":
        for _ in range(R.randint(0, V)): logits[R.randrange(V)] = R.choice(WILD)
        if R.random() < 0.03: logits[R.randrange(V)] = R.choice(TOO_BIG)
    if kind == "bans" or R.random() < 0.05:
        for _ in range(R.randint(1, V) if R.random() < 0.3 else V // 3): logits[R.randrange(V)] = R.choice(("null", '"-inf"', "-Infinity"))
    params, given = [], []

    def put(name, text, alias=None):
        given.append(name)
        spelled = R.choice((name, name, name, name.replace("_", "-"), alias or name))
        params.append('"%s":%s' % (spelled, '"%s"' % text if R.random() < 0.005 and NUMBER.fullmatch(text) else text))

    if R.random() < 0.3:
        ids = R.sample(range(V), R.randint(0, min(V, 6)))
        put("logit_bias", "{%s}" % ",".join('"%s%d":%s' % (R.choice(("", "", "0")), i, R.choice((number(R, 6 * R.random() - 3), '"-inf"',
            "-Infinity", '"-Infinity"', "-1e400", "0", "-0.0", "1e-400", "2", "1.5", "null", "-1e30", "1e-9"))) for i in ids))
    if R.random() < 0.6:
        t = R.choice(("0", "0.0", "1", "1.0", "0.8", "0.5", "2", "1.4426950408889634", "1.4426950408889634", repr(R.random() * 3 + 0.01)))
        put("temperature", R.choice(WILD_T) if kind == "wild" or R.random() < 0.05 else t, "temp")
    if R.random() < 0.45:
        k = R.choice((R.randint(1, V), R.randint(1, 10), R.randint(-1, 0), 40, 10**12))
        put("top_k", R.choice((str(k), str(k), "%d.0" % k, "%de0" % k, "%d0e-1" % k)))
    if R.random() < 0.45: put("top_p", R.choice(("0.25", "0.5", "0.75", "0.9", "0.95", "1", "1.0", "1e-300", "1e-17", "0.99999999999999989",
                                                 "9E-1", repr(R.random() or 0.5))))
    if R.random() < 0.45: put("min_p", R.choice(("0", "0.5", "0.25", "0.125", "1", "1e-300", "1e-400", "-0.0", "0.05", repr(2.0**-R.randint(1, 54)),
                                                 repr(R.random()), repr(R.random()**8))))
    if R.random() < 0.02 and given and "logit_bias" not in given: params.append(R.choice(params))          # twice, but equal
    if R.random() < 0.25:
        names = list(dict.fromkeys(given + R.sample(STAGES, R.randint(0, 2))))
        R.shuffle(names)
        names += R.choice(([], ["categorical"], ["greedy"]))
        names = [n.replace("_", "-") if R.random() < 0.1 else n for n in names]
        if names and R.random() < 0.4: params.append('"samplers":"%s"' % ",".join(names))
        else: params.append('"%s":%s' % (R.choice(("samplers", "sampler_priority")), json.dumps(names)))
    if kind == "error":
        k = R.choice((0, 1, 2, 3, 4, 5, 6, 6, 6, 6, 7, 7, 7, 7))
        if k == 0: return R.choice(ERR_LINE)
        if k == 1: logits[R.randrange(V)] = R.choice(TOO_BIG)
        if k == 2: logits = [R.choice(("null", '"-inf"', "-Infinity", "-1e39")) for _ in range(V)]
        if k == 3: params, logits = ['"logit_bias":{%s}' % ",".join('"%d":"-inf"' % i for i in range(V))], logits
        if k == 4: logits = []
        if k == 5: params = ['"logit_bias":{"%d":%s}' % (V + R.choice((0, 1, 1000)), R.choice(("0", "1.5", '"-inf"')))]
        if k == 6: params = [R.choice(ERR_PARAM)]
        if k == 7: logits = R.choice((logits, ["NaN"], [], ["null"]))
        if k == 6 and R.random() < 0.3: logits = R.choice((["NaN"], [], ["null"], ["1", "Infinity"]))
    R.shuffle(params)
    keys = ['"logits":[%s]' % ",".join(logits)]
    if params or R.random() < 0.3: keys.append('"params":{%s}' % ",".join(params))
    for name in ("prompt_ids", "output_ids"):
        if R.random() < 0.5: keys.append('"%s":%s' % (name, json.dumps([R.randrange(200000) for _ in range(R.choice((0, 1, 3, 9, 40)))])))
    if R.random() < 0.7:
        s = R.choice(SEEDS + [str(R.getrandbits(64)), str(R.getrandbits(20)), str(-R.getrandbits(60) - 2)])
        keys.append('"seed":' + ('"%s"' % s if s.lstrip("-").isdigit() and s != "-0" and R.random() < 0.4 else s))
    if R.random() < 0.4: keys.append('"draws":' + R.choice(("1", "2", "3", "4", "5", "5", "3.0", "2e0")))
    if R.random() < 0.6: keys.append('"id":' + R.choice(IDS + ['"c%d"' % R.getrandbits(30)] * 9))
    if R.random() < 0.3: keys.append('"preset":"native"')
    R.shuffle(keys)
    if R.random() < 0.02: keys.insert(0, R.choice(('"draws":2', '"seed":3', '"id":"first"', '"logits":[1,2]')))    # the last one counts
    if kind == "error" and k == 7: keys.append(R.choice(ERR_KEY))
    return R.choice(("{%s}", "{%s}", " {%s} ", "{ %s }")) % ",".join(keys)


def make(count, seed):
    R, fixed = random.Random(seed), []
    if count >= 1000:                                                         # every error at least once, then chance
        fixed = ERR_LINE + ['{"logits":[1,2,3],"id":"k%d",%s}' % x for x in enumerate(ERR_KEY)]
        fixed += ['{"logits":[1,2,3],"id":"p%d","params":{%s}}' % x for x in enumerate(ERR_PARAM)]
        fixed += ['{"logits":[1,%s,3],"id":"l%d"}' % (x, n) for n, x in enumerate(TOO_BIG)]
        fixed += ['{"logits":[%s],"id":"v"}' % ",".join(["0"] * 524289), '{"id":"none"}', "{}"]
    return fixed + [make_case(R) for _ in range(count - len(fixed))]


# --- comparing ---------------------------------------------------------------------------------------------------------
def digits(text):
    return len(re.sub(r"[eE].*|[-.]", "", text).strip("0"))


def same(want, got, path=""):
    """None, or where and how they differ."""
    diff = "%s: oracle %s, decant %s" % (path or "line", repr(want)[:300], repr(got)[:300])
    if isinstance(want, dict):
        if not isinstance(got, Pairs): return diff
        keys = [k for k, _ in got]
        if sorted(keys) != sorted(want): return "%s keys: oracle %s, decant %s" % (path or "line", sorted(want), sorted(keys))
        return next(filter(None, (same(want[k], v, path + "." + k) for k, v in got)), None)
    if isinstance(want, (list, tuple)):
        if not isinstance(got, (list, tuple)) or len(want) != len(got): return diff
        return next(filter(None, (same(a, b, "%s[%d]" % (path, n)) for n, (a, b) in enumerate(zip(want, got)))), None)
    if type(want) in (int, float):
        if not isinstance(got, Num) or float(got) != want or (type(want) is int and got != str(want)): return diff
        if digits(got) > digits(repr(want)): return path + ": not the fewest digits: " + got
        return None
    return None if type(want) is type(got) and want == got else diff


def check(line, answer):
    want = sample_line(line)
    try: got = parse(answer)
    except ValueError: return want, "not JSON"
    if "error" in want and isinstance(got, Pairs) and isinstance(dict(got).get("error"), Pairs):
        error = dict(got)["error"]                                            # the message is free, but has to be there
        if not isinstance(dict(error).get("message"), str): return want, "an error without a message"
        got = Pairs((k, Pairs(x for x in v if x[0] != "message") if k == "error" else v) for k, v in got)
    return want, same(want, got)


def answer_line(line):
    """What decant would print, but for the message of an error."""
    out = sample_line(line)
    if "error" in out: out["error"]["message"] = ""
    raw = lambda v: v if isinstance(v, Num) else "{%s}" % ",".join(json.dumps(k) + ":" + raw(x) for k, x in v) if isinstance(v, Pairs) \
        else "[%s]" % ",".join(map(raw, v)) if isinstance(v, list) else json.dumps(v)
    return '{"id":%s,%s' % (raw(out.pop("id")), json.dumps(out, separators=(",", ":"))[1:])


def compare(cases, answers, show=5):
    cases = [c for c in cases if c.strip()]                                   # empty lines are passed over
    failed = abs(len(cases) - len(answers))
    if failed: print("%d cases, %d answers" % (len(cases), len(answers)))
    passed = 0
    for n, (line, answer) in enumerate(zip(cases, answers)):
        want, diff = check(line, answer)
        if diff is None: passed += 1; continue
        failed += 1
        if failed <= show:
            print("case %d: %s\n  case   %s\n  oracle %s\n  decant %s" % (n + 1, diff, line[:2000], json.dumps(want)[:2000], answer[:2000]))
    print("%d passed, %d failed" % (passed, failed))
    return failed == 0


def self_test():
    for ctr, key, out in (((0,) * 4, (0, 0), "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
                          ((M32,) * 4, (M32, M32), "408f276d 41c83b0e a20bc7c6 6d5451fd"),
                          ((0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344), (0xa4093822, 0x299f31d0), "d16cfe09 94fdcceb 5001e420 24126ea1"),
                          ((5, 0, 0, 0), (7, 0), "56af56bc 5613c9b1 e4c7f903 b825d37c"),
                          ((5, 1, 2, 3), (0x89abcdef, 0x01234567), "d505de27 b088202b 2a6b6d81 878cfd20")):
        assert " ".join("%08x" % x for x in philox(ctr, key)) == out, out
    assert bits53(7, 5, 0) == 3028575622714858
    for n in range(-1074, 1024): assert exp2(float(n)) == float(Fraction(2)**n) and log2(exp2(float(n))) == n
    assert exp2(1024.0) == INF and exp2(-1081.0) == exp2(-INF) == 0
    for g, x in ((0.5, "0x1.6a09e667f3bcdp+0"), (-0.1, "0x1.ddb680117ab11p-1"), (1023.99, "0x1.fc769e9b9c396p+1023"),
                 (-1022.7, "0x0.9d9623dffc13dp-1022"), (1 * LOG2E, "0x1.5bf0a8b145769p+1"), (-20 * LOG2E, "0x1.1b48655f37263p-29")):
        assert exp2(g) == fh(x), g
    for v, x in ((3.0, "0x1.95c01a39fbd68p+0"), (10.0, "0x1.a934f0979a371p+1"), (0.7, "-0x1.0776228967d13p-1")): assert log2(v) == fh(x), v
    assert f32(exp2(-1.0 * LOG2E)) == fh("0x1.78b564p-2") and f32(exp2(f32(0.3) * LOG2E)) == fh("0x1.59905ap+0")
    assert f32(3.4028235677973366e38) == INF and f32(3.4028235677973362e38) < INF and f32(7e-46) == 0 and f32(1 + 2**-24) == 1
    _, diff = check('{"logits":[0,1,1,2],"prompt_ids":[5,6,7],"output_ids":[8,9],"params":{"top_k":3},"preset":"native","seed":7,"draws":1,"id":"a"}',
        '{"id":"a","token":2,"tokens":[2],"kept":[3,1,2],"support":[1,2,3],"probs":[0.21194155761708913,0.21194155761708913,0.5761168847658217],'
        '"stages":[{"name":"top_k","kept":3,"removed":1,"removed_mass":0.07232948812850608}],"draw":{"kind":"inverse_cdf","r":"3028575622714858",'
        '"t":"10267337964793","z":"30535793186424","lo":"6471803571004","hi":"12943607142008","u":0.33623943881565066,'
        '"interval":[0.21194155761708913,0.42388311523417826]}}')
    assert diff is None, diff
    got = sample_line('{"logits":[0,1,1,2],"prompt_ids":[1,2,3,4,5],"params":{"temperature":0.8,"top_p":0.9,"logit_bias":{"0":2.5,"3":"-inf"}},"seed":7}')
    assert got["token"] == 0 and got["kept"] == [0, 1, 2] and got["draw"]["z"] == "22987884259558" and got["draw"]["t"] == "7729433302992"
    assert got["draw"]["hi"] == "17592186044416" and [s["removed"] for s in got["stages"]] == [1, 0, 0]
    row = '{"logits":[0,0,0,0],"params":{%s}}'
    for text, kept in (('"top_p":0.5', [0, 1]), ('"top_p":0.51', [0, 1, 2]), ('"top_p":1e-300', [0]), ('"min_p":1', [0, 1, 2, 3]), ('"top_k":2', [0, 1])):
        assert sample_line(row % text)["kept"] == kept, text
    for text, code in (('"top_k":40.5', "WrongType"), ('"top_k":-2', "InvalidTopK"), ('"temp":1e7', "InvalidTemperature"), ('"top_p":0', "OutOfRange"),
                       ('"logit_bias":{"4":0}', "TokenOutOfRange"), ('"top_k":3,"samplers":[]', "Conflict"), ('"logit_bias":{"1":4e38}', "NonFiniteLogit")):
        assert sample_line(row % text)["error"]["code"] == code, text
    seen = [sample_line(c) for c in make(1000, 1)]
    assert len({o["error"]["code"] for o in seen if "error" in o}) == 13 and sum("error" not in o for o in seen) > 600
    cases = make(1000, 2)
    answers = [answer_line(c) for c in cases]
    assert all(check(c, a)[1] is None for c, a in zip(cases, answers))
    for old, new in (('"token":', '"token":9'), ('"z":"', '"z":"1'), ('"kept":[', '"kept":[9,'), ('"u":0.', '"u":0.1'), ("}", ',"x":1}')):
        assert all(check(c, a.replace(old, new))[1] for c, a in zip(cases, answers) if old in a), old    # it does see differences
    assert make(50, 3) == make(50, 3) != make(50, 4)
    print("oracle: self-test passed")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--self-test", action="store_true")
    a.add_argument("--make", type=int, metavar="N")
    a.add_argument("--seed", type=int, default=1)
    a.add_argument("--compare", nargs=2, metavar=("CASES", "OUTPUT"))
    a.add_argument("--decant", metavar="BIN")
    a.add_argument("--count", type=int, default=10000)
    o = a.parse_args()
    if o.self_test: return self_test()
    if o.make is not None: return print("\n".join(make(o.make, o.seed)))
    if o.compare:
        texts = [open(f, encoding="utf-8").read().split("\n") for f in o.compare]
        sys.exit(not compare(texts[0], [x for x in texts[1] if x]))
    if o.decant:
        cases = make(o.count, o.seed)
        done = subprocess.run([o.decant, "sample"], input="\n".join(cases) + "\n", capture_output=True, encoding="utf-8")
        if done.stderr: print("stderr of decant:", done.stderr[:500])
        sys.exit(not compare(cases, done.stdout.split("\n")[:-1]))
    for line in sys.stdin:
        if line.strip(): print(answer_line(line))


if __name__ == "__main__": main()
