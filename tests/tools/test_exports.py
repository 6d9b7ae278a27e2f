"""The check of exported symbols (tests/install/exports_test.py) finds what it is there to find."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "install"))
import exports_test  # noqa: E402

FUNCTIONS, NAMES, NAMESPACES = {"decant_version"}, {"Sampler", "MakeSampler", "Report"}, {"reference"}


def found(*names):
    return list(exports_test.problems([("T", name) for name in ("decant_version", *names)], FUNCTIONS, NAMES, NAMESPACES))


class ExportsTest(unittest.TestCase):
    def test_public_names_pass(self):
        self.assertEqual(found("decant::MakeSampler(int)", "vtable for decant::Sampler", "decant::Sampler::~Sampler()",
                               "decant::reference::Report(int)"), [])

    def test_private_names_are_found(self):
        for name in ("decant::simd::Weigh()", "hwy::Abort()", "rapidjson::Reader", "std::vector<int>::_M_realloc_insert()",
                     "decant::Hidden()", "decant::reference::Hidden()", "decant_extra", "malloc"):
            with self.subTest(name):
                self.assertEqual(len(found(name)), 1)

    def test_a_missing_function_is_found(self):
        self.assertEqual(len(list(exports_test.problems([], FUNCTIONS, NAMES, NAMESPACES))), 1)

    def test_a_missing_cxx_function_is_found(self):
        symbols = [("T", "decant::MakeSampler(decant::Chain)"), ("T", "decant::reference::Report[abi:cxx11](int)")]
        self.assertEqual(list(exports_test.missing_cxx(symbols, {"MakeSampler", "Report"})), [])
        self.assertEqual(len(list(exports_test.missing_cxx(symbols, {"Chain"}))), 1)

    def test_versions_are_cut_off_as_each_nm_prints_them(self):
        text = "0000000000000000 A DECANT_0.1\n0000000000001000 T decant_version@@DECANT_0.1\n0000000000002000 W _ZN6decant1AD1Ev"
        self.assertEqual(list(exports_test.symbols_in(text)),
                         [("A", "DECANT_0.1"), ("T", "decant_version"), ("W", "_ZN6decant1AD1Ev")])

    def test_functions_are_read_from_the_header(self):
        functions = exports_test.c_functions()
        self.assertIn("decant_batch_sample", functions)
        self.assertNotIn("decant_row_f32", functions)
        functions = exports_test.cxx_functions()
        self.assertLessEqual({"MakeSampler", "FindParameter", "ErrorCodes", "BuiltInCheckpoint"}, functions)
        self.assertNotIn("Fail", functions)


if __name__ == "__main__":
    unittest.main()
