"""Random lines for `decant sample`, for oracle.py: plain rows, ties, wild numbers, bans, histories, and wrong input."""
import decimal, json, random, struct

from oracle_values import LISTS, NUMBER, STAGES, f32


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
for _name, _texts in (
        ("repetition_penalty", '0 -0.0 -1 NaN Infinity 1e400 1e-400 "2" null true [2] {}'), ("rep_pen", "-2"), ("repeat-penalty", '"x"'),
        ("repetition_window", '-2 1.5 "3" null -1e30 NaN true'), ("repeat_last_n", "-2"),
        ("frequency_penalty", 'NaN Infinity -Infinity 1e400 "1" null []'), ("presence_penalty", 'NaN -1e400 "1" null {}'),
        ("penalty_scope", '"prompt" "" "Output" 1 null ["output"]'), ("penalty_window", '-2 0.5 "1" null'),
        ("dry_multiplier", '-0.1 1000000.1 NaN Infinity "1" null'), ("dry_base", '0.99 100.1 0 NaN "2" null'),
        ("dry_allowed_length", '0 -1 1.5 "2" null -1e30'), ("dry_penalty_last_n", '-2 0.5 "2" null'),
        ("dry_sequence_breakers", '["a"] 7 null "a" [1]'), ("bad_words", '["a"] 7 null "a" [1]'),
        ("dry_sequence_breaker_ids", '[[]] [[1],[]] [1] 7 null {} ["a"] [[1.5]] [[-1]] [[4294967296]] [["1"]] [[null]] [["1"],[]] [[],["1"]]'),
        ("no_repeat_ngram_size", '-1 1.5 "2" null -1e30'),
        ("bad_words_ids", '[[]] [[1],[]] [1] 7 null {} ["a"] [[1.5]] [[-1]] [[4294967296]] [["1"]] [[3]] [[3,0]] [[4294967295]]'),
        ("allowed_token_ids", '[3] [0,9] 7 null {} "1" ["1"] [null] [1.5] [-1] [4294967296] [1e30] [NaN] [4294967295] [true] [[0]]'),
        ("banned_token_ids", '[0,1,2] [3] [-1] ["1"] null [1.5]'), ("suppress-tokens", "[0,1,2] [3] [-1] 7"), ("suppress_tokens", "[0,1,2] 7"),
        ("begin_suppress_tokens", '[0,1,2] [3] [-1] ["1"] null 7'), ("forced_token_ids", '[3] [0,3] [-1] ["1"] null 7'),
        ("min_tokens", '-1 1.5 "2" null -1e30'), ("min-new-tokens", "-1"), ("stop_token_ids", '[-1] ["1"] 7 null [1.5] [4294967296]')):
    ERR_PARAM += ['"%s":%s' % (_name, _text) for _text in _texts.split()]
ERR_PARAM += ['"rep_pen":2,"repeat_penalty":3', '"banned_token_ids":[0],"suppress_tokens":[1]', '"min_tokens":1,"min_new_tokens":2',
              '"repeat_last_n":1,"repetition_window":2', '"bad_words_ids":[[0]],"bad-words-ids":[[1]]', '"dry_base":2,"samplers":[]',
              '"repetition_window":3,"samplers":["dry"]', '"bad_words_ids":[[0]],"samplers":["bad_words_ids"]', '"samplers":["rep_pen"]',
              '"min_tokens":2,"samplers":"temperature"', '"no_repeat_ngram_size":0,"samplers":[]', '"samplers":"min_tokens,dry,dry"',
              '"allowed_token_ids":[],"samplers":"min_p"', '"top_k":-2,"repetition_penalty":0', '"top_k":-2,"penalty_scope":"x"',
              '"temperature":-1,"min_tokens":-1', '"temperature":-1,"bad_words_ids":[[]]', '"min_tokens":-1,"top_k":"x"', '"dry_base":0,"samplers":"top_k"',
              '"allowed_token_ids":[7],"top_k":-2', '"allowed_token_ids":[7],"top_k":"x"', '"min_tokens":3,"stop_token_ids":[3]',
              '"allowed_token_ids":[0],"banned_token_ids":[0]', '"min_tokens":3,"stop_token_ids":[0,1,2]',
              '"min_tokens":3,"stop_token_ids":[0,1,2],"allowed_token_ids":[1]']


def take_two(R):
    """Two parameters, any of which may be wrong: which error comes first?"""
    two = [R.choice(ERR_PARAM) for _ in range(2)]
    return two if two[0].split(":")[0] != two[1].split(":")[0] else two[:1]



COUNTED = ("frequency_penalty", "presence_penalty")
STAGES_OF = {"repetition_window": ("repetition_penalty",), "penalty_scope": COUNTED, "penalty_window": COUNTED, "bad_words_ids": ("bad_words",),
             "dry_multiplier": ("dry",), "dry_base": ("dry",), "dry_allowed_length": ("dry",), "dry_penalty_last_n": ("dry",),
             "dry_sequence_breaker_ids": ("dry",), "stop_token_ids": ()}


def make_history(R, V):
    """Prompt and output over few tokens, so that much repeats; now and then a token that the row does not have."""
    few = [R.randrange(V) for _ in range(R.randint(1, 4))] + ([V + R.choice((0, 1, 1000, 2**32 - 1 - V))] if R.random() < 0.02 else [])
    ids = [R.choice(few) for _ in range(R.choice((0, R.randint(0, 6), R.randint(0, 40))))]
    if len(ids) > 8 and R.random() < 0.4: ids = (ids[:R.randint(1, 6)] * 40)[:len(ids)]                    # a loop
    cut = R.choice((0, len(ids), R.randint(0, len(ids))))
    return ids[:cut], ids[cut:]


