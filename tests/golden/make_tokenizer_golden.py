#!/usr/bin/env python3
"""Writes tests/golden/tokenizer.jsonl: token ids of a few texts from Hugging Face `tokenizers` 0.23.3.

  make_tokenizer_golden.py SmolLM2-135M-Instruct.Q4_1.gguf

A line is {"text", "ids", "special": "parse" | "text"}: special tokens recognised, or every text as ordinary text.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "peers"))
from tokenizer_peer import hf_tokenizer, read_gguf  # noqa: E402

TEXTS = [
    "", " ", "Hello, world!", "The quick brown fox jumps over the lazy dog.", "It's what they've said: we'll go, I'm sure; you'd be late.",
    "IT'S 'RUDE' ''s !'t", "a  b   c    d ", "tab\there\n\n\nlines\r\n  end  \n", "   leading and trailing   ",
    "x\u00a0y\u2028z\u3000w\x0b\x0c\x85v", "0 1  23   456\t7", "3.14159 1,000,000 0x7fff 2024-02-29", "²½Ⅷ१२३①٤𝟘",
    "def f(x):\n    return x ** 2  # square\n", "for (int i = 0; i < n; ++i) {\n\tsum += a[i];\n}", '{"key": [1, 2.5e-3, null]}',
    "l'été, j'ai mangé des œufs", "Größe und Übermut", "Съешь же ещё этих мягких булок", "Η γρήγορη αλεπού",
    "快速的棕色狐狸跳过了懒狗。", "いろはにほへと ちりぬるを", "다람쥐 헌 쳇바퀴에", "نص حكيم له سر قاطع", "ऋषियों को सताने", "เป็นมนุษย์สุดประเสริฐ",
    "👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ❤️‍🔥", "e\u0301 o\u0308 a\u200bb\ufeffc", "a\x00b\x01\x04c\x7f", "a" * 70, " " * 50 + "x", "=" * 80,
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
]
SPECIAL_TEXTS = [
    "<|im_start|>user\nHello!<|im_end|>\n<|im_start|>assistant\n", "a  <|endoftext|> b", "<|im_start|<|im_end|>><file_sep>1<filename>x",
    "<reponame><repo_name><repo_nam>", "<|im_end|>'s\n\n<|im_end|>",
]


def main():
    vocabulary = read_gguf(sys.argv[1])
    with open(HERE / "tokenizer.jsonl", "w", encoding="utf-8") as out:
        for special in ("parse", "text"):
            tokenizer = hf_tokenizer(vocabulary, special == "parse")
            for text in (TEXTS if special == "parse" else []) + SPECIAL_TEXTS:
                ids = tokenizer.encode(text, add_special_tokens=False).ids
                out.write(json.dumps({"text": text, "ids": ids, "special": special}) + "\n")


if __name__ == "__main__":
    main()
