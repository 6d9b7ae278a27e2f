#!/usr/bin/env python3
"""libdecant.so exports what the public headers declare, and nothing else.

    exports_test.py libdecant.so [nm]

C: exactly the functions of decant/c.h. C++: names right inside namespace decant, classes and functions that a public
header names, each with its members, its vtable and its type information.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "decant"
CXX_NAME = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?decant::(\w+)")
# What a class keeps to itself, declared in its header and defined in a source.
PRIVATE = re.compile(r"^decant::\w+::(?:Pool|Parts|Impl)(?:::|$)")


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def c_functions():
    text = without_comments((HEADERS / "c.h").read_text(encoding="utf-8"))
    text = re.sub(r"static inline[^{]*\{[^}]*\}", " ", text)
    return set(re.findall(r"\b(decant_\w+)\s*\(", text))


def cxx_names():
    words = set()
    for header in sorted(HEADERS.glob("*.h")):
        if header.name != "c.h":
            words |= set(re.findall(r"\w+", without_comments(header.read_text(encoding="utf-8"))))
    return words


def exported(library, nm):
    """(letter, demangled name) of each symbol that the library defines for others."""
    out = subprocess.run([nm, "-D", "-C", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        _, letter, name = line.split(" ", 2)
        yield letter, name.split("@@")[0]


def problems(symbols, functions, names):
    seen = set()
    for letter, name in symbols:
        if letter == "A":  # the version's own name
            continue
        if re.fullmatch(r"decant_\w+", name):
            seen.add(name)
            if name not in functions:
                yield f"{name} is exported; decant/c.h does not declare it"
            continue
        match = CXX_NAME.match(name)
        if match is None or match.group(1) not in names or PRIVATE.match(name):
            yield f"{name} is exported ({letter}); no public header declares it"
    for name in sorted(functions - seen):
        yield f"{name} is declared in decant/c.h; the library does not export it"


def main():
    symbols = list(exported(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "nm"))
    found = list(problems(symbols, c_functions(), cxx_names()))
    print("\n".join(found) if found else f"{len(symbols)} symbols, all public")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
