#!/usr/bin/env python3
"""Every piece of C, C++ and CMake in these pages stands, line for line, in a file of examples that is built."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402

# By page and language: where its pieces may stand.
PAGES = {
    "docs/embedding.md": {
        "c": ["examples/embed/c/main.c"],
        "cpp": ["examples/embed/cpp/main.cc"],
        "cmake": ["examples/embed/c/CMakeLists.txt", "examples/embed/cpp/CMakeLists.txt",
                  "tests/install/host/CMakeLists.txt"],
        "make": ["examples/embed/c/Makefile"],
        "text": ["examples/embed/output.txt"],
    },
    "docs/constraints.md": {"cpp": ["examples/json.cc"], "c": ["examples/choose.c"]},
    "docs/sampling.md": {"cpp": ["examples/custom_stage.cc"]},
}


def check(page, sources_by_language):
    text = (ROOT / page).read_text(encoding="utf-8")
    shown = strangers = 0
    for language, names in sources_by_language.items():
        sources = [(ROOT / name).read_text(encoding="utf-8") for name in names]
        for block in check_docs.extract_blocks(text, language):
            shown += 1
            if any(block.text in source for source in sources):
                continue
            strangers += 1
            print(f"{page}:{block.line}: this {language} is in none of {', '.join(names)}")
    print(f"{page}: {shown} pieces, {strangers} that no example has")
    return strangers == 0 and shown > 0


def main():
    return 0 if all([check(page, sources) for page, sources in PAGES.items()]) else 1


if __name__ == "__main__":
    sys.exit(main())
