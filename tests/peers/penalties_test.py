"""docs/penalties.md shows the tables of tests/golden/penalties_report.txt, and the report's own judges judge well.

The report itself takes ten minutes and runs by hand: penalties_report.py --check.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/peers"))
import penalties_report  # noqa: E402
from penalties_validity import json_error, python_error, similar_methods, similar_objects  # noqa: E402


def tables(text):
    return [found[0] for found in re.finditer(r"(?m)^\|(?:.*\n)(?:^\|.*\n)+", text)]


class PageTest(unittest.TestCase):
    def test_shows_the_tables_of_the_report(self):
        golden = tables(penalties_report.GOLDEN.read_text(encoding="utf-8"))
        page = tables((ROOT / "docs/penalties.md").read_text(encoding="utf-8"))
        self.assertEqual(len(golden), 6)
        self.assertEqual(page, golden, "docs/penalties.md; its figures come from tests/peers/penalties_report.py")


class JsonErrorTest(unittest.TestCase):
    def test_takes_every_beginning_of_a_document(self):
        document = '[{"a": -1.5e+3, "b": [true, false, null], "c": "x\\n\\u00e9"}, {}, 0]'
        for cut in range(1, len(document)):
            self.assertIsNone(json_error(document[:cut], document[cut:]), document[:cut])
            self.assertIsNone(json_error("", document[:cut]), document[:cut])

    def test_finds_the_first_wrong_character(self):
        cases = [("[", "1,}", 2), ('{"a"', " 1", 1), ("[1]", "\n```", 1), ('["a', "\nb", 0), ("[", "tru,", 3), ("[", "]]", 1),
                 ("{", "]", 0), ("[1,", "]", 0), ('{"a": 1,', "}", 0), ('["', '\\"x" "', 5), ('{"a": 1', ", b", 2),
                 ("[", '"\\x', 2), ("[", "1.,", 2), ("[", "01", 1), ("[1", " 2", 1), ("[", "Infinity", 0)]
        for before, added, error in cases:
            self.assertEqual(json_error(before, added), error, before + added)


class PythonErrorTest(unittest.TestCase):
    def test_takes_whole_lines_and_leaves_the_last_one_open(self):
        for added in ["", "x = 1\n", "x = 1\ny = (", "def f(a):\n", "    b = 2\n    if b:\n        retur", "x = [\n    1,\n]\n",
                      "    f({\n        1: 2,\n", "    x = \"\"\"one\ntwo\n"]:
            self.assertIsNone(python_error("def g():\n    a = 1\n", added), added)

    def test_finds_the_first_wrong_line(self):
        self.assertEqual(python_error("x = 1\n", "y = 2\nthis is plain text\nz = 3\n"), 6)
        self.assertEqual(python_error("def f():\n    if x", ":\n  y = 1\n"), 2)
        self.assertEqual(python_error("def f(", "self: pass\nx\n"), 0)
        self.assertEqual(python_error("def f():\n    g(\n", "        a,\n        b c,\n        d\n"), 11)
        self.assertEqual(python_error("def f():\n", "    x = 1\n      y = 2\n"), 10)


class CountTest(unittest.TestCase):
    def test_counts_complete_objects_like_the_first(self):
        for text, count in [('[{"a": 1, "b": 2}, {"a": 3, "b": [4]}, {"a"', 2), ('[{"a": 1}, {"b": 1}, {"a": 2}, 3]\n', 2)]:
            self.assertEqual(similar_objects(text), count, text)

    def test_counts_methods_like_the_second(self):
        method = "    def {}(self, a):\n        self.{}.append(a)\n        return {}\n"
        methods = "".join(method.format(*names) for names in ("fga", "hia", "jka", "lmb"))
        text = f"class A:\n    x = 1\n{methods}    def o(self, a):"
        self.assertEqual(similar_methods(text), 3)
        self.assertEqual(similar_methods("def f(:\n"), 0)


if __name__ == "__main__":
    unittest.main()
