#!/usr/bin/env python3
"""An independent oracle for `decant sample` (preset native), written from docs/determinism.md and docs/sampling.md alone.

Integers, fractions and f64 + - * / only; `struct` rounds to f32. It shares no code with decant.

  oracle.py --self-test
  oracle.py --make N --seed S > cases.jsonl
  oracle.py --compare cases.jsonl decant_output.jsonl
  oracle.py --decant BIN [--count N] [--seed S]      all in one, through `BIN sample`
  oracle.py < cases.jsonl                            the expected output (error messages empty)
"""
import argparse, bisect, json, re, subprocess, sys
from fractions import Fraction

from oracle_cases import make
from oracle_stages import listed, may_yield, process
from oracle_values import (ALIAS, DRAWERS, FILTERS, INF, LINE, M32, PARAMS, STAGES, Bad, Num, Pairs, check_range, f32, in_range, integer, is_off,
                           logit, parse, read_seed, tokens)

fh = float.fromhex
LOG2E, TWO_OVER_LN2, SQRT2 = fh("0x1.71547652b82fep+0"), fh("0x1.71547652b82fep+1"), fh("0x1.6a09e667f3bcdp+0")
MAX64 = fh("0x1.fffffffffffffp+1023")
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


# --- a line ------------------------------------------------------------------------------------------------------------
def sample_line(line, seed=0):
    """The object that `decant sample --seed SEED` answers to one line; of an error only its code."""
    try: pairs = parse(line)
    except ValueError: pairs = None
    if not isinstance(pairs, Pairs): return {"id": None, "error": {"code": "InvalidJson"}}
    obj = dict(pairs)                                                         # the last of two equal keys counts
    try: return run(obj, seed)
    except Bad as e: return {"id": obj.get("id"), "error": {"code": str(e)}}


def read_params(pairs):
    pairs = [(ALIAS.get(k.replace("-", "_"), k.replace("-", "_")), v) for k, v in pairs]
    if any(k not in PARAMS for k, _ in pairs): raise Bad("UnknownParameter")
    return pairs


def run(obj, seed):
    if any(k not in LINE for k in obj): raise Bad("UnknownParameter")
    row, pairs = obj.get("logits", []), obj.get("params", Pairs())
    if type(row) is not list or not isinstance(pairs, Pairs): raise Bad("WrongType")
    row = [logit(v) for v in row]
    history = [obj.get("prompt_ids", []), obj.get("output_ids", [])]
    if any(type(h) is not list for h in history): raise Bad("WrongType")
    history = [tokens(h) for h in history]
    pairs = read_params(pairs)
    preset = obj.get("preset", "native")
    if type(preset) is not str: raise Bad("WrongType")
    if preset != "native": raise Bad("UnknownPreset")                         # this oracle has no preset `reference`
    given = {}
    for k, v in pairs:
        v = PARAMS[k][0](v)
        if k in given and given[k] != v: raise Bad("Conflict")
        given[k] = v
    if "seed" in obj:
        if given.get("seed", read_seed(obj["seed"])) != read_seed(obj["seed"]): raise Bad("Conflict")
        seed = read_seed(obj["seed"])
    seed = given.pop("seed", seed)
    draws = in_range(*(lambda d: (d, 1 <= d <= 1048576))(integer(obj.get("draws", Num("1")))))
    order = given.pop("samplers", None)
    named = {stage for k in given for stage in PARAMS[k][1]}
    seen, order = named | set(order or ()), list(STAGES) + ["categorical"] if order is None else order
    if any(n in DRAWERS for n in order[:-1]) or any(not set(PARAMS[k][1]) & set(order) for k in given if PARAMS[k][1]): raise Bad("Conflict")
    for stage in order: check_range(stage, given)
    p = {**{k: row[3] for k, row in PARAMS.items()}, **given}
    chain = [stage for stage in order if stage in named and not is_off(stage, p)]
    if "bad_words" in given or "dry_sequence_breakers" in given: raise Bad("UnsupportedTokenizer")
    if not row: raise Bad("EmptyLogits")
    if len(row) > 524288: raise Bad("VocabularyTooLarge")
    if any(i >= len(row) for i in listed(seen, p)): raise Bad("TokenOutOfRange")
    if not all(x < INF for x in row): raise Bad("NonFiniteLogit")             # +inf and NaN
    scores, cand, temp, stages = chain_run(row, chain, p, history, False)
    if not cand and may_yield(chain): scores, cand, temp, stages = chain_run(row, chain, p, history, True)
    if not cand: raise Bad("EmptySupport")
    drawer = order[-1] if order and order[-1] in DRAWERS else "categorical"
    zero = "temperature" in chain and temp == 0
    out = {"id": obj.get("id"), "token": cand[0], "tokens": [cand[0]] * draws, "kept": cand, "support": [cand[0]], "probs": [1.0],
           "stages": stages, "draw": {"kind": "greedy"}}
    if not zero: draw(out, scores, temp, drawer, seed, len(history[0]) + len(history[1]))
    return out


