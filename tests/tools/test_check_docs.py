"""tools/check_docs.py"""
import unittest

from support import TreeTest

import check_docs

PAGE = """# Title

Text with `[code](nowhere.md)`.

```console
$ decant run \\
    -n 3
one
two
$ decant step
```

~~~json
{"a": "[x](nowhere.md)"}
~~~
"""


class CheckDocs(TreeTest):
    def test_links_lead_somewhere(self):
        self.write("README.md", "[a](docs/a.md) [b](docs/b.md) [web](https://example.org) [h](docs/a.md#the-end-1)\n")
        self.write("docs/a.md", "# The end\n# The end\n[up](../README.md) [me](#the-end)\n")
        self.assertEqual(check_docs.check(self.root), ["README.md:1: docs/b.md does not exist"])

    def test_headings_are_checked(self):
        self.write("a.md", "# One: `two` & three\n[x](#one-two--three)\n[y](#nowhere)\n")
        self.assertEqual(check_docs.check(self.root), ["a.md:3: #nowhere: no such heading"])

    def test_code_and_built_folders_are_skipped(self):
        self.write("a.md", PAGE)
        self.write("build/b.md", "[x](gone.md)\n")
        self.assertEqual(check_docs.check(self.root), [])

    def test_blocks_come_with_language_and_line(self):
        blocks = check_docs.extract_blocks(PAGE)
        self.assertEqual([(block.line, block.language) for block in blocks], [(6, "console"), (14, "json")])
        self.assertEqual(len(check_docs.extract_blocks(PAGE, "json")), 1)

    def test_adjacent_blocks_stay_apart(self):
        self.assertEqual(len(check_docs.extract_blocks("```\na\n```\n```\nb\n```\n")), 2)

    def test_console_steps_join_lines_and_keep_output(self):
        steps = check_docs.console_steps(check_docs.extract_blocks(PAGE, "console")[0])
        self.assertEqual([(step.command, step.output) for step in steps],
                         [("decant run -n 3", "one\ntwo\n"), ("decant step", "")])


if __name__ == "__main__":
    unittest.main()
