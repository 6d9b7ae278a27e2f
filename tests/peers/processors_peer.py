#!/usr/bin/env python3
"""Compares decant's penalties, DRY, bans and lists with those of transformers and llama.cpp, where the rules are the same.

  processors_peer.py --decant BIN [--model MODEL.gguf] [--count 20000] [--seed 1]

Each case is a row, a history and parameters. The peer's own processors change the row; from its f32 scores come the tokens that
are left and a softmax in f64. `decant sample` has to keep the same tokens with the same probabilities. Two sorts of cases:

  exact   logits are multiples of 1/64 and the parameters have few bits, so no order of operations rounds: the tokens and their
          order have to be equal, and the probabilities within (V + 2) * 2^-44, decant's distance from a textbook softmax
  loose   any numbers: the peer computes in f32, decant in f64 and rounds once, so the probabilities may differ by 2e-5

Needs transformers and torch for the one side, and llama-cpp-python and a model's vocabulary (--model) for the other. A side that
is missing is skipped; exit status 77 when both are. What differs by design is in docs/sampling.md, "Beside other engines".
"""
import argparse
import ctypes
import json
import math
import os
import random
import subprocess
import sys

try:
    import torch
    from transformers import logging as hf_logging
    from transformers.generation import logits_process as hf
    hf_logging.set_verbosity_error()
except ImportError:
    torch = None
try:
    import llama_cpp
except ImportError:
    llama_cpp = None

LOOSE = 2e-5
SKIP = 77
MARKS = '!"#$'  # single tokens of the vocabulary; a text of several of them is a breaker of several tokens


class Case:
    """A row, a history, parameters; `exact` says which sort it is."""

    def __init__(self, R, V, few=None):
        self.exact = R.random() < 0.6
        self.V = V
        self.logits = [R.randint(-320, 320) / 64 if self.exact else f32(R.uniform(-8, 8)) for _ in range(V)]
        if R.random() < 0.2:
            for _ in range(R.randint(1, V)):
                self.logits[R.randrange(V)] = -math.inf
        few = few or [R.randrange(V) for _ in range(R.randint(1, 5))]
        ids = [R.choice(few) for _ in range(R.choice((0, R.randint(0, 6), R.randint(0, 40))))]
        if len(ids) > 8 and R.random() < 0.4:
            ids = (ids[:R.randint(1, 6)] * 40)[:len(ids)]
        cut = R.randint(0, len(ids))
        self.prompt, self.output = ids[:cut], ids[cut:]
        self.params = {}

    @property
    def history(self):
        return self.prompt + self.output

    def line(self):
        row = [None if x == -math.inf else x for x in self.logits]
        return json.dumps({"logits": row, "prompt_ids": self.prompt, "output_ids": self.output, "params": self.params})


def f32(x):
    return ctypes.c_float(x).value


def some_tokens(R, case, most):
    pool = case.history if case.history and R.random() < 0.5 else range(case.V)
    return [R.choice(pool) for _ in range(R.randint(1, most))]


def some_words(R, case):
    """Token sequences, many of which the history ends in."""
    words = []
    for _ in range(R.randint(1, 4)):
        n = R.randint(0, 3)
        words.append((case.history[max(len(case.history) - n, 0):] if R.random() < 0.6 else []) + some_tokens(R, case, 2))
    return words


# --- transformers ------------------------------------------------------------------------------------------------------
def constrained(allowed):
    """transformers' prefix constraint, but for one rule of its own: where nothing is left it lifts all other bans."""
    peer = hf.PrefixConstrainedLogitsProcessor(lambda batch, ids: allowed, 1)
    nothing_left = lambda scores: bool((scores[:, allowed] == -math.inf).all())
    return lambda ids, scores: torch.full_like(scores, -math.inf) if nothing_left(scores) else peer(ids, scores)


