"""tools/check_sizes.py"""
import pathlib
import unittest

from support import TreeTest

import check_sizes
import cxx_text


def names(text):
    return [(name, last - first + 1) for first, last, name in check_sizes.functions(cxx_text.blank(text))]


class CheckSizes(TreeTest):
    def test_finds_functions_in_namespaces_and_classes(self):
        text = ("namespace a {\nclass B : public C {\n public:\n  int f() const {\n    return 1;\n  }\n};\n"
                "int g(int x) {\n  if (x) {\n    return 2;\n  }\n  return 3;\n}\n}  // namespace a\n")
        self.assertEqual(names(text), [("f", 3), ("g", 6)])

    def test_tables_are_not_functions(self):
        self.assertEqual(names("const int kTable[] = {\n  F(1), {2},\n};\nstatic const auto x = G(3);\n"), [])

    def test_lambdas_and_initialiser_lists_stay_inside(self):
        text = "A::A(int x) : x_(x) {\n  auto f = [&](int y) {\n    return y;\n  };\n}\nvoid h() {}\n"
        self.assertEqual(names(text), [("A::A", 5), ("h", 1)])

    def test_a_long_function_is_a_problem_unless_it_says_why(self):
        body = "  x();\n" * 90
        long, excused = f"void f() {{\n{body}}}\n", f"// size: one table\nvoid f() {{\n{body}}}\n"
        problems = check_sizes.check_text(pathlib.Path("src/a.cc"), "// A.\n" + long)
        self.assertEqual(problems, ["src/a.cc:2: f has 92 lines; at most 80"])
        self.assertEqual(check_sizes.check_text(pathlib.Path("src/a.cc"), excused), [])

    def test_a_long_file_is_a_problem_unless_it_says_why(self):
        self.write("src/a.cc", "// A.\n" + "int x;\n" * 600)
        self.write("src/b.cc", "// Generated. size: a table\n" + "int x;\n" * 601)
        self.assertEqual(check_sizes.check(self.root), ["src/a.cc:1: 601 lines; at most 600"])

    def test_a_file_opens_with_what_it_is_for(self):
        missing = "src/a.cc:1: opens without a comment that says what the file is for"
        for text in ["", '#include "a.h"\n', "\n// Late.\n", "//\n// Late.\n", '// See a.h.\n#include "a.h"\n']:
            self.assertEqual(check_sizes.check_text(pathlib.Path("src/a.cc"), text), [missing], text)
        for text in ["// Sorting by halves.\n", "// See through the eyes of a.h: all of it.\n", "/* C. */\n"]:
            self.assertEqual(check_sizes.check_text(pathlib.Path("src/a.cc"), text), [], text)


if __name__ == "__main__":
    unittest.main()
