"""decant bench from outside: what it measures, what it refuses. Nothing here looks at how long anything took.

Environment and exit status as in cli_test.py.
"""
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import time
import unittest

import cli_test
from cli_test import BIN, FOLDER, MODEL, MODEL_DIR, TINY, CliTest, environment

NAMES = ["greedy", "top_k:40+temperature", "min_p:0.05+temperature", "temperature", "top_p:0.95+temperature", "all"]
SMALL = ["bench", "sampler", "--batch", "2", "--pairs", "2", "--pool", "0"]


def npy(name, header, values=b"", version=1):
    path = pathlib.Path(FOLDER.name) / name
    text = header.encode()
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    path.write_bytes(b"\x93NUMPY" + bytes([version, 0]) + length + text + values)
    return path


def table(descr="<f4", order="False", shape="(2, 3)"):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}\n"


SIX = struct.pack("<6f", 0, 1, 2, 3, 4, -float("inf"))


class SamplerTest(CliTest):
    def json(self, *arguments):
        return json.loads(self.ok(*SMALL, *arguments, "--output", "json"))

    def test_every_chain_by_its_name(self):
        report = self.json("--vocab", "900")
        self.assertEqual(report["schema"], "decant.bench/1")
        self.assertRegex(report["machine"], r"core.*, .*(g\+\+|clang)")
        self.assertEqual([row["name"] for row in report["results"]], NAMES)
        for row in report["results"]:
            self.assertEqual((row["rows"], row["batch"], row["vocab"], row["threads"], row["pairs"], row["type"]),
                             ("model-like", 2, 900, 1, 2, "f32"))
            self.assertGreater(row["us_per_row"], 0)
            self.assertGreater(row["ratio_to_read"], 0)
            self.assertGreater(row["rows_checked"], 0)
            self.assertNotIn("gain", row)

    def test_names_rows_and_types(self):
        report = self.json("--name", "greedy,temperature", "--name", "all", "--rows", "flat", "--rows", "model-like",
                           "--vocab", "500", "--type", "bf16", "--detail", "full", "--threads", "2", "--seed", "3")
        self.assertEqual([(row["name"], row["rows"]) for row in report["results"]],
                         [(name, rows) for rows in ("flat", "model-like") for name in ("greedy", "temperature", "all")])
        for row in report["results"]:
            self.assertEqual((row["type"], row["threads"]), ("bf16", 2))
            self.assertGreater(row["gain"], 0)
            self.assertGreater(row["read_gain"], 0)

    def test_the_table_names_what_was_measured(self):
        text = self.ok(*SMALL, "--vocab", "500", "--name", "greedy").decode()
        self.assertIn("batch 2, f32, 1 thread, 2 pairs of blocks\n", text)
        self.assertIn("us a bare read", text)

    def test_given_rows(self):
        for name, version in (("one.npy", 1), ("two.npy", 2), ("three.npy", 3)):
            row = self.json("--name", "greedy", "--rows", npy(name, table(), SIX, version))["results"][0]
            self.assertEqual((row["rows"], row["vocab"]), ("recorded", 3))
        halves = npy("halves.npy", table("<f2", "False", "(4,)"), struct.pack("<4e", 0, 1, 2, 3))
        self.assertEqual(self.json("--name", "greedy", "--rows", halves)["results"][0]["vocab"], 4)

    def test_a_file_that_is_none_is_named_with_its_field(self):
        for says, header, values in [
                ("descr is \"<f8\"; expected '<f4' or '<f2'", table("<f8"), SIX),
                ("fortran_order is True", table(order="True"), SIX),
                ("shape is (1, 2, 3); expected (vocabulary,) or (rows, vocabulary)", table(shape="(1, 2, 3)"), SIX),
                ("asks for 6 values of 4 bytes; the file has 20", table(), SIX[:-4]),
                ("shape is broken at byte", table(shape="(2; 3)"), SIX),
                ("expected the key 'shape'", "{'descr': '<f4', 'fortran_order': False}", SIX)]:
            self.fails(4, *SMALL, "--rows", npy("bad.npy", header, values), says=["bad.npy: ", says])
        self.fails(4, *SMALL, "--rows", TINY, says="does not start as an .npy file does")
        self.fails(4, *SMALL, "--rows", "nowhere.npy", says=["nowhere.npy", "model-like, flat or a file"])
        nan = npy("nan.npy", table(), SIX[:20] + struct.pack("<f", float("nan")))
        self.fails(1, *SMALL, "--rows", nan, says=["greedy, ", "row 1: "])

    def test_usage(self):
        self.fails(2, "bench", says="bench takes one word: sampler")
        self.fails(2, "bench", "masks", says="bench takes one word: sampler")
        self.fails(2, *SMALL, "--name", "top_k:40", says=["there is no chain \"top_k:40\"", "expected one of greedy"])
        self.fails(2, *SMALL, "--name", "temperatur", says="did you mean temperature?")
        self.fails(2, *SMALL, "--name", "top_k:x+temperature", says="joined with \"+\"")
        self.fails(2, *SMALL, "--name", "top_p:1.5+temperature", says="1.5")
        self.fails(2, *SMALL, "--vocab", "524289", says="1..524288")
        self.fails(2, *SMALL, "--pairs", "3", says="given twice")
        self.fails(2, "bench", "sampler", "--batch", "0", says="1..65536")
        self.fails(2, *SMALL, "--type", "f64", says="f32, f16, bf16")
        self.fails(2, *SMALL, "--vocab", "9", "--rows", npy("x.npy", table(), SIX), says="has its own vocabulary")
        self.fails(2, *SMALL, "--steps", "3", says="--steps has no effect without --record")
        self.fails(2, *SMALL, "--record", "x.npy", says="no effect with --record")

    def test_plans(self):
        text = self.ok("bench", "sampler", "--explain", "--vocab", "1000").decode()
        for name in NAMES:
            self.assertIn(name + "\n  ", text)
        plans = json.loads(self.ok("bench", "sampler", "--explain", "--name", "greedy", "--output", "json"))
        self.assertEqual((plans["schema"], plans["vocab"], len(plans["plans"])), ("decant.bench_plans/1", 128256, 1))
        self.assertTrue(plans["plans"][0]["plan"])

    def test_help_and_completion_know_it(self):
        self.assertIn("\nexample\n", self.ok("bench", "--help").decode())
        self.assertIn("\n  bench ", self.ok("help").decode())
        self.assertIn("decant.bench/1", self.ok("help", "formats").decode())
        for shell in ("bash", "zsh", "fish"):
            self.assertIn("model-like", self.ok("completion", shell).decode())

    def test_an_interrupt_ends_it(self):
        process = subprocess.Popen([BIN, "bench", "sampler", "--vocab", "20000", "--batch", "4", "--pool", "1",
                                    "--pairs", "10000"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertTrue(process.stderr.readline())  # the work has begun
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b""))

    def test_rows_of_a_model_without_tokenizer_are_refused(self):
        self.fails(4, "bench", "sampler", "--record", "tiny.npy", "-m", TINY, says="no tokenizer")
        self.fails(2, "bench", "sampler", "--record", TINY, "-m", TINY, says="would replace the model")
        other = pathlib.Path(FOLDER.name) / "mine.txt"
        other.write_text("mine")
        self.fails(4, "bench", "sampler", "--record", other, "-m", TINY, says="no .npy file")
        self.assertEqual(other.read_text(), "mine")
        self.assertFalse(os.path.exists(pathlib.Path(FOLDER.name) / "tiny.npy"))

    @unittest.skipUnless(MODEL.exists(), f"the default model is not in {MODEL_DIR} (make model)")
    def test_rows_of_a_model(self):
        path = pathlib.Path(FOLDER.name) / "rows.npy"
        self.ok("bench", "sampler", "--record", path, "-m", MODEL, "--steps", "3", "--threads", "2")
        again = path.read_bytes()
        self.ok("bench", "sampler", "--record", path, "-m", MODEL, "--steps", "3")
        self.assertEqual(path.read_bytes(), again, "any number of threads")
        self.assertEqual(len(again), 128 + 4 * 3 * 49152)
        row = self.json("--rows", path, "--name", "greedy")["results"][0]
        self.assertEqual((row["rows"], row["vocab"]), ("recorded", 49152))


if __name__ == "__main__":
    sys.exit(cli_test.main())
