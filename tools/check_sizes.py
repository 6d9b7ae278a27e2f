#!/usr/bin/env python3
"""Keeps files under 600 lines and functions under 80, and makes every file open with what it is for.

Functions are found by their braces, without parsing C++: a brace after a closing parenthesis, outside other functions,
opens one; braces of namespaces, types and initialisers do not. That is exact for code laid out by clang-format, and
good enough for a guard-rail. A `// size: reason` in the first 15 lines excuses a file; on the line of a function's
head, or on the comment right above it, a function.

The first line of a file is a comment. One that only points at the header ("See top_p.h.") says nothing.
"""
import argparse
import bisect
import pathlib
import re
import sys

import cxx_text

MAX_FILE, MAX_FUNCTION = 600, 80
FOLDERS = ["include", "src", "apps", "tests", "bench", "fuzz", "examples"]
OPENER = re.compile(r"//\s*(?!See \S+\.h\b)\S|/\*")
EXCUSE = re.compile(r"//.*\bsize: \S")
_TRANSPARENT = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b")
_ACCESS = re.compile(r"\s*(?:(?:public|private|protected)\s*:\s*)*")
_PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)


def _is_function(head):
    """Whether the text between the last ; { or } and a brace is the head of a function."""
    head = re.sub(r"\[\[[^\]]*\]\]", " ", head)
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", head, flags=re.DOTALL)
    if ")" not in head or re.search(r"(?<![=!<>+*/-])=(?!=)\s*$", head):
        return False
    before = head.split("(")[0]
    if _TRANSPARENT.search(before) and not re.search(r"\)\s*(const|noexcept|override|final|->|:|$)", head.strip()):
        return False
    if re.match(r"\s*(namespace|enum)\b", head):
        return False
    return "=" not in before or "operator" in before


def functions(code):
    """(first line, last line, name) of each function at namespace or class level. `code` has no comments."""
    code = _PREPROCESSOR.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), code)
    breaks = [match.start() for match in re.finditer("\n", code)]
    line = lambda offset: bisect.bisect_left(breaks, offset) + 1
    found, stack, head_start, open_at = [], [], 0, None
    for match in re.finditer(r"[{};]", code):
        offset, mark = match.start(), match.group()
        if open_at is None:
            if mark == "{":
                head = code[head_start:offset]
                start = head_start + _ACCESS.match(head).end()
                function = _is_function(head)
                if function or not _TRANSPARENT.search(head):
                    open_at = (len(stack), start, head if function else None)
                stack.append(mark)
            elif mark == "}" and stack:
                stack.pop()
            head_start = offset + 1
            continue
        if mark == "{":
            stack.append(mark)
        elif mark == "}" and stack:
            stack.pop()
            if len(stack) == open_at[0]:
                if open_at[2] is not None:
                    name = re.search(r"([\w:~]+(?:\s*operator\s*\S+)?)\s*\(", open_at[2])
                    found.append((line(open_at[1]), line(offset), name.group(1) if name else "?"))
                open_at, head_start = None, offset + 1
    return found


def _excused(lines, first):
    if EXCUSE.search(lines[first - 1]):
        return True
    above = first - 2
    while above >= 0 and lines[above].lstrip().startswith("//"):
        if EXCUSE.search(lines[above]):
            return True
        above -= 1
    return False


def check_text(relative, text):
    problems, lines = [], text.splitlines()
    if not lines or not OPENER.match(lines[0]):
        problems.append(f"{relative}:1: opens without a comment that says what the file is for")
    if len(lines) > MAX_FILE and not any(EXCUSE.search(line) for line in lines[:15]):
        problems.append(f"{relative}:1: {len(lines)} lines; at most {MAX_FILE}")
    for first, last, name in functions(cxx_text.blank(text)):
        if last - first + 1 > MAX_FUNCTION and not _excused(lines, first):
            problems.append(f"{relative}:{first}: {name} has {last - first + 1} lines; at most {MAX_FUNCTION}")
    return problems


def check(root):
    problems = []
    for path in cxx_text.sources(root, FOLDERS):
        problems += check_text(path.relative_to(root), path.read_text(encoding="utf-8"))
    return problems


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=cxx_text.ROOT)
    parser.add_argument("--longest", type=int, metavar="N", help="also print the N longest functions")
    options = parser.parse_args(arguments)
    if options.longest:
        sizes = []
        for path in cxx_text.sources(options.root, FOLDERS):
            for first, last, name in functions(cxx_text.blank(path.read_text(encoding="utf-8"))):
                sizes.append((last - first + 1, f"{path.relative_to(options.root)}:{first}", name))
        for size, where, name in sorted(sizes, reverse=True)[:options.longest]:
            print(f"{size:4} {where} {name}")
    return cxx_text.report(check(options.root), "check_sizes")


if __name__ == "__main__":
    sys.exit(main())
