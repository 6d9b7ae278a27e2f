#!/usr/bin/env python3
"""Checks that the relative links of every Markdown file lead somewhere, headings included.

extract_blocks() and console_steps() give the fenced blocks of a page, for the test that runs what the README shows.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

import cxx_text

SKIPPED = {".git", "build", "models", "venv", "node_modules", "__pycache__"}
_FENCE = re.compile(r"^(?P<indent> {0,3})(?P<fence>`{3,}|~{3,})[ \t]*(?P<language>[^\s`]*)[^\n]*$")
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^()\s<>]+(?:\([^()\s]*\))?)>?(?:\s+\"[^\"]*\")?\s*\)")
_REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s|$)", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Block:
    line: int       # of the first line inside the fence, 1-based
    language: str   # "console"; empty when the fence names none
    text: str       # without the fences


@dataclasses.dataclass(frozen=True)
class Step:
    line: int
    command: str
    output: str     # what the page shows after it; may be empty


def _walk(text):
    """(line number, line, block or None) for each line; block = (start, language) inside a fence."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        match = _FENCE.match(line)
        if fence is None and match:
            fence = (match.group("fence"), number + 1, match.group("language"))
            yield number, line, "fence"
        elif fence and match and match.group("fence").startswith(fence[0]) and not match.group("language"):
            fence = None
            yield number, line, "fence"
        else:
            yield number, line, fence[1:] if fence else None


def extract_blocks(text, language=None):
    """The fenced blocks of a page, in order; with a language only those of that language."""
    blocks, current = [], None
    for _, line, state in _walk(text):
        if isinstance(state, tuple):
            if current is None or current[0] != state:
                current = (state, [])
                blocks.append(current)
            current[1].append(line)
        else:
            current = None
    result = [Block(start, name, "".join(line + "\n" for line in lines)) for (start, name), lines in blocks]
    return [block for block in result if language is None or block.language == language]


def console_steps(block):
    """The commands of a console block ("$ command", continued by a final backslash) with the output shown for each."""
    steps, command, output, first = [], None, [], 0
    for number, line in enumerate(block.text.splitlines(), block.line):
        if command is not None and command.endswith("\\") and not output:
            command = command[:-1].rstrip() + " " + line.strip()
        elif line.startswith("$ "):
            if command is not None:
                steps.append(Step(first, command, "".join(output)))
            command, output, first = line[2:].strip(), [], number
        elif command is not None:
            output.append(line + "\n")
    if command is not None:
        steps.append(Step(first, command, "".join(output)))
    return steps


def slug(heading):
    """GitHub's anchor of a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    found, seen = set(re.findall(r"<a\s+(?:id|name)=\"([^\"]+)\"", text)), {}
    for _, line, state in _walk(text):
        match = state is None and re.match(r" {0,3}#{1,6}\s+(.*?)\s*#*$", line)
        if match:
            name = slug(match.group(1))
            seen[name] = seen.get(name, -1) + 1
            found.add(f"{name}-{seen[name]}" if seen[name] else name)
    return found


def links(text):
    """(line, target) of each link outside code."""
    prose = []
    for _, line, state in _walk(text):
        prose.append("" if state else re.sub(r"`+[^`]*`+", lambda match: "x" * len(match.group()), line))
    body = "\n".join(prose)
    for pattern in (_LINK, _REFERENCE):
        for match in pattern.finditer(body):
            yield cxx_text.line_of(body, match.start(1)), match.group(1)


def pages(root):
    return sorted(path for path in root.rglob("*.md")
                  if not SKIPPED & set(path.relative_to(root).parts))


def check(root):
    problems = []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        for line, target in links(text):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            name, _, fragment = target.partition("#")
            destination = (page.parent / name).resolve() if name else page
            where = f"{page.relative_to(root)}:{line}"
            if not destination.exists():
                problems.append(f"{where}: {target} does not exist")
            elif fragment and destination.suffix == ".md" and \
                    fragment not in anchors(destination.read_text(encoding="utf-8")):
                problems.append(f"{where}: {target}: no such heading")
    return problems


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=cxx_text.ROOT)
    return cxx_text.report(check(parser.parse_args(arguments).root), "check_docs")


if __name__ == "__main__":
    sys.exit(main())