def hf_case(R):
    """A case and the processors of transformers that say the same, in the order in which `generate` runs them."""
    case = Case(R, R.choice((R.randint(2, 8), R.randint(2, 40))))
    p, run = case.params, []
    if not case.prompt:  # `generate` always has a token to start from
        case.prompt = [R.randrange(case.V)]
    if R.random() < 0.3:
        bias = {t: R.randint(-128, 128) / 64 if case.exact else R.uniform(-3, 3) for t in some_tokens(R, case, 3)}
        p["logit_bias"] = {str(t): b for t, b in bias.items()}
        run.append(hf.SequenceBiasLogitsProcessor({(t,): b for t, b in bias.items()}))
    if R.random() < 0.5:
        p["repetition_penalty"] = R.choice((0.5, 2.0, 4.0, 0.25)) if case.exact else R.uniform(0.3, 3)
        p["repetition_window"] = -1
        run.append(hf.RepetitionPenaltyLogitsProcessor(p["repetition_penalty"]))
    if R.random() < 0.4:
        p["no_repeat_ngram_size"] = R.randint(1, 5)
        run.append(hf.NoRepeatNGramLogitsProcessor(p["no_repeat_ngram_size"]))
    if R.random() < 0.4:
        p["bad_words_ids"] = some_words(R, case)
        run.append(hf.NoBadWordsLogitsProcessor(p["bad_words_ids"]))
    if R.random() < 0.15:
        p["min_tokens"], p["stop_token_ids"] = len(case.output) + R.randint(-1, 2), some_tokens(R, case, 2)
        p["min_tokens"] = max(p["min_tokens"], 0)
        run.append(hf.MinNewTokensLengthLogitsProcessor(len(case.prompt), p["min_tokens"], p["stop_token_ids"]))
    if R.random() < 0.2:
        p["allowed_token_ids"] = sorted(set(some_tokens(R, case, case.V) + some_tokens(R, case, case.V)))
        run.append(constrained(p["allowed_token_ids"]))
    if R.random() < 0.2:
        p["banned_token_ids"] = some_tokens(R, case, 3)
        run.append(hf.SuppressTokensLogitsProcessor(p["banned_token_ids"]))
    if R.random() < 0.2:
        p["begin_suppress_tokens"] = some_tokens(R, case, 3)
        run.append(hf.SuppressTokensAtBeginLogitsProcessor(p["begin_suppress_tokens"], len(case.prompt)))
    return case, run


def hf_scores(case, run):
    ids = torch.tensor([case.history], dtype=torch.long)
    scores = torch.tensor([case.logits], dtype=torch.float32)
    for processor in run:
        scores = processor(ids, scores)
    return scores[0].tolist()


def hf_forced(R):
    """forced_token_ids of one token, after a prompt of one token: transformers' forced BOS."""
    case = Case(R, R.randint(2, 8))
    case.prompt, case.output = [R.randrange(case.V)], R.choice(([], [R.randrange(case.V)]))
    case.logits = [max(x, -8.0) for x in case.logits]
    case.params["forced_token_ids"] = [R.randrange(case.V)]
    return case, [hf.ForcedBOSTokenLogitsProcessor(case.params["forced_token_ids"][0])]


# --- llama.cpp ---------------------------------------------------------------------------------------------------------
class LlamaVocabulary:
    """The vocabulary of a GGUF file, through llama.cpp; DRY's breakers are texts there and token ids here."""

    def __init__(self, path):
        self.silence = llama_cpp.llama_log_callback(lambda *_: None)  # llama.cpp keeps a pointer to it
        llama_cpp.llama_log_set(self.silence, None)
        options = llama_cpp.llama_model_default_params()
        options.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(path.encode(), options)
        self.vocab = llama_cpp.llama_model_get_vocab(self.model)
        self.pieces = [self.piece(t) for t in range(llama_cpp.llama_vocab_n_tokens(self.vocab))]
        self.marks = sorted(self.pieces.index(mark.encode()) for mark in MARKS)

    def piece(self, token):
        buffer = ctypes.create_string_buffer(256)
        n = llama_cpp.llama_token_to_piece(self.vocab, token, buffer, 256, 0, True)
        return buffer.raw[:max(n, 0)]

    def tokens(self, text):
        out = (llama_cpp.llama_token * 64)()
        n = llama_cpp.llama_tokenize(self.vocab, text, len(text), out, 64, False, False)
        return list(out[:n])

    def breaker_ids(self, text, V):
        """The sequences that stand for a text, of those that a history of tokens below V can hold."""
        found = []
        for t, piece in enumerate(self.pieces[:V]):
            if text in piece:
                found.append([t])
                continue
            for n in range(1, len(text)):
                if piece.endswith(text[:n]):
                    found.append([t] + self.tokens(text[n:]))
        return [sequence for sequence in found if max(sequence) < V]


