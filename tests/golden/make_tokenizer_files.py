#!/usr/bin/env python3
"""Writes tests/golden/tokenizers: small tokenizer.json files, one for each pre-tokenizer, and what they give.

  make_tokenizer_files.py

Trains byte-level BPE vocabularies of about 600 tokens with Hugging Face `tokenizers` 0.23.3 on the snippets of
tests/peers/tokenizer_peer.py, writes each as NAME.json, and token ids of nasty texts as NAME.jsonl. A line there is
{"text", "ids", "special": "parse" | "text"}; "text" means without the added tokens. Each file spells what it may spell
in more than one way (merges as texts or pairs, Isolated or Removed, missing fields) in another way.
"""
import json
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))
from tokenizer_peer import SNIPPETS  # noqa: E402

CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
TAIL = r"\s*[\r\n]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + TAIL
QWEN2 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|" + TAIL
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
HEAD = r"[^\r\n\p{L}\p{N}]?"
GPT4O = (f"{HEAD}{UPPER}*{LOWER}+{CONTRACTIONS}?|{HEAD}{UPPER}+{LOWER}*{CONTRACTIONS}?|" +
         r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|" + TAIL)

BYTES = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
BYTES_AND_CUTS = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)


def split(expression, behavior="isolated", invert=False):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(expression), behavior, invert), BYTES])


PRE = {
    "gpt2": BYTES_AND_CUTS,
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), BYTES_AND_CUTS]),
    "llama3": split(LLAMA3),
    "qwen2": split(QWEN2),
    "gpt4o": split(GPT4O, "removed", True),
}
SPECIALS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
TEXTS = [
    "", " ", "Hello, world!", "It's what they've said: we'll go, I'm sure; you'd be late.", "IT'S 'RUDE' ''s !'t 'LL 'Re 'vE",
    "it'ſ 'ſt ' s 'l 'r 'ver 'lla don'tcha", "a  b   c    d ", "tab\there\n\n\nlines\r\n  end  \n", "   leading and trailing   ",
    "x\u00a0y\u2028z\u3000w\x0b\x0c\x85v", "\u00a0\u00a0a \u3000 \u3000b", "0 1  23   456\t7", "3.14159 1,000,000 0x7fff 2024-02-29",
    "1234567890 12 1234", "²½Ⅷ१२३①٤𝟘𝟙", "a1b22c333d4444", "def f(x):\n    return x ** 2  # square\n",
    "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}", '{"key": [1, 2.5e-3, null]}', "a!!\n\nb ...\r\n c?\n/ //\n/x",
    " \n \n\n  a\n b \t\n", "\r\r\n\n\r", "end\n", "camelCaseXMLHttpRequest ABCdef ABC'S iPhone15Pro", "ÀÉÎõü ÑANDÚ éA Éa ǅungla Aʰ ʰA 中A中a",
    "l'été, j'ai mangé des œufs", "Größe und Übermut, STRASSE", "Съешь же ещё этих мягких БУЛОК", "Η γρήγορη αλεπού", "快速的棕色狐狸跳过了懒狗。",
    "いろはにほへと ちりぬるを", "다람쥐 헌 쳇바퀴에", "نص حكيم له سر قاطع", "ऋषियों को सताने", "เป็นมนุษย์สุดประเสริฐ", "👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️‍🔥",
    "e\u0301 o\u0308 a\u200bb\ufeffc", "cafe\u0301 cafe\u0301s E\u0301A", "q\u0323\u0307 q\u0307\u0323 \u212b \u2126 \u0344 \uf900 \u0958", "\u0301a !\u0301b \u0301\u0301 \u0301A",
    "\u1100\u1161\u11a8 \uac00\u11a8 가각", "x>\u0338y <\u0338", "a\x00b\x01\x04c\x7f", "\ufffd\U0010ffff\U000e0001", "a" * 70, "é" * 40, " " * 50 + "x", "=" * 80,
    "\n" * 40 + "x", "1" * 50, "supercalifragilisticexpialidocious antidisestablishmentarianism", "unmergeable unmergeable", "\u03a9 \u03c9\u0345 \u1f80",
]
SPECIAL_TEXTS = [
    "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n", "a  <|endoftext|> b", "<|im_start<|im_end|>><|endoftext|",
    "<|im_end|>'s\n\n<|im_end|>\u0338", "<think>so</think> <thin>", "a==>b===>c", "cafe\u0301! caf\u00e9! cafe!", "==><think><|im_end|>",
]


def train(name):
    tokenizer = Tokenizer(models.BPE(ignore_merges=name == "llama3"))
    tokenizer.pre_tokenizer = PRE[name]
    tokenizer.decoder = decoders.ByteLevel()
    if name == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    specials = SPECIALS if name in ("gpt2", "smollm") else []  # the others have theirs outside of the vocabulary
    trainer = trainers.BpeTrainer(vocab_size=600, min_frequency=2, special_tokens=specials, show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([s + " " + s.lower() for s in SNIPPETS], trainer)
    tokenizer.add_special_tokens([AddedToken(s, special=True, normalized=False) for s in SPECIALS])
    if name in ("qwen2", "llama3"):
        tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
        tokenizer.add_tokens([AddedToken("==>"), AddedToken("cafe\u0301!"), AddedToken("===>")])
    return json.loads(tokenizer.to_str())


def vary(name, content):
    """The same tokenizer, spelled as files in the wild spell it."""
    model = content["model"]
    if name == "llama3":
        # Two tokens that no merge makes, at ids that leave gaps, for the two learned last: `tokenizers` counts added
        # tokens on from the size of the vocabulary.
        for left, right in model["merges"][-2:]:
            del model["vocab"][left + right]
        del model["merges"][-2:]
        model["vocab"] |= {"Ġunmergeable": 1200, "unm": 1201}
        content["post_processor"] = {"type": "Sequence", "processors": [
            {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False, "use_regex": True},
            {"type": "TemplateProcessing",
             "single": [{"SpecialToken": {"id": "<|im_start|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
             "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
             "special_tokens": {"<|im_start|>": {
                 "id": "<|im_start|>", "tokens": ["<|im_start|>"],
                 "ids": [next(t["id"] for t in content["added_tokens"] if t["content"] == "<|im_start|>")]}}}]}
    if name in ("gpt2", "gpt4o"):
        model["merges"] = [" ".join(pair) for pair in model["merges"]]
    if name == "gpt2":
        for key in ("type", "byte_fallback", "ignore_merges"):  # older files lack them
            del model[key]
        model["unk_token"] = "<|endoftext|>"
    if name == "qwen2":
        model["continuing_subword_prefix"] = model["end_of_word_suffix"] = ""
        content["normalizer"] = {"type": "Sequence", "normalizers": [content["normalizer"]]}
    return content


def main():
    for name in PRE:
        content = vary(name, train(name))
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        (HERE / "tokenizers" / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        with open(HERE / "tokenizers" / f"{name}.jsonl", "w", encoding="utf-8") as out:
            for special in ("parse", "text"):
                bare = content | {"added_tokens": [], "post_processor": None}
                tokenizer = Tokenizer.from_str(json.dumps(content if special == "parse" else bare))
                for line in (TEXTS if special == "parse" else []) + SPECIAL_TEXTS:
                    ids = tokenizer.encode(line, add_special_tokens=False).ids
                    out.write(json.dumps({"text": line, "ids": ids, "special": special}) + "\n")


if __name__ == "__main__":
    main()
