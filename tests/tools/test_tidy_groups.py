"""The groups of clang-tidy (tools/tidy_groups.py): whose flags they take, and which files may share one."""
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import tidy_groups  # noqa: E402


class FlagsTest(unittest.TestCase):
    def test_outputs_and_precompiled_headers_go(self):
        self.assertEqual(tidy_groups.flags_of("c++ -O3 -Xclang -include-pch -Xclang /a.pch -Winvalid-pch -Iinclude -o a.o -c a.cc"),
                         ["c++", "-O3", "-Iinclude"])


@unittest.skipUnless(shutil.which("clang++-19"), "clang is absent")
class GroupsTest(unittest.TestCase):
    def groups(self, *texts):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for number, text in enumerate(texts):
                files.append(pathlib.Path(folder) / f"{number}.cc")
                files[-1].write_text(text, encoding="utf-8")
            return [[int(file.stem) for file in group] for group in tidy_groups.groups_of(["clang++-19"], files)]

    def test_files_that_compile_together_share_a_group(self):
        self.assertEqual(self.groups("int a;", "int b;", "int c;"), [[0, 1, 2]])

    def test_a_repeated_name_starts_another_group(self):
        self.assertEqual(self.groups("static int a;", "static int b;", "static long a;", "static int c;"), [[0, 1, 3], [2]])

    def test_a_file_that_never_compiles_stays_in_some_group(self):
        self.assertEqual(sorted(file for group in self.groups("int a;", "int;x", "int b;") for file in group), [0, 1, 2])


if __name__ == "__main__":
    unittest.main()
