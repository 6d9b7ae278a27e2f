#!/usr/bin/env python3
"""Every piece of C, C++ and CMake in docs/embedding.md stands, line for line, in a file of examples/embed that is built."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import check_docs  # noqa: E402

PAGE = "docs/embedding.md"
SOURCES = {
    "c": ["examples/embed/c/main.c"],
    "cpp": ["examples/embed/cpp/main.cc"],
    "cmake": ["examples/embed/c/CMakeLists.txt", "examples/embed/cpp/CMakeLists.txt", "tests/install/host/CMakeLists.txt"],
    "make": ["examples/embed/c/Makefile"],
    "text": ["examples/embed/output.txt"],
}


def main():
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    shown = strangers = 0
    for language, names in SOURCES.items():
        sources = [(ROOT / name).read_text(encoding="utf-8") for name in names]
        for block in check_docs.extract_blocks(text, language):
            shown += 1
            if any(block.text in source for source in sources):
                continue
            strangers += 1
            print(f"{PAGE}:{block.line}: this {language} is in none of {', '.join(names)}")
    print(f"{PAGE}: {shown} pieces, {strangers} that no example has")
    return 1 if strangers or not shown else 0


if __name__ == "__main__":
    sys.exit(main())
