#!/usr/bin/env python3
"""Refuses any #include that src/LAYERS does not allow.

  include/decant/   may include the standard library and other public headers, nothing else
  src/MODULE/       may include public headers, itself, and the modules on its line of src/LAYERS
  apps/NAME/        the same, by the line apps/NAME
  tests, benchmarks and fuzzers of a module may include `twin` and `tests/` besides
  other libraries stay where THIRD_PARTY says, so that what a user has to install stays small

Headers of src/ are named from src/ ("core/math.h"), those of an app by their bare name.
"""
import argparse
import pathlib
import re
import sys

import cxx_text

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
C_HEADERS = {"stdbool.h", "stddef.h", "stdint.h"}  # for decant/c.h
# Where another library may be included; tests may include all of them.
THIRD_PARTY = {
    "hwy/": {"simd"},
    "rapidjson/": {"json"},
    "CLI/": {"apps/cli"},
    "fmt/": {"apps/cli"},
    "toml++/": {"apps/cli"},
    "gtest/": set(),
    "gmock/": set(),
    "benchmark/": set(),
    "mpfr.h": set(),
}
TEST_SUFFIXES = ("_test.cc", "_test.c", "_bench.cc", "_fuzz.cc", "_test.h")


def read_layers(text):
    """{module: set of modules it may include}; ValueError for a module without a line or a circle."""
    layers = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        name, colon, edges = line.partition(":")
        if not colon or name.strip() in layers:
            raise ValueError(f"src/LAYERS:{number}: expected one 'module: modules' line for each module")
        layers[name.strip()] = set(edges.split())
    for name, edges in layers.items():
        for edge in edges - layers.keys():
            raise ValueError(f"src/LAYERS: {name} names {edge}, which has no line")
    done = set()
    while len(done) < len(layers):
        ready = [name for name, edges in layers.items() if name not in done and edges <= done]
        if not ready:
            raise ValueError(f"src/LAYERS: a circle among {', '.join(sorted(layers.keys() - done))}")
        done.update(ready)
    return layers


def module_of(relative):
    """"src/core/math.cc" is in core, "apps/cli/main.cc" in apps/cli, a file right in src/ in none."""
    parts = relative.parts
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else None
    return "/".join(parts[:2]) if len(parts) > 2 else None


def check_public(name, quote):
    if quote == '"':
        return None if name.startswith("decant/") else f'a public header includes "{name}"; only decant/… may be quoted'
    if name in C_HEADERS or re.fullmatch(r"[a-z0-9_]+", name):
        return None
    return f"a public header includes <{name}>; only the standard library is allowed"


def check_third_party(relative, module, name):
    for prefix, modules in THIRD_PARTY.items():
        if name.startswith(prefix):
            if module in modules or relative.name.endswith(TEST_SUFFIXES):
                return None
            return f"{module} may not include <{name}>; allowed in: {' '.join(sorted(modules)) or 'tests'}"
    return None


def check_internal(root, relative, module, name, layers):
    if name.startswith("decant/"):
        return None if (root / "include" / name).is_file() else f'"{name}" is not in include/'
    if module.startswith("apps/") and (root / relative.parent / name).is_file():
        return None
    allowed = set(layers[module]) | {module}
    if relative.name.endswith(TEST_SUFFIXES):
        allowed |= {"twin", "tests"}
    target = next((candidate for candidate in sorted(layers.keys() | {"tests"}, key=len, reverse=True)
                   if name.startswith(candidate + "/")), None)
    if target is None:
        return f'"{name}" starts with no module; name headers from src/, like "core/math.h"'
    if target not in allowed:
        return f'{module} may not include {target} ("{name}"); src/LAYERS allows: {" ".join(sorted(layers[module])) or "nothing"}'
    return None


def check(root):
    problems = []
    try:
        layers = read_layers((root / "src" / "LAYERS").read_text(encoding="utf-8"))
    except ValueError as problem:
        return [str(problem)]
    for path in cxx_text.sources(root, ["include", "src", "apps"]):
        relative = path.relative_to(root)
        public = relative.parts[0] == "include"
        module = None if public else module_of(relative)
        if not public and module not in layers:
            problems.append(f"{relative}:1: {module or 'a file outside every module'} has no line in src/LAYERS")
            continue
        text = cxx_text.blank(path.read_text(encoding="utf-8"), strings=False)
        for match in INCLUDE.finditer(text):
            quote, name = match.groups()
            if public:
                problem = check_public(name, quote)
            elif not name.startswith("decant/") and (quote == "<" or name.startswith(tuple(THIRD_PARTY))):
                problem = check_third_party(relative, module, name)
            else:
                problem = check_internal(root, relative, module, name, layers)
            if problem:
                problems.append(f"{relative}:{cxx_text.line_of(text, match.start(1))}: {problem}")
    return problems


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=cxx_text.ROOT)
    return cxx_text.report(check(parser.parse_args(arguments).root), "check_layers")


if __name__ == "__main__":
    sys.exit(main())
