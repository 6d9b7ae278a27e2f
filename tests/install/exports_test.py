#!/usr/bin/env python3
"""libdecant.so exports what the public headers declare, and nothing else.

    exports_test.py libdecant.so [nm]

C: exactly the functions of decant/c.h. C++: classes and functions that a public header names, in a namespace that one
opens, each with its members, its own classes, its vtable and its type information. Each free function that one declares is there.
"""
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = ROOT / "include" / "decant"
CXX_NAME = re.compile(r"(?:(?:vtable|typeinfo|typeinfo name) for )?decant::(\w+)(?:::(\w+))?")
# A function right inside a namespace, declared and not defined.
DECLARATION = re.compile(r"^(?!inline|constexpr|template|using|#)[\w:][\w:<>,&* ]*[ &*>](?P<name>[A-Z]\w*)\([^{}]*?\)(?: noexcept)?;",
                         re.MULTILINE)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def c_functions():
    text = without_comments((HEADERS / "c.h").read_text(encoding="utf-8"))
    text = re.sub(r"static inline[^{]*\{[^}]*\}", " ", text)
    return set(re.findall(r"\b(decant_\w+)\s*\(", text))


def cxx_names():
    """The words of the C++ headers, and the namespaces that they open inside decant."""
    words, namespaces = set(), set()
    for header in sorted(HEADERS.glob("*.h")):
        if header.name != "c.h":
            text = without_comments(header.read_text(encoding="utf-8"))
            words |= set(re.findall(r"\w+", text))
            namespaces |= set(re.findall(r"^namespace decant::(\w+) *\{", text, re.MULTILINE))
    return words - namespaces, namespaces


def cxx_functions():
    """The free functions that the C++ headers declare without a body."""
    functions = set()
    for header in sorted(HEADERS.glob("*.h")):
        if header.name != "c.h":
            text = without_comments(header.read_text(encoding="utf-8"))
            functions |= {match["name"] for match in DECLARATION.finditer(text)}
    return functions


def missing_cxx(symbols, functions):
    exported_names = {word for _, name in symbols for word in re.findall(r"decant::(?:\w+::)?(\w+)(?=[\[(])", name)}
    for name in sorted(functions - exported_names):
        yield f"{name} is declared in a public header; the library does not export it"


def is_public(name, names, namespaces):
    match = CXX_NAME.match(name)
    if match is None:
        return False
    first, second = match.groups()
    return (second if first in namespaces else first) in names


def symbols_in(text):
    """(letter, mangled name) of each line of `nm -D`, without the version that may follow the name."""
    for line in text.splitlines():
        _, letter, name = line.split(" ", 2)
        yield letter, name.split("@", 1)[0]


def exported(library, nm):
    """(letter, demangled name) of each symbol that the library defines for others."""
    out = subprocess.run([nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    letters, names = zip(*symbols_in(out))
    # Not nm's own -C: LLVM's leaves a name with a version mangled.
    demangler = shutil.which("c++filt") or "llvm-cxxfilt"
    plain = subprocess.run([demangler], input="\n".join(names), check=True, capture_output=True, text=True).stdout
    return list(zip(letters, plain.splitlines(), strict=True))


def problems(symbols, functions, names, namespaces):
    seen = set()
    for letter, name in symbols:
        if letter == "A":  # the version's own name
            continue
        if re.fullmatch(r"decant_\w+", name):
            seen.add(name)
            if name not in functions:
                yield f"{name} is exported; decant/c.h does not declare it"
            continue
        if not is_public(name, names, namespaces):
            yield f"{name} is exported ({letter}); no public header declares it"
    for name in sorted(functions - seen):
        yield f"{name} is declared in decant/c.h; the library does not export it"


def main():
    symbols = exported(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "nm")
    found = [*problems(symbols, c_functions(), *cxx_names()), *missing_cxx(symbols, cxx_functions())]
    print("\n".join(found) if found else f"{len(symbols)} symbols, all public")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
