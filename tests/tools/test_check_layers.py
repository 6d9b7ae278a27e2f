"""tools/check_layers.py"""
import unittest

from support import TreeTest

import check_layers


class CheckLayers(TreeTest):
    def setUp(self):
        super().setUp()
        self.write("src/LAYERS", "# comment\ncore:\nsimd: core\nfilter: core simd\ntwin: core\napps/cli: core\n")
        self.write("include/decant/token.h", "#include <cstdint>\n")

    def check(self, name, text):
        self.write(name, text)
        return check_layers.check(self.root)

    def test_allows_what_the_table_allows(self):
        text = '#include "filter/a.h"\n#include <vector>\n#include "decant/token.h"\n#include "simd/x.h"\n'
        self.assertEqual(self.check("src/filter/a.cc", text), [])

    def test_refuses_an_edge_that_is_not_there_and_says_where(self):
        problems = self.check("src/core/a.cc", '// purpose\n#include "simd/x.h"\n')
        self.assertEqual(len(problems), 1)
        self.assertTrue(problems[0].startswith("src/core/a.cc:2: core may not include simd"), problems)

    def test_ignores_commented_includes(self):
        self.assertEqual(self.check("src/core/a.cc", '// #include "simd/x.h"\n/*\n#include "simd/x.h"\n*/\n'), [])

    def test_only_tests_may_include_the_twin(self):
        self.assertEqual(self.check("src/filter/a_test.cc", '#include "twin/a.h"\n'), [])
        self.assertEqual(len(self.check("src/filter/a.cc", '#include "twin/a.h"\n')), 1)

    def test_public_headers_stay_with_the_standard_library(self):
        self.assertEqual(len(self.check("include/decant/a.h", '#include "core/math.h"\n')), 1)
        self.assertEqual(len(self.check("include/decant/a.h", "#include <hwy/highway.h>\n")), 1)

    def test_a_public_header_has_to_exist(self):
        self.assertEqual(len(self.check("src/core/a.cc", '#include "decant/gone.h"\n')), 1)

    def test_bare_names_are_for_apps(self):
        self.write("apps/cli/flags.h", "")
        self.assertEqual(self.check("apps/cli/main.cc", '#include "flags.h"\n#include "core/a.h"\n'), [])
        self.assertEqual(len(self.check("src/core/a.cc", '#include "b.h"\n')), 1)

    def test_other_libraries_stay_in_their_places(self):
        self.assertEqual(self.check("src/simd/x.cc", '#include "hwy/highway.h"\n'), [])
        self.assertEqual(self.check("src/core/a_test.cc", '#include "gtest/gtest.h"\n#include <mpfr.h>\n'), [])
        self.assertEqual(len(self.check("src/core/a.cc", "#include <hwy/highway.h>\n")), 1)

    def test_a_folder_needs_a_line(self):
        self.assertEqual(len(self.check("src/extra/a.cc", "")), 1)

    def test_refuses_a_circle_and_an_unknown_module(self):
        for text in ("a: b\nb: a\n", "a: c\n"):
            with self.assertRaises(ValueError):
                check_layers.read_layers(text)


if __name__ == "__main__":
    unittest.main()
