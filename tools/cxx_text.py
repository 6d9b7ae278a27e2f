"""C++ source with its comments and strings blanked out: what the checks in this folder search.

Blanking keeps every line and column where it was, so a match can be reported as file:line.
"""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
SUFFIXES = (".h", ".cc", ".c")

_TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/'
    r'|R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def _spaces(text):
    return re.sub(r"[^\n]", " ", text)


def blank(text, strings=True):
    """The text with comments, and unless strings=False the contents of literals, replaced by spaces."""
    def replace(match):
        token = match.group()
        if token.startswith(("//", "/*")):
            return _spaces(token)
        if not strings:
            return token
        return token[0] + _spaces(token[1:-1]) + token[-1]
    return _TOKEN.sub(replace, text)


def sources(root, folders, suffixes=SUFFIXES):
    """Every source file below the folders, in a fixed order."""
    found = []
    for folder in folders:
        found += [path for path in (root / folder).rglob("*") if path.suffix in suffixes and path.is_file()]
    return sorted(found)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def report(problems, what):
    """Prints one problem a line and a closing line; the exit status."""
    for problem in problems:
        print(problem)
    print(f"{what}: {len(problems)} problem{'' if len(problems) == 1 else 's'}")
    return 1 if problems else 0
