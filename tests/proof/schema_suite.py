#!/usr/bin/env python3
"""Schemas against the JSON Schema Test Suite: what decant's constraint accepts is what the suite calls valid.

    schema_suite.py SUITE

SUITE is a folder with tests/ and remotes/; the source package of the Python library jsonschema has one:

    pip download --no-deps --no-binary :all: jsonschema==4.23.0 && tar xf jsonschema-4.23.0.tar.gz
    tests/proof/schema_suite.py jsonschema-4.23.0/json

Every draft that decant knows, required and optional tests, once with `format` as an annotation and, for the tests of
formats, once asserted. Differences that are meant are those of known(); any other ends it with 1. Exit 77 where the
library or the suite is absent. The library is build/release/lib/libdecant.so, or $DECANT_LIBRARY.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "peers"))
DRAFTS = ("4", "6", "7", "2019-09", "2020-12")
FORMATS = "optional/format/"


def known(name, group, valid):
    """Why a difference is meant; nothing otherwise."""
    if name == "optional/content.json":
        return "contentMediaType and contentEncoding are annotations"
    if name.endswith("ecmascript-regex.json") and "control escape" in group:
        return "`format` is an annotation, in the metaschema too"
    if valid and name.startswith(FORMATS) and "hostname" in name:
        return "internationalised host names: not all that are valid are written"
    return None


class Counts:
    def __init__(self):
        self.right, self.meant, self.differences = 0, 0, []

    def add(self, where, reason):
        if reason is None:
            self.differences.append(where)
        else:
            self.meant += 1


def run_file(engine, file, name, counts):
    for group in json.loads(file.read_text(encoding="utf-8")):
        try:
            compiled = engine.compile(json.dumps(group["schema"], ensure_ascii=False))
        except ValueError as error:
            counts.differences.append(f"{name}: {group['description']}: {error}")
            continue
        for test in group["tests"]:
            text = json.dumps(test["data"], ensure_ascii=False).encode("utf-8", "surrogatepass")
            if engine.accepts(compiled, text) == test["valid"]:
                counts.right += 1
                continue
            verdict = "refused" if test["valid"] else "accepted"
            counts.add(f"{name}: {group['description']}: {test['description']}: {verdict}",
                       known(name, group["description"], test["valid"]))


def run_draft(suite, draft, documents):
    import decant_adapter

    engines = [decant_adapter.Byte(decant_adapter.schema_options(assert_formats, draft.encode(), documents))
               for assert_formats in (0, 1)]
    counts = Counts()
    folder = suite / "tests" / f"draft{draft}"
    for file in sorted(folder.rglob("*.json")):
        name = file.relative_to(folder).as_posix()
        run_file(engines[name.startswith(FORMATS)], file, name, counts)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path)
    suite = parser.parse_args().suite
    if not (suite / "tests" / "draft2020-12").is_dir():
        print(f"skipped: {suite} has no tests/draft2020-12")
        return 77
    try:
        import decant_adapter

        decant_adapter.library()
    except OSError as error:
        print(f"skipped: {error}")
        return 77
    documents = decant_adapter.documents_of(suite / "remotes")
    failed = False
    for draft in DRAFTS:
        counts = run_draft(suite, draft, documents)
        print(f"draft {draft}: {counts.right} right, {counts.meant} that differ by design, "
              f"{len(counts.differences)} differences", flush=True)
        for where in counts.differences:
            print(f"  {where}")
        failed = failed or bool(counts.differences)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
