"""tools/make_constants.py; skipped where mpmath is not installed, except in CI."""
import os
import unittest

import support

try:
    import mpmath  # noqa: F401
    import make_constants
except ImportError:
    if os.environ.get("CI") == "true":
        raise
    make_constants = None


@unittest.skipIf(make_constants is None, "needs mpmath")
class MakeConstants(unittest.TestCase):
    def test_the_document_is_not_stale(self):
        self.assertEqual(make_constants.main(["--check"]), 0)

    def test_rounds_once_to_nearest(self):
        self.assertEqual(make_constants.nearest_double(make_constants.mpmath.mpf(1) / 3), 1 / 3)
        self.assertEqual(make_constants.hex_text(1.0), "0x1p+0")
        self.assertEqual(make_constants.hex_text(-1.5), "-0x1.8p+0")

    def test_wants_exactly_one_block(self):
        with self.assertRaises(ValueError):
            make_constants.replace_block("no markers\n")

    def test_knows_the_published_values(self):
        block = make_constants.block()
        for value in ("0x1.71547652b82fep+0", "0x1.921fb544p+0", "0x1.0b4611a6p-34", "0x1.3198a2e037073p-69"):
            self.assertIn(f"`{value}`", block)


if __name__ == "__main__":
    unittest.main()
