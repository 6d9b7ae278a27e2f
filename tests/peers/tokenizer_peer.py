#!/usr/bin/env python3
"""Compares decant's token ids with Hugging Face `tokenizers` (must agree) and llama.cpp (differences are listed).

  tokenizer_peer.py MODEL.gguf|tokenizer.json TOKENIZE_LINES [--count 100000] [--llama-cpp] [--bench TEXT]

A tokenizer.json is read by both sides as it is; a GGUF file's vocabulary is put into the tokenizer that Hugging Face
would build from it. For a tokenizer.json, "text" means without its added tokens.

TOKENIZE_LINES is the program built from tokenize_lines.cc. Needs the Python packages gguf and tokenizers (and
llama-cpp-python for --llama-cpp), and Debian's unicode-data for the list of assigned code points. Exits 1 when any text
differs from Hugging Face in either mode: special texts parsed (added tokens) or as ordinary text (no added tokens).
"""
import argparse
import collections
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time

import gguf
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTROL = 3  # GGUF's token type


def read_gguf(path):
    fields = gguf.GGUFReader(path).fields
    get = lambda name: fields["tokenizer.ggml." + name].contents()
    names = ("model", "pre", "tokens", "token_type", "merges", "bos_token_id", "eos_token_id")
    return {name: get(name) for name in names}


