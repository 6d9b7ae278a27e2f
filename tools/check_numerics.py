#!/usr/bin/env python3
"""Refuses what would let a machine, a compiler or a C library decide a token (docs/determinism.md).

  libm       std::exp, pow, sin and their kind, by any spelling; core/math.h has ours
  fused      fma, Highway's MulAdd family
  estimate   approximate reciprocals, Highway's math and float lane sums without a fixed order
  order      std::reduce and execution policies
  random     std:: engines and distributions; core/philox.h has ours
  flags      -ffast-math and its kind, in build files; contraction pragmas

A range-for over an unordered container is a warning: it fails nothing, but nothing of it may reach a result.
Exceptions are named in ALLOWED, each with its reason. Tests may use the C library as an approximate judge, and its engines
to make inputs.
"""
import argparse
import pathlib
import re
import sys

import cxx_text

_LIBM = (r"exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|"
         r"acosh|atanh|hypot|cbrt|erf|erfc|lgamma|tgamma")

# Rules over C++ text without comments and strings.
RULES = {
    "libm": re.compile(rf"(?:\bstd\s*::\s*|(?<![\w.>:])(?:::\s*)?)(?:__builtin_)?(?:{_LIBM})[fl]?\s*\("),
    "fused": re.compile(r"\b(?:std\s*::\s*)?(?:__builtin_)?fma[fl]?\s*\("
                        r"|\b(?:MulAdd|NegMulAdd|MulSub|NegMulSub|MulAddSub)\s*\(|\b_mm\d*_f?n?m(?:add|sub)_p[sd]\b"),
    "estimate": re.compile(r"\bApproximateReciprocal(?:Sqrt)?\b|\b_mm\d*_(?:rsqrt|rcp)(?:14|28)?_\w+"
                           r"|\b(?:SumOfLanes|ReduceSum)\s*\(\s*\w*(?:f32|f64|df|DF|d_f)\w*\s*,"),
    "order": re.compile(r"\bstd\s*::\s*(?:reduce|transform_reduce|execution)\b"),
    "random": re.compile(r"\bstd\s*::\s*(?:mt19937(?:_64)?|minstd_rand0?|ranlux\w+|knuth_b|default_random_engine|\w+_distribution"
                         r"|\w+_engine|random_device|shuffle|sample)\b|(?<![\w.>:])(?:s?rand|drand48)\s*\("),
}
# Rules over the raw text: includes and pragmas.
RAW_RULES = {
    "estimate": re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]hwy/contrib/math/", re.MULTILINE),
    "flags": re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+(?:STDC[ \t]+FP_CONTRACT[ \t]+ON|omp\b.*\breduction\b"
                        r"|GCC[ \t]+optimize|clang[ \t]+fp\b)", re.MULTILINE),
}
BUILD_FLAGS = re.compile(r"-ffast-math|-Ofast|-funsafe-math-optimizations|-fassociative-math|-freciprocal-math"
                         r"|-ffinite-math-only|-ffp-contract=(?!off)\w+|-march=native|-mfma\b|-mavx\w*")

# path: {rule: reason}
ALLOWED = {
    "src/simd/bounded_exp2-inl.h": {"fused": "a bound on the error, not the bits, is what its users rest on"},
    "apps/cli": {"random": "std::random_device draws the seed that the user did not give, and prints it"},
}

_UNORDERED = re.compile(r"\bunordered_(?:map|set|multimap|multiset)\s*<")
_NAME_AFTER_TYPE = re.compile(r"[\s&*]*([A-Za-z_]\w*)\s*(?:[;={(,)]|$)")


def allowed(relative, rule):
    text = relative.as_posix()
    if rule in ("libm", "random") and relative.name.endswith(("_test.cc", "_for_test.h", "_bench.cc", "_fuzz.cc")):
        return True
    return any(rule in rules and (text == path or text.startswith(path + "/")) for path, rules in ALLOWED.items())


def unordered_names(code):
    """Variables whose declared type is an unordered container."""
    names = set()
    for match in _UNORDERED.finditer(code):
        depth, at = 1, match.end()
        while at < len(code) and depth:
            depth += {"<": 1, ">": -1}.get(code[at], 0)
            at += 1
        name = _NAME_AFTER_TYPE.match(code, at)
        if name:
            names.add(name.group(1))
    return names


def iterations(code):
    """Offsets of range-for loops and begin() calls over those variables."""
    for name in sorted(unordered_names(code)):
        pattern = rf"\bfor\s*\([^;()]*:\s*(?:this->|\w+(?:\.|->))?{name}\s*\)|(?<![\w]){name}\.c?begin\(\)"
        for match in re.finditer(pattern, code):
            yield match.start(), name


def check_source(relative, text):
    code = cxx_text.blank(text)
    uncommented = cxx_text.blank(text, strings=False)
    problems, warnings = [], []
    for rules, body in ((RULES, code), (RAW_RULES, uncommented)):
        for rule, pattern in rules.items():
            for match in pattern.finditer(body):
                if not allowed(relative, rule):
                    problems.append((cxx_text.line_of(body, match.start()), f"{rule}: {match.group().strip().rstrip('( ')}"))
    for offset, name in iterations(code):
        warnings.append((cxx_text.line_of(code, offset), f"iterates the unordered container {name}"))
    return ([f"{relative}:{line}: {what}" for line, what in sorted(problems)],
            [f"{relative}:{line}: warning: {what}" for line, what in sorted(warnings)])


def check(root):
    problems, warnings = [], []
    for path in cxx_text.sources(root, ["include", "src", "apps"]):
        bad, doubtful = check_source(path.relative_to(root), path.read_text(encoding="utf-8"))
        problems += bad
        warnings += doubtful
    builds = [root / "CMakeLists.txt", root / "CMakePresets.json", *sorted((root / "cmake").glob("*"))]
    for folder in ("src", "apps", "tests", "bench", "fuzz"):
        builds += sorted((root / folder).rglob("CMakeLists.txt"))
    for path in builds:
        if not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            match = BUILD_FLAGS.search(line.split("#")[0])
            if match:
                problems.append(f"{path.relative_to(root)}:{number}: flags: {match.group()}")
    return problems, warnings


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=cxx_text.ROOT)
    problems, warnings = check(parser.parse_args(arguments).root)
    for warning in warnings:
        print(warning)
    return cxx_text.report(problems, "check_numerics")


if __name__ == "__main__":
    sys.exit(main())
