"""tools/check_numerics.py"""
import pathlib
import unittest

from support import TreeTest

import check_numerics


class CheckNumerics(TreeTest):
    def problems(self, text, name="src/core/a.cc"):
        return check_numerics.check_source(pathlib.Path(name), text)[0]

    def test_refuses_the_c_librarys_functions(self):
        for call in ("std::exp(x)", "std::pow(x, 2)", "exp(x)", "logf(x)", "::sin(x)", "__builtin_tanh(x)", "std::exp2f (x)"):
            self.assertEqual(len(self.problems(f"auto y = {call};\n")), 1, call)

    def test_leaves_our_own_alone(self):
        for call in ("core::Exp2(x)", "Log2(x)", "std::sqrt(x)", "std::ldexp(x, n)", "writer.log(x)", "logits(x)",
                     "kernel::exp(x)", "log->exp(x)", "std::expected<int, E>(x)"):
            self.assertEqual(self.problems(f"auto y = {call};\n"), [], call)

    def test_refuses_fused_operations_and_estimates(self):
        for call in ("std::fma(a, b, c)", "fma(a, b, c)", "hn::MulAdd(a, b, c)", "hn::NegMulAdd(a, b, c)",
                     "_mm256_fmadd_ps(a, b, c)", "hn::ApproximateReciprocal(a)", "_mm_rsqrt_ps(a)",
                     "hn::SumOfLanes(df, a)"):
            self.assertEqual(len(self.problems(f"auto y = {call};\n")), 1, call)

    def test_refuses_foreign_randomness_and_order(self):
        for text in ("std::mt19937 g;", "std::uniform_real_distribution<double> d;", "std::reduce(a, b);", "rand();"):
            self.assertEqual(len(self.problems(text + "\n")), 1, text)

    def test_ignores_comments_and_strings(self):
        self.assertEqual(self.problems('// std::exp(x)\nauto s = "std::exp(x)"; /* fma(a, b, c) */\n'), [])

    def test_names_the_line(self):
        self.assertEqual(self.problems("\n\nauto y = std::exp(x);\n"), ["src/core/a.cc:3: libm: std::exp"])

    def test_tests_may_use_libm_as_a_judge_but_not_fma(self):
        self.assertEqual(self.problems("std::lgamma(x);\nstd::mt19937 g(7);\n", "src/draw/a_test.cc"), [])
        self.assertEqual(len(self.problems("std::fma(a, b, c);\n", "src/draw/a_test.cc")), 1)

    def test_the_program_may_draw_a_seed(self):
        self.assertEqual(self.problems("std::random_device d;\n", "apps/cli/run.cc"), [])
        self.assertEqual(len(self.problems("std::random_device d;\n")), 1)

    def test_warns_of_iteration_without_an_order(self):
        text = "std::unordered_map<int, std::vector<int>> by_id;\nfor (auto& x : by_id) {}\nby_id.find(3);\n"
        problems, warnings = check_numerics.check_source(pathlib.Path("src/core/a.cc"), text)
        self.assertEqual((problems, len(warnings)), ([], 1))
        self.assertIn(":2: warning", warnings[0])

    def test_refuses_build_flags(self):
        self.write("cmake/Flags.cmake", "# -ffast-math is refused\nset(X -ffp-contract=off)\nset(Y -ffast-math)\n")
        problems, _ = check_numerics.check(self.root)
        self.assertEqual(problems, ["cmake/Flags.cmake:3: flags: -ffast-math"])


if __name__ == "__main__":
    unittest.main()
