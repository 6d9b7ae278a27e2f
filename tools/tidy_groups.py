#!/usr/bin/env python3
"""Groups the sources so that clang-tidy reads each header once a group, not once a file: most of its time goes there.

    tidy_groups.py BUILD OUT FILE...

BUILD has compile_commands.json. In OUT, each group becomes a source that includes its files, with a compile_commands.json
for all of them; the paths of these sources are printed, the largest first. A group holds files of one folder and one set of
flags that compile together: a file that repeats another's names goes into the next group. Kernels that compile once for
each instruction set stay alone.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
ALONE = re.compile(r"hwy/foreach_target\.h")
# Flags that say what to write, and precompiled headers; and what makes an error of a warning, which tidy.sh decides.
PAIRS = {"-o", "-c", "-Xclang", "-MF", "-MT", "-MQ"}
SINGLES = {"-MD", "-MMD", "-Winvalid-pch", "-Werror"}


def flags_of(command):
    """A compile command's compiler and flags, without its file, its output and its precompiled header."""
    kept, words = [], iter(shlex.split(command))
    for word in words:
        if word in PAIRS:
            next(words)
        elif word not in SINGLES:
            kept.append(word)
    return kept


def source_of(files):
    return "".join(f'#include "{file}"  // NOLINT\n' for file in files)


def clashing(flags, files):
    """Those of the files that do not compile after the others, in order."""
    done = subprocess.run([*flags, "-w", "-fsyntax-only", "-ferror-limit=0", "-fno-caret-diagnostics", "-x", "c++", "-"],
                          input=source_of(files), capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return []
    at = set(re.findall(r"^([^:\n]+):\d+:\d+: (?:fatal )?error:", done.stderr, re.MULTILINE))
    found = [file for file in files if str(file) in at]
    # An error of a file on its own is clang-tidy's to report; one in a header names no file here.
    return found if found and len(files) > 1 else files[1:]


def groups_of(flags, files):
    """The files in groups, each of which compiles as one source."""
    groups, left = [], list(files)
    while left:
        group = left
        while len(group) > 1 and (out := clashing(flags, group)):
            group = [file for file in group if file not in out] or [out[0]]
        groups.append(group)
        left = [file for file in left if file not in group]
    return groups


def main():
    build, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    commands = {pathlib.Path(entry["file"]).resolve(): flags_of(entry["command"])
                for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))}
    together = {}
    for name in sys.argv[3:]:
        file = pathlib.Path(name).resolve()
        if file not in commands:
            sys.exit(f"error: {build}/compile_commands.json does not know {name}")
        alone = ALONE.search(file.read_text(encoding="utf-8")) is not None
        together.setdefault((file.parent, tuple(commands[file]), file if alone else None), []).append(file)
    with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("JOBS", os.cpu_count() or 2))) as pool:
        sets = list(pool.map(lambda item: [(item[0][1], group) for group in groups_of(item[0][1], item[1])], together.items()))
    groups = sorted((group for found in sets for group in found), key=lambda group: -len(group[1]))
    out.mkdir(parents=True, exist_ok=True)
    entries = []
    for number, (flags, files) in enumerate(groups):
        source = (out / f"{files[0].parent.name}_{number}.cc").resolve()
        source.write_text(source_of(files), encoding="utf-8")
        entries.append({"directory": str(ROOT), "file": str(source), "arguments": [*flags, "-c", str(source)]})
        print(source)
    (out / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


if __name__ == "__main__":
    main()
