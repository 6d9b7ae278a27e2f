"""Makes the goldens of preset octlm with PyTorch on the CPU (docs/octlm-preset.md).

    python3 tests/golden/make_octlm.py            writes octlm.txt and octlm_probabilities.txt beside this file
    python3 tests/golden/make_octlm.py --numbers  writes the generator's first words and exponential numbers to stdout

octlm.txt: a line is one seed with its settings and 20 tokens drawn from 20 successive rows. Rows come from a linear
congruential generator, so that the reader can make them too: state = state * 1664525 + 1013904223 mod 2^32,
level = (state >> 8) mod levels, logit = level / 2^shift; with bans, level 0 is -inf. A row's state goes on from the
last one's; the first state is the line's `row`.
"""

import argparse
import pathlib

import numpy as np
import torch

FOLDER = pathlib.Path(__file__).parent
DRAWS = 20
# Vocabulary and how many of the 1,000 seeds have it.
VOCABULARIES = [(2, 80), (3, 80), (5, 100), (8, 100), (16, 60), (17, 60), (50, 160), (257, 130), (1000, 130), (4096, 60),
                (32000, 20), (49152, 20)]
TEMPERATURES = [0.8, 1.0, 0.5, 1.5, 2.0, 0.0, 0.7, 0.1]
TOP_KS = [0, 40, 3, 1, 1000, 7]
TOP_PS = [1.0, 0.9, 0.95, 0.5, 0.1, 1.0, 0.75]
# Levels and shift: few levels make ties, many a spread of 4, 8 or 16 between the best and the worst.
SHAPES = [(16384, 10), (4, 0), (32768, 12), (32, 2), (8192, 10), (3, 1)]


class Rows:
    """The rows of one line."""

    def __init__(self, vocabulary, state, levels, shift, bans):
        ones = np.full(vocabulary, 1664525, dtype=np.uint32)
        self.powers = np.cumprod(ones, dtype=np.uint32)
        before = np.concatenate([np.ones(1, dtype=np.uint32), self.powers[:-1]])
        self.sums = np.cumsum(before, dtype=np.uint32) * np.uint32(1013904223)
        self.state, self.levels, self.shift, self.bans = np.uint32(state), levels, shift, bans

    def next(self):
        states = self.powers * self.state + self.sums
        self.state = states[-1]
        levels = (states >> np.uint32(8)) % np.uint32(self.levels)
        logits = (levels.astype(np.float64) / 2.0**self.shift).astype(np.float32)
        if self.bans:
            logits[levels == 0] = -np.inf
        return torch.from_numpy(logits).unsqueeze(0)


def distribution(logits, temperature, top_k, top_p):
    """What the decoder draws from: a mask below the k-th logit, a softmax, a mask past top_p."""
    if top_k:
        k = min(top_k, logits.shape[-1])
        smallest = torch.topk(logits, k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < smallest, float("-inf"))
    probabilities = torch.softmax(logits / temperature, dim=-1)
    if top_p >= 1:
        return probabilities
    values, ids = probabilities.sort(dim=-1, descending=True)
    values = values.masked_fill(values.cumsum(-1) - values >= top_p, 0.0)
    left = torch.zeros_like(probabilities).scatter(-1, ids, values)
    return left / left.sum(-1, keepdim=True)


def draw(logits, temperature, top_k, top_p, generator):
    if temperature == 0:
        return logits.argmax(dim=-1).item()
    return torch.multinomial(distribution(logits, temperature, top_k, top_p), 1, generator=generator).item()


def cases():
    number = 0
    for vocabulary, count in VOCABULARIES:
        for _ in range(count):
            levels, shift = SHAPES[number % len(SHAPES)]
            yield {
                "vocabulary": vocabulary,
                "seed": number if number % 9 else number + (number << 32),
                "temperature": TEMPERATURES[number // 2 % len(TEMPERATURES)],
                "top_k": TOP_KS[number // 3 % len(TOP_KS)],
                "top_p": TOP_PS[number // 5 % len(TOP_PS)],
                "levels": levels,
                "shift": shift,
                "bans": 1 if vocabulary >= 50 and number % 4 == 0 else 0,
                "row": number * 2654435761 % 2**32,
            }
            number += 1


def rows_of(case):
    return Rows(case["vocabulary"], case["row"], case["levels"], case["shift"], case["bans"])


def comment(out, text):
    out.write(f"# {text}\n# Made by tests/golden/make_octlm.py, which describes the rows, with PyTorch {torch.__version__},\n"
              f"# {torch.backends.cpu.get_cpu_capability()}. Columns: {' '.join(next(cases()))}, then ")


def settings_text(case):
    return " ".join(repr(value) for value in case.values())


def write_draws():
    with open(FOLDER / "octlm.txt", "w", encoding="utf-8") as out:
        comment(out, "Tokens drawn by PyTorch: 1,000 seeds, 20 draws each.")
        out.write("the tokens.\n")
        for case in cases():
            generator = torch.Generator().manual_seed(case["seed"])
            rows = rows_of(case)
            tokens = [
                draw(rows.next(), case["temperature"], case["top_k"], case["top_p"], generator) for _ in range(DRAWS)
            ]
            out.write(settings_text(case) + " : " + " ".join(map(str, tokens)) + "\n")


def write_probabilities():
    with open(FOLDER / "octlm_probabilities.txt", "w", encoding="utf-8") as out:
        comment(out, "Probabilities computed by PyTorch for the first row of a line.")
        out.write("the probabilities.\n")
        for number, case in enumerate(cases()):
            if case["vocabulary"] > 257 or case["temperature"] == 0:
                continue
            if number % (17 if case["vocabulary"] > 20 else 5) != 0:
                continue
            values = distribution(rows_of(case).next(), case["temperature"], case["top_k"], case["top_p"])[0]
            out.write(settings_text(case) + " : " + " ".join(f"{value:.9g}" for value in values.tolist()) + "\n")


def write_numbers():
    for seed in (0, 1, 4294967295, 4294967296 + 5):
        words = torch.Generator().manual_seed(seed)
        first = [torch.randint(0, 2**16, (1,), generator=words).item() for _ in range(4)]
        exponential = torch.empty(6).exponential_(generator=torch.Generator().manual_seed(seed))
        print(seed, "words mod 65536:", first, "exponential:", [value.hex() for value in exponential.tolist()])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--numbers", action="store_true")
    if parser.parse_args().numbers:
        write_numbers()
        return
    write_draws()
    write_probabilities()


if __name__ == "__main__":
    main()