# --- the chain ---------------------------------------------------------------------------------------------------------
def weights(scores, cand, temp, memo):
    """cand in canonical order -> its integer weights, Z."""
    c, top, w = min(LOG2E / temp, MAX64), scores[cand[0]], []
    for i in cand:
        gap = (scores[i] - top) * c
        if gap not in memo: memo[gap] = 0 if gap < -46 else round(scale(exp2(gap), 44))
        w.append(memo[gap])
    return w, sum(w)


def cut(name, p, scores, cand, temp, memo):
    """What a filter leaves of the candidates, and the mass that it removes."""
    w, z = weights(scores, cand, temp, memo)
    if name == "top_k": keep = range(min(p, len(cand)))
    elif name == "top_p":
        need, s, n = round(p * 2.0**53) * z, 0, 0
        while s << 53 < need: s, n = s + w[n], n + 1
        keep = range(n)
    else: keep = [j for j in range(len(cand)) if w[j] << 9 >= round(p * 2.0**53)]
    keep = keep or [0]
    return [cand[j] for j in keep], (z - sum(w[j] for j in keep)) / z         # int / int rounds once


def chain_run(row, chain, p, history, yielding):
    """Scores, candidates, temperature and the record of the stages; yielding: all bans but those of min_tokens give way."""
    scores = list(row)
    rank = lambda ids: sorted((i for i in ids if scores[i] > -INF), key=lambda i: (-scores[i], i))
    cand, temp, stages, memo, zero = rank(range(len(row))), 1.0, [], {}, "temperature" in chain and p["temperature"] == 0
    for name in chain if cand else ():
        was, mass, gave = cand, 0.0, False
        if name == "temperature": temp = temp * p[name]
        elif name not in FILTERS:
            gave = process(name, scores, p, history, yielding)
            cand = rank(cand)
        elif not zero: cand, mass = cut(name, p[name], scores, cand, temp, memo)
        if not cand: break                                                    # what comes later is not looked at
        stages.append({"name": name, "kept": len(cand), "removed": len(was) - len(cand), "removed_mass": mass})
        if zero and name in FILTERS: stages[-1]["skipped"] = True
        if gave: stages[-1]["yielded"] = True
    return scores, cand, temp, stages


def draw(out, scores, temp, drawer, seed, position):
    ws, z = weights(scores, out["kept"], temp, {})
    own = sorted((i, x) for i, x in zip(out["kept"], ws) if x > 0)
    out["support"], out["probs"] = [i for i, _ in own], [x / z for _, x in own]
    if drawer == "greedy": return
    ends, s = [], 0
    for _, x in own: s += x; ends.append(s)
    for q in range(len(out["tokens"])):
        r = bits53(seed, position, q)
        t = r * z >> 53
        j = bisect.bisect_right(ends, t)                                      # the first prefix sum above t
        out["tokens"][q] = own[j][0]
        if q == 0:
            lo, hi = ends[j] - own[j][1], ends[j]
            out["token"], out["draw"] = own[j][0], {"kind": "inverse_cdf", "r": str(r), "t": str(t), "z": str(z), "lo": str(lo),
                "hi": str(hi), "u": r / 2**53, "interval": [lo / z, hi / z]}


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
    for row, prompt, output, text, scores in (                                 # the examples of docs/sampling.md
            ([3, -1, 0, 2], [0, 1, 2, 0], [], '"repetition_penalty":2', [1.5, -2, 0, 2]),
            ([0, 0, 1], [], [1, 1, 1, 2], '"frequency_penalty":1', [0, -3, 0]), ([0, 0, 1], [2, 0], [1, 1, 1, 2], '"presence_penalty":1', [0, -1, 0]),
            ([0] * 4, [0, 1, 2, 3], [0, 1, 2], '"dry_multiplier":0.5,"dry_base":2,"dry_allowed_length":2', [0, 0, 0, -1]),
            ([0] * 4, [0, 1, 2, 0, 1, 3, 0, 1], [], '"no_repeat_ngram_size":3', [0, 0, -INF, -INF]),
            ([0] * 4, [1], [2], '"bad_words_ids":[[1,2,3],[2]]', [0, 0, -INF, -INF]), ([0] * 3, [], [2], '"forced_token_ids":[2,1]', [-INF, 0, -INF]),
            ([0] * 2, [], [1], '"min_tokens":2,"stop_token_ids":[0]', [-INF, 0]), ([0] * 2, [], [1, 1], '"min_tokens":2,"stop_token_ids":[0]', [0, 0]),
            ([0] * 3, [], [], '"allowed_token_ids":[2],"min_tokens":5,"stop_token_ids":[2]', [0, 0, -INF])):
        line = '{"logits":%s,"prompt_ids":%s,"output_ids":%s,"params":{%s}}' % (row, prompt, output, text)
        assert sample_line(line)["draw"]["z"] == str(weights(scores, sample_line(line)["kept"], 1.0, {})[1]), text
        assert sample_line(line)["kept"] == sorted((i for i, x in enumerate(scores) if x > -INF), key=lambda i: -scores[i]), text
    seen = [sample_line(c) for c in make(2000, 1)]
    assert len({o["error"]["code"] for o in seen if "error" in o}) == 14 and sum("error" not in o for o in seen) > 1000
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