def llama_case(R, vocabulary):
    V = R.choice((R.randint(2, 8), vocabulary.marks[-1] + 1))
    case = Case(R, V, R.sample(vocabulary.marks, 3) if V > 8 and R.random() < 0.8 else None)
    p, n = case.params, len(case.history)
    window = R.choice((n + 1, n + 1, R.randint(1, 41)))
    samplers = []
    if R.random() < 0.6:
        exact = case.exact
        theta = R.choice((1.0, 0.5, 2.0, 4.0)) if exact else f32(R.uniform(0.3, 3))
        frequency, presence = (R.randint(-128, 128) / 64 if exact else f32(R.uniform(-2, 2)) for _ in range(2))
        p.update(repetition_penalty=theta, repetition_window=window, frequency_penalty=frequency, presence_penalty=presence,
                 penalty_scope="window", penalty_window=window)
        samplers.append(llama_cpp.llama_sampler_init_penalties(V, window, theta, frequency, presence))
    if R.random() < 0.7:
        base = R.choice((1.0, 2.0, 4.0)) if case.exact else f32(R.uniform(1, 3))
        multiplier = R.choice((0.5, 1.0, 0.25)) if case.exact else f32(R.uniform(0.1, 2))
        texts = ["".join(R.choices(MARKS, k=R.randint(1, 3))) for _ in range(R.choice((0, 1, 2, 3)))]
        texts += R.sample(["\n", ":", "*", "<|im_end|>"], R.choice((0, 0, 1)))
        ids = sum((vocabulary.breaker_ids(t.encode(), V) for t in texts), [])
        p.update(dry_multiplier=multiplier, dry_base=base, dry_allowed_length=R.randint(1, 4), dry_penalty_last_n=window,
                 dry_sequence_breaker_ids=ids)
        raw = (ctypes.c_char_p * max(len(texts), 1))(*[t.encode() for t in texts])
        samplers.append(llama_cpp.llama_sampler_init_dry(vocabulary.vocab, multiplier, base, p["dry_allowed_length"], window, raw,
                                                         len(texts)))
    return case, samplers


def breakers_overlap(case):
    """Whether the newest breaker by where it begins (llama.cpp) and by where it ends (decant) leave different tails."""
    w = case.history[-case.params.get("dry_penalty_last_n", 0):]
    ids = case.params.get("dry_sequence_breaker_ids", [])
    found = [(s, s + len(b)) for b in ids for s in range(len(w)) if w[s:s + len(b)] == b]
    return bool(found) and max(found)[1] != max(end for _, end in found)


def llama_scores(case, samplers):
    data = (llama_cpp.llama_token_data * case.V)(*[(i, x, 0.0) for i, x in enumerate(case.logits)])
    array = llama_cpp.llama_token_data_array(data, case.V, -1, False)
    for sampler in samplers:
        for t in case.history:
            llama_cpp.llama_sampler_accept(sampler, t)
        llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))
        llama_cpp.llama_sampler_free(sampler)
    scores = {array.data[i].id: array.data[i].logit for i in range(array.size)}
    return [scores[i] for i in range(case.V)]