def hf_tokenizer(vocabulary, special):
    """The tokenizer Hugging Face would build; special: whether control tokens are added tokens."""
    merges = [tuple(m.split(" ")) for m in vocabulary["merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(vocabulary["tokens"])}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    ])
    tokenizer.decoder = decoders.ByteLevel()
    if special:
        tokenizer.add_special_tokens([
            AddedToken(t, special=True, normalized=False)
            for t, kind in zip(vocabulary["tokens"], vocabulary["token_type"]) if kind == CONTROL
        ])
    return tokenizer


class FromGguf:
    """A GGUF file: `path` is what decant reads, `hf(special)` what Hugging Face would build."""

    def __init__(self, model, folder):
        self.vocabulary = read_gguf(model)
        self.pieces = self.vocabulary["tokens"]
        kinds = self.vocabulary["token_type"]
        self.specials = [t for t, kind in zip(self.pieces, kinds) if kind == CONTROL]
        self.path = pathlib.Path(folder) / "vocabulary"
        write_dump(self.vocabulary, self.path)

    def hf(self, special):
        return hf_tokenizer(self.vocabulary, special)


class FromJson:
    """A tokenizer.json, read by both sides."""

    def __init__(self, model, _folder):
        self.path = pathlib.Path(model)
        self.json = json.loads(self.path.read_text(encoding="utf-8"))
        added = {t["id"]: t["content"] for t in self.json["added_tokens"]}
        self.specials = list(added.values())
        ids = {i: t for t, i in self.json["model"]["vocab"].items()} | added
        self.pieces = [ids.get(i, "") for i in range(max(ids) + 1)]

    def hf(self, special):
        return Tokenizer.from_str(json.dumps(self.json if special else self.json | {"added_tokens": [], "post_processor": None}))


# --- texts ---------------------------------------------------------------------------------------------------------

SNIPPETS = [
    "The quick brown fox jumps over the lazy dog.", "It's what they've said: we'll go, I'm sure; you'd better, she's late.",
    "DON'T SHOUT, IT'S 'RUDE'", "l'été dernier, j'ai mangé des œufs à l'hôtel", "Größe, Straße, Übermut und Äpfel",
    "Съешь же ещё этих мягких французских булок", "Η γρήγορη καφέ αλεπού", "快速的棕色狐狸跳过了懒狗。",
    "いろはにほへと ちりぬるを、アイウエオ。", "다람쥐 헌 쳇바퀴에 타고파", "نص حكيم له سر قاطع وذو شأن عظيم", "דג סקרן שט בים מאוכזב",
    "ऋषियों को सताने वाले दुष्ट राक्षसों", "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า", "Zażółć gęślą jaźń", "Pchnąć w tę łódź jeża",
    "Mười sáu người, Việt Nam", "ქართული ენა", "Հայոց լեզու", "አማርኛ ፊደል", "Ünlü Türkçe ığdır İstanbul",
    "def f(x):\n    return x ** 2  # square\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}\n", "SELECT * FROM t WHERE id='42';",
    '{"key": [1, 2.5e-3, null], "s": "\\u00e9\\n"}', "<html><body class=\"x\">&nbsp;</body></html>",
    "https://example.org/a/b?c=d&e=%20f#g", "x_{i+1} = \\frac{1}{2}\\left(x_i + \\frac{a}{x_i}\\right)", "fn main() -> Result<(), Box<dyn Error>> {",
    "#include <vector>\r\n\r\nint main() { return 0; }\r\n", "3.14159 1,000,000 0x7fff 1e-10 2024-02-29T23:59:60Z", "Ⅷ ½ ² ³ ① ፲ 〇 Ⅻ ௧௨௩ १२३ ٤٥٦ 𝟘𝟙 𝟗",
    "👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫🇷 ❤️‍🔥 🧑🏿‍🚀 ☺️ ✌🏻", "e\u0301 o\u0308 a\u0323\u0302 Z\u0351\u036b\u0343", "a\u00adb\u200bc\u200dd\ufeffe\u2060f",
    "“quoted” ‘single’ – dash — em … ‰ № ™ ©", "→ ⇒ ∀x∈ℝ ∃y ≤ ∞ ∑∏∫ √2 ≠ ±", "''' ''s 's 't 're 've 'm 'll 'd 'S 'T 'RE 'lla 'ver 'rx 'l 'v 'r '",
    "IT'S WHAT THEY'VE SAID: WE'LL GO, I'M SURE, YOU'D'D 'LLama 'Re 'vE 'ſ 'ſt it'ſ", "camelCaseXMLHttpRequest ABCdefGHI iPhone15Pro ÀÉÎõü",
    "a\r\n\r\n  b \t\n\n   c!!\n\n?? \r\r /\n//\n/ x\u00a0\n \u2028\n y", "1234567 12345 ١٢٣٤٥ １２３４", "한글 한글 각갂 가\u11a8",
    "cafe\u0301 q\u0323\u0307 q\u0307\u0323 \u212b \u2126 \u0344 \uf900 \u0958 \u2adc \u0f73 \u1e9b\u0323 a\u0315\u0300\u05ae\u0300b >\u0338 <\u0338",
    "\u0301\u0301 \u0301A !\u0301bc \u0301\u4e2dA ǅungla ǈ ʰa Aʰ 中A中a A中 ªº",
    "   leading", "trailing   ", "a  b   c    d", "tab\there\t\tand\t there", "\n\n\nthree", "mixed \t \n \r\n x", " \u00a0 \u3000x", "0 1  2   3\t4\n5",
]
SPACES = list(" \t\n\r\v\f\x85\u00a0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000") + ["  ", "    ", "\n\n", "\r\n", "        "]
MARKS = [chr(c) for c in (*range(0x300, 0x370), *range(0x591, 0x5C8), *range(0x64B, 0x656), 0x93C, 0x9BE, 0xDCF, 0xF71, 0xF72, 0xF74, 0x1DC0, 0x20D0, 0x3099, 0x1D165)]
BASES = list("aeiouqzAEIOUnNcCсиИכשקकनেෙཀかは<>=") + ["\u00e9", "\u01d7", "\u1e69", "\u1f02", "\u03b1", "\u1100", "\u1161", "\u11a8", "\uac00", "\uac01", "\u212b", "\uf9d0"]
CONTRACTIONS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'LL", "'", "''", "’s", " '", "'r", "'l", "'v"]
EMOJI = ["😀", "👍", "🏽", "\u200d", "\ufe0f", "👩", "🚀", "🇩", "🇪", "❤", "🏳", "🌈", "🏴\U000e0067\U000e0062\U000e007f", "1\ufe0f\u20e3"]


def assigned_by_block(folder=pathlib.Path("/usr/share/unicode")):
    """The code points assigned in Unicode 15.0 (no surrogates), in lists by block, and those of general category N."""
    points, numbers, first = [], [], None
    for line in (folder / "UnicodeData.txt").read_text(encoding="ascii").splitlines():
        code, name, category = line.split(";")[:3]
        code = int(code, 16)
        if name.endswith(", First>"):
            first = code
            continue
        start, first = (first if name.endswith(", Last>") else code), None
        if category != "Cs":
            points.extend(range(start, code + 1))
        if category[0] == "N":
            numbers.append(chr(code))
    blocks = collections.defaultdict(list)
    for point in points:
        blocks[point >> 7 if point < 0x3000 else point >> 10].append(chr(point))
    return list(blocks.values()), numbers


def make_texts(count, specials, seed=20240229):
    rng = random.Random(seed)
    blocks, numbers = assigned_by_block()
    near_specials = [s[:-1] for s in specials] + [s[1:] for s in specials] + ["<|", "|>", "<", ">", "<|im_", "<file"]

    def run(pool, low, high):
        return "".join(rng.choice(pool) for _ in range(rng.randint(low, high)))

    def snippet():
        s = rng.choice(SNIPPETS)
        a, b = sorted((rng.randint(0, len(s)), rng.randint(0, len(s))))
        return s if rng.random() < 0.4 else s[a:b]

    parts = [
        (30, snippet),
        (14, lambda: run(rng.choice(blocks), 1, 12)),
        (6, lambda: run([c for b in rng.sample(blocks, 3) for c in b], 1, 8)),
        (12, lambda: run(SPACES, 1, 5)),
        (8, lambda: rng.choice(CONTRACTIONS)),
        (6, lambda: run(numbers, 1, 4)),
        (4, lambda: run("0123456789", 1, 6)),
        (5, lambda: run(EMOJI, 1, 6)),
        (4, lambda: run([chr(c) for c in range(32)] + ["\x7f", "\x80", "\x9f"], 1, 4)),
        (5, lambda: rng.choice(specials)),
        (3, lambda: rng.choice(near_specials)),
        (6, lambda: run("abcdefghijklmnopqrstuvwxyz", 1, 15)),
        (3, lambda: run("!\"#$%&()*+,-./:;<=>?@[]^_`{|}~'", 1, 8)),
        (2, lambda: rng.choice("aé 中0-\n") * rng.randint(1, 90)),
        (4, lambda: " "),
        (5, lambda: "".join(rng.choice(BASES) + run(MARKS, 0, 4) for _ in range(rng.randint(1, 4)))),
        (3, lambda: run("aBcDéÉжЖǅʰ中\u0301", 1, 10)),
        (3, lambda: run("\r\n\t /!.\u00a0", 1, 8)),
        (2, lambda: "'" + run("sStTmMdDrRvVlLeEſ", 1, 3)),
    ]
    weights, makers = zip(*parts)
    texts = list(SNIPPETS) + [""] + SPACES + list(specials)
    while len(texts) < count:
        text = "".join(make() for make in rng.choices(makers, weights, k=rng.choice((1, 1, 2, 3, 5, 8))))
        texts.append(text)
    return texts[:count]


# --- the two sides -------------------------------------------------------------------------------------------------


def packed(value):
    if isinstance(value, int):
        return struct.pack("<I", value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return struct.pack("<I", len(value)) + value
    return struct.pack("<I", len(value)) + b"".join(packed(v) for v in value)


def write_dump(vocabulary, path):
    order = ("model", "pre", "tokens", "token_type", "merges", "bos_token_id", "eos_token_id")
    path.write_bytes(b"".join(packed(vocabulary[name]) for name in order))


def decant_ids(program, dump, mode, texts):
    result = subprocess.run([program, dump, mode], input=b"".join(packed(t) for t in texts), stdout=subprocess.PIPE, check=True)
    return [[int(i) for i in line.split()] for line in result.stdout.decode().splitlines()]


def report(title, texts, ours, theirs, pieces, show):
    different = [i for i in range(len(texts)) if ours[i] != theirs[i]]
    print(f"{title}: {len(texts) - len(different)} of {len(texts)} agree")
    for i in different[:show]:
        print(f"  {texts[i]!r}\n    decant {[pieces[t] for t in ours[i]]}\n    other  {[pieces[t] for t in theirs[i]]}")
    return different


def bench(program, dump, hf, path):
    text = path.read_text(encoding="utf-8")
    text *= 4_000_000 // len(text) + 1
    print(f"{path}, repeated to {len(text.encode())} bytes")
    print("decant: " + subprocess.run([program, dump, "bench"], input=text.encode(), stdout=subprocess.PIPE, check=True).stdout.decode(), end="")
    parts = [text[i:i + 20_000] for i in range(0, len(text), 20_000)]
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for part in parts:
            hf.encode(part, add_special_tokens=False)
        best = min(best, time.perf_counter() - start)
    print(f"tokenizers: {len(text.encode()) / best / 1e6:.2f} MB/s (parts of 20 kB, one thread)")


def compare_llama_cpp(model, vocabulary, texts, ours, special, show):
    """Prints the differences by class. One is known: bytes without a token (docs/tokenizer.md)."""
    import llama_cpp
    llama = llama_cpp.Llama(model_path=model, vocab_only=True, verbose=False)
    theirs = [llama.tokenize(t.encode(), add_bos=False, special=special) for t in texts]
    title = f"llama.cpp (llama-cpp-python {llama_cpp.__version__}, special={special})"
    pieces = vocabulary["tokens"]
    different = report(title, texts, ours, theirs, pieces, show)
    alphabet = bytes_to_letters()
    without_token = {byte for byte in range(256) if alphabet[byte] not in set(pieces)}
    lacking = [i for i in range(len(texts)) if without_token & set(texts[i].encode())]
    known = len(set(different) & set(lacking))
    print(f"  texts with bytes that have no token: {len(lacking)}; of the differences {known} are among them, "
          f"{len(different) - known} are not")


def bytes_to_letters():
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = iter(range(0x100, 0x200))
    return {byte: chr(byte if byte in own else next(others)) for byte in range(256)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--show", type=int, default=10, help="differences to print")
    parser.add_argument("--llama-cpp", action="store_true")
    parser.add_argument("--bench", type=pathlib.Path, metavar="TEXT", help="also measure both on this file")
    args = parser.parse_args()
    if args.llama_cpp and not args.model.endswith(".gguf"):
        parser.error("--llama-cpp needs a GGUF file")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        side = (FromGguf if args.model.endswith(".gguf") else FromJson)(args.model, folder)
        if args.bench:
            bench(args.program, side.path, side.hf(True), args.bench)
        texts = make_texts(args.count, side.specials)
        for mode in ("parse", "text"):
            ours = decant_ids(args.program, side.path, mode, texts)
            theirs = [e.ids for e in side.hf(mode == "parse").encode_batch(texts, add_special_tokens=False)]
            failed |= bool(report(f"tokenizers, {mode}", texts, ours, theirs, side.pieces, args.show))
            if args.llama_cpp:
                compare_llama_cpp(args.model, side.vocabulary, texts, ours, mode == "parse", args.show)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
