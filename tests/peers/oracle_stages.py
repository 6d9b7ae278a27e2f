"""The stages of oracle.py that look at more than the row: bias, penalties, DRY, bans, min_tokens, and which of them yield.

Written from docs/sampling.md alone; plain and slow. A processor gets the scores, which it may change, and the history.
"""
from oracle_values import BANS, INF, Bad, LISTS, f32


def tail(history, n):
    return history if n == -1 else history[max(len(history) - n, 0):]


def set_score(scores, i, x):
    """The f64 x becomes the score of token i, rounded once; a banned token stays banned."""
    if scores[i] == -INF: return
    x = f32(x)
    if not -INF < x < INF: raise Bad("NonFiniteLogit")
    scores[i] = x


def met(token, scores):
    if token >= len(scores): raise Bad("TokenOutOfRange")
    return token


# --- penalties ---------------------------------------------------------------------------------------------------------
def repetition(scores, p, prompt, output):
    theta = p["repetition_penalty"]
    for t in sorted(set(tail(prompt + output, p["repetition_window"]))):
        l = scores[met(t, scores)]
        set_score(scores, t, l / theta if l > 0 else l * theta)


def counts(p, prompt, output):
    """How often each token occurs among those that frequency_penalty and presence_penalty count."""
    window = tail(prompt + output, p["penalty_window"])
    if p["penalty_scope"] == "output": window = window[max(len(window) - len(output), 0):]
    return {t: window.count(t) for t in sorted(set(window))}


def frequency(scores, p, prompt, output):
    for t, n in counts(p, prompt, output).items(): set_score(scores, met(t, scores), scores[t] - p["frequency_penalty"] * n)


def presence(scores, p, prompt, output):
    for t in counts(p, prompt, output): set_score(scores, met(t, scores), scores[t] - p["presence_penalty"])


def dry(scores, p, prompt, output):
    w, allowed, breakers = tail(prompt + output, p["dry_penalty_last_n"]), p["dry_allowed_length"], p["dry_sequence_breaker_ids"]
    n, longest = len(w), {}
    end = max([s + len(b) for b in breakers for s in range(n) if w[s:s + len(b)] == b], default=0)     # of the newest breaker
    for place in range(1, n):
        L = 0
        while L < min(place, n - end) and w[place - 1 - L] == w[n - 1 - L]: L += 1
        longest[w[place]] = max(longest.get(w[place], 0), L)
    for t, L in sorted(longest.items()):
        if L < allowed or [t] in breakers: continue
        b = 1.0
        for _ in range(L - allowed):
            if b * p["dry_base"] > 2.0**64: break
            b = b * p["dry_base"]
        set_score(scores, met(t, scores), scores[t] - p["dry_multiplier"] * b)


# --- bans: the tokens that a stage bans at this step -------------------------------------------------------------------
def ngram_bans(p, history):
    n = p["no_repeat_ngram_size"]
    last = history[len(history) - n + 1:]
    return {history[s + n - 1] for s in range(len(history) - n + 1) if history[s:s + n - 1] == last}


def bans(name, p, prompt, output, V):
    history = prompt + output
    if name == "logit_bias": return {i for i, b in p["logit_bias"] if b == -INF}
    if name == "no_repeat_ngram_size": return ngram_bans(p, history)
    if name == "bad_words": return {w[-1] for w in p["bad_words_ids"] if len(w) - 1 <= len(history) and history[len(history) - len(w) + 1:] == w[:-1]}
    if name == "allowed_token_ids": return set(range(V)) - set(p[name])
    if name == "banned_token_ids": return set(p[name])
    if name == "begin_suppress_tokens": return set() if output else set(p[name])
    if name == "forced_token_ids": return set(range(V)) - {p[name][len(output)]} if len(output) < len(p[name]) else set()
    if name == "min_tokens": return set(p["stop_token_ids"]) if len(output) < p["min_tokens"] else set()
    return set()


PENALTY = {"repetition_penalty": repetition, "frequency_penalty": frequency, "presence_penalty": presence, "dry": dry}


def process(name, scores, p, history, yielding):
    """Runs one processor on the scores. history: prompt, output. Returns whether its bans gave way."""
    if name in PENALTY:
        PENALTY[name](scores, p, *history)
        return False
    banned = bans(name, p, *history, len(scores))
    if name == "logit_bias":
        for i, b in p[name]:
            if b > -INF: set_score(scores, i, scores[i] + b)
    gives = yielding and (name in BANS or name == "logit_bias" and bool(banned))
    if not gives:
        for t in banned: scores[met(t, scores)] = -INF
    return gives


def listed(chain, p):
    """Every token id that these stages name, those at their off values too."""
    ids = [i for i, _ in p["logit_bias"]] if "logit_bias" in chain else []
    for name in LISTS: ids += p[name] if name in chain else []
    ids += p["stop_token_ids"] if "min_tokens" in chain else []
    for stage, name in (("bad_words", "bad_words_ids"), ("dry", "dry_sequence_breaker_ids")):
        if stage in chain: ids += sum(p[name], [])
    return ids


def may_yield(chain):
    """Without a grammar's mask, bans give way to those of min_tokens only, and those to nothing."""
    return "min_tokens" in chain and any(name in chain for name in BANS + ("logit_bias",))