# --- comparing ---------------------------------------------------------------------------------------------------------
def difference(case, scores, answer):
    """None, or what differs; then the kind of agreement."""
    kept = sorted((i for i, x in enumerate(scores) if x > -math.inf), key=lambda i: (-scores[i], i))
    if not kept:  # transformers then divides by zero; decant says so, or lets a rule yield where min_tokens is involved
        if answer.get("error", {}).get("code") == "EmptySupport":
            return None, "nothing left"
        yielded = any(s.get("yielded") for s in answer.get("stages", []))
        return (None, "yielded") if yielded else ("the peer bans everything", "")
    if "error" in answer:
        return answer["error"]["message"], ""
    if case.exact and answer["kept"] != kept or sorted(answer["kept"]) != sorted(kept):
        return "kept: peer %s, decant %s" % (kept, answer["kept"]), ""
    weights = [math.exp(scores[i] - scores[kept[0]]) for i in kept]
    total = math.fsum(weights)
    probs = dict(zip(answer["support"], answer["probs"]))
    bound = (case.V + 2) * 2.0**-44 if case.exact else LOOSE
    worst = max((abs(w / total - probs.get(i, 0.0)), i) for i, w in zip(kept, weights))
    if worst[0] > bound:
        return "token %d: probabilities differ by %.3g, at most %.3g" % (worst[1], worst[0], bound), ""
    return None, "exact" if case.exact else "loose"


def compare(name, decant, cases):
    """cases: (case, scores of the peer). Prints the counts and the first differences; returns whether all agree."""
    lines = "\n".join(case.line() for case, _ in cases) + "\n"
    done = subprocess.run([decant, "sample"], input=lines, capture_output=True, encoding="utf-8", check=False)
    answers = done.stdout.splitlines()
    if len(answers) != len(cases):
        print("%s: %d answers for %d cases; %s" % (name, len(answers), len(cases), done.stderr[:500]))
        return False
    counts, stages, bad = {}, {}, 0
    for (case, scores), text in zip(cases, answers):
        answer = json.loads(text)
        diff, kind = difference(case, scores, answer)
        for stage in answer.get("stages", []):
            stages[stage["name"]] = stages.get(stage["name"], 0) + 1
        if diff:
            bad += 1
            if bad <= 5:
                print("%s: %s\n  case   %s\n  peer   %s\n  decant %s" % (name, diff, case.line(), scores, text))
        else:
            counts[kind] = counts.get(kind, 0) + 1
    print("%s: %d cases agree (%s), %d differ" %
          (name, len(cases) - bad, ", ".join("%s %d" % kv for kv in sorted(counts.items())), bad))
    print("  stages that ran: " + ", ".join("%s %d" % kv for kv in sorted(stages.items())))
    return bad == 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--decant", default=os.environ.get("DECANT_BIN", "build/release/bin/decant"))
    arguments.add_argument("--model", help="a GGUF file whose vocabulary DRY's breakers are made of")
    arguments.add_argument("--count", type=int, default=20000, help="cases a peer")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    ran, good = 0, True
    if torch is None:
        print("transformers: skipped, torch and transformers are not installed")
    else:
        R = random.Random(options.seed)
        cases = [(case, hf_scores(case, run))
                 for case, run in (hf_case(R) if i % 20 else hf_forced(R) for i in range(options.count))]
        good, ran = compare("transformers", options.decant, cases) and good, ran + 1
    if llama_cpp is None:
        print("llama.cpp: skipped, llama-cpp-python is not installed")
    elif options.model is None:
        print("llama.cpp: skipped, no --model")
    else:
        R, vocabulary = random.Random(options.seed), LlamaVocabulary(options.model)
        made = [llama_case(R, vocabulary) for _ in range(options.count)]
        cases = [(case, llama_scores(case, run)) for case, run in made if not breakers_overlap(case)]
        print("llama.cpp: %d cases left out, where breakers overlap" % (len(made) - len(cases)))
        good, ran = compare("llama.cpp", options.decant, cases) and good, ran + 1
    if not ran:
        sys.exit(SKIP)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