def put_rules(R, V, history, put):
    """Parameters of the stages that look at the history, at lists, or at the length of the output."""
    ids = history[0] + history[1]
    some = lambda: R.choice(ids) if ids and R.random() < 0.6 else R.randrange(V) if R.random() < 0.995 else V + R.choice((0, 7))
    tokens = lambda most: json.dumps([some() for _ in range(R.randint(0, most))])
    window = lambda: R.choice(("-1", "-1.0", "0", "1", "2", "3", str(R.randint(0, 41)), "1e30"))
    penalty = lambda: R.choice(("0", "-0.0", "0.5", "1", "-1", "2.5", "-0.25", "1e-9", repr(R.random() * 4 - 2), repr(R.random()),
                                "1e38" if R.random() < 0.1 else "3", "1e308" if R.random() < 0.05 else "0.1"))

    def word():
        at = R.randint(0, len(ids))
        return ids[at:][:R.randint(0, 3)] + [some()] if R.random() < 0.6 else [some() for _ in range(R.randint(1, 3))]

    if R.random() < 0.3:
        put("repetition_penalty", R.choice(("1", "1.1", "2", "0.5", "1.3", "1e-3", repr(0.5 + R.random()), "1e39" if R.random() < 0.1 else "1.25",
            "1e-300" if R.random() < 0.05 else "4")), R.choice(("repeat_penalty", "rep_pen")))
    if R.random() < 0.15: put("repetition_window", window(), R.choice(("repeat_last_n", "rep_pen_range", "repetition_context_size")))
    for name in COUNTED:
        if R.random() < 0.25: put(name, penalty())
    if R.random() < 0.15: put("penalty_scope", R.choice(('"output"', '"window"')))
    if R.random() < 0.15: put("penalty_window", window())
    if R.random() < 0.3:
        put("dry_multiplier", R.choice(("0", "0.5", "0.8", "1", "1e-3", repr(R.random() * 3), "1e6")))
        if R.random() < 0.5: put("dry_base", R.choice(("1", "1.75", "2", "100", "1.1", repr(1 + R.random()))))
        if R.random() < 0.5: put("dry_allowed_length", R.choice(("1", "2", "3", "1e30", str(R.randint(1, 9)))))
        if R.random() < 0.4: put("dry_penalty_last_n", window())
        if R.random() < 0.4: put("dry_sequence_breaker_ids", json.dumps([word() for _ in range(R.randint(0, 3))]))
    elif R.random() < 0.05: put("dry_base", "2")
    if R.random() < 0.25: put("no_repeat_ngram_size", R.choice(("0", "1", "2", "2", "3", "3", "4", "1e30", str(R.randint(0, 9)))))
    if R.random() < 0.25: put("bad_words_ids", json.dumps([word() for _ in range(R.randint(0, 4))]))
    for name in LISTS:
        if R.random() < 0.15: put(name, tokens(V if name == "allowed_token_ids" else 4), "suppress_tokens" if name == "banned_token_ids" else None)
    if R.random() < 0.35: put("min_tokens", str(R.choice((0, 1, 2, 5, len(history[1]), len(history[1]) + 1, 40))), "min_new_tokens")
    if R.random() < 0.35: put("stop_token_ids", tokens(3))


def make_case(R):
    kind = R.choices(("plain", "ties", "wild", "bans", "error", "rules"), (25, 10, 5, 5, 10, 45))[0]
    V = R.randint(1000, 5000) if R.random() < 0.02 else R.choice((R.randint(1, 8), R.randint(1, 40), R.randint(1, 200)))
    if kind == "rules": V = R.choice((R.randint(1, 4), R.randint(1, 8), R.randint(1, 24)))
    spread = R.choice((1, 4, 10, 30))
    if kind == "ties" or kind == "rules" and R.random() < 0.8: logits = [str(R.randint(-3, 3)) + R.choice(("", "", ".0", "e0")) for _ in range(V)]
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
    history = make_history(R, V) if kind == "rules" else None
    if kind == "rules": put_rules(R, V, history, put)
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
        names = list(dict.fromkeys([s for n in given for s in STAGES_OF.get(n, (n,))] + R.sample(STAGES, R.randint(0, 2))))
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
        if k == 6: params = R.choice((take_two(R), [R.choice(ERR_PARAM)]))
        if k == 7: logits = R.choice((logits, ["NaN"], [], ["null"]))
        if k == 6 and R.random() < 0.3: logits = R.choice((["NaN"], [], ["null"], ["1", "Infinity"]))
    R.shuffle(params)
    keys = ['"logits":[%s]' % ",".join(logits)]
    if params or R.random() < 0.3: keys.append('"params":{%s}' % ",".join(params))
    for name, ids in zip(("prompt_ids", "output_ids"), history or ()):
        if ids or R.random() < 0.3: keys.append('"%s":%s' % (name, json.dumps(ids)))
    for name in () if history else ("prompt_ids", "output_ids"):
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
    if count >= 2000:                                                         # every error at least once, then chance
        fixed = ERR_LINE + ['{"logits":[1,2,3],"id":"k%d",%s}' % x for x in enumerate(ERR_KEY)]
        fixed += ['{"logits":[1,2,3],"id":"p%d","params":{%s}}' % x for x in enumerate(ERR_PARAM)]
        fixed += ['{"logits":[1,%s,3],"id":"l%d"}' % (x, n) for n, x in enumerate(TOO_BIG)]
        fixed += ['{"logits":[%s],"id":"v"}' % ",".join(["0"] * 524289), '{"id":"none"}', "{}"]
    return fixed + [make_case(R) for _ in range(count - len(fixed))]
