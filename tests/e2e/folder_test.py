"""A folder as Hugging Face's transformers writes it (tests/golden/hf_tiny), through the program: text, description, trace.

Environment: DECANT_BIN, the program (default build/release/bin/decant).
"""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TINY = ROOT / "tests/golden/hf_tiny"
BINARY = os.environ.get("DECANT_BIN", str(ROOT / "build/release/bin/decant"))


def decant(*arguments, models=TINY):
    return subprocess.run([BINARY, *map(str, arguments)], env=dict(os.environ, DECANT_MODELS=str(models)),
                          capture_output=True, timeout=60, cwd=TINY)


class FolderTest(unittest.TestCase):
    def ok(self, *arguments):
        done = decant(*arguments)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def test_greedy_text_is_that_of_transformers(self):
        golden = json.loads((TINY / "golden.json").read_text(encoding="utf-8"))
        for model in ["bf16", "f32"]:
            text = self.ok("run", "-m", TINY / model, "-p", golden["texts"][0], "--temperature", 0, "-n",
                           len(golden["greedy_ids"]), "--ignore-eos", "--quiet")
            self.assertEqual(text.removesuffix("\n"), golden["greedy_text"].removesuffix("\n"), model)

    def test_a_name_finds_the_folder(self):
        shown = json.loads(self.ok("model", "show", "-m", "bf16", "--output", "json"))
        self.assertEqual((shown["format"], shown["weights"], shown["chat_template"]), ("safetensors", "BF16", "chatml"))
        lines = "".join(f"{hashlib.sha256((TINY / 'bf16' / name).read_bytes()).hexdigest()}  {name}\n"
                        for name in ["config.json", "model.safetensors", "tokenizer.json"])
        self.assertEqual(shown["sha256"], hashlib.sha256(lines.encode()).hexdigest())
        listed = json.loads(self.ok("model", "list", "--output", "json"))["models"]
        sizes = {pathlib.Path(model["path"]).name: model["bytes"] for model in listed}
        self.assertEqual(sizes["bf16"], (TINY / "bf16/model.safetensors").stat().st_size)
        self.assertGreater(sizes["f32"], sizes["bf16"])

    def test_a_traced_run_replays(self):
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "run.jsonl"
            self.ok("run", "-m", TINY / "bf16", "-p", "The other dog", "-n", 8, "--seed", 3, "--ignore-eos", "--trace", trace)
            self.assertIn("8 steps", self.ok("replay", trace))

    def test_a_folder_without_weights_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "config.json").write_bytes((TINY / "bf16/config.json").read_bytes())
            done = decant("run", "-m", folder, "-p", "x")
            self.assertEqual(done.returncode, 4)
            self.assertIn(f"{folder} has no model.safetensors", done.stderr.decode())

    def test_broken_json_is_a_corrupt_file(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / "model"
            for name in ("tokenizer.json", "generation_config.json", "tokenizer_config.json"):
                shutil.rmtree(model, ignore_errors=True)
                shutil.copytree(TINY / "bf16", model)
                (model / name).write_text('{"a": 1,\n "b"')
                done = decant("run", "-m", model, "-p", "x", "-n", 1)
                self.assertEqual(done.returncode, 4, (name, done.stderr))
                self.assertIn(f"{model / name}: ", done.stderr.decode())
                self.assertIn("line 2", done.stderr.decode())
            (model / "tokenizer.json").write_text("{")
            (model / "tokenizer_config.json").unlink()
            done = decant("model", "verify", model)
            self.assertEqual(done.returncode, 4)
            self.assertRegex(done.stdout.decode(), r"fail +tokenizer ")

    def test_a_folder_without_config_json_is_told_so(self):
        with tempfile.TemporaryDirectory() as folder:
            done = decant("run", "-m", folder, "-p", "x")
            self.assertEqual(done.returncode, 4)
            self.assertIn(f"the folder {folder} has no config.json", done.stderr.decode())



if __name__ == "__main__":
    unittest.main()
