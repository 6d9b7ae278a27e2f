"""decant eval, samples and compare from outside. Environment and exit status as in cli_test.py."""
import contextlib
import json
import math
import os
import pathlib
import pty
import signal
import subprocess
import sys
import time
import unittest

import cli_test
from cli_test import BIN, FOLDER, MODEL, MODEL_DIR, ROOT, TINY, CliTest, decant, environment

COMMANDS = ["compare", "samples", "eval"]
PROMPTS = ROOT / "examples/prompts/stories.txt"
HUMAN = ROOT / "docs/evaluation/human.txt"


def path_of(name, text=None):
    path = pathlib.Path(FOLDER.name) / name
    if text is not None:
        path.write_text(text)
    return path


class HelpTest(CliTest):
    def test_commands_are_listed_and_have_examples(self):
        overview = self.ok("help").decode()
        for command in COMMANDS:
            self.assertIn(f"\n  {command} ", overview)
            self.assertIn("\nexample\n", self.ok(command, "--help").decode())


class EvalTest(CliTest):
    def json(self, *arguments, **more):
        return json.loads(self.ok("eval", *arguments, "--output", "json", **more))

    def test_counts_of_a_text(self):
        text = b"the cat sat and the cat sat and purred"
        result = self.json(stdin=text)
        self.assertEqual(result["schema"], "decant.eval/1")
        one = result["texts"][0]
        self.assertEqual((one["words"], one["articles"], one["runs"], one["repeated_4grams"]), (9, 2, 6, 1))
        self.assertEqual(one["longest_repeat"], {"length": 4, "first": 0, "again": 4})
        self.assertEqual((one["distinct_1"], one["distinct_2"]), (5 / 9, 5 / 8))
        self.assertIsNone(one["loop"])
        self.assertEqual(self.json("-", stdin=text), result)
        self.assertIn("1 of 6", self.ok("eval", stdin=text).decode())

    def test_lines_are_summed_up_by_setting(self):
        lines = [{"text": "go on " * 6, "setting": "greedy"}, {"text": "so it ends", "setting": "sampled"}, {"text": "x"}]
        path = path_of("texts.jsonl", "\n".join(map(json.dumps, lines)))
        result = self.json(path)
        self.assertEqual(result["texts"][0]["loop"], {"start": 0, "period": 2, "length": 12, "repetitions": 6})
        self.assertEqual(list(result["settings"]), ["greedy", "sampled"])
        self.assertEqual((result["settings"]["greedy"]["loops"], result["all"]["loops"], result["all"]["texts"]), (1, 1, 3))
        self.assertEqual(result["all"]["repeated_4grams"], 7)
        self.assertEqual(self.json("--form", "jsonl", stdin=path.read_bytes())["all"], result["all"])
        self.assertIn("all greedy", self.ok("eval", path).decode())

    def test_odd_inputs(self):
        self.assertEqual(self.json(stdin=b"")["all"]["words"], 0)
        self.assertIsNone(self.json(stdin=b"")["all"]["repeated_share"])
        self.assertEqual(self.json(stdin=b"\xff\xfe \x00 \xf0\x9f")["all"]["words"], 3)
        self.assertEqual(self.json(stdin=b"a b c d " * 50000)["all"]["repeated_4grams"], 199993)
        self.fails(4, "eval", "nowhere.txt", says="nowhere.txt")
        self.fails(3, "eval", path_of("broken.jsonl", '{"text":"a"}\n{'), says="broken.jsonl:2: JSON, column 2")
        self.fails(2, "eval", "-", "-", stdin=b"x", says="- is given twice")
        self.fails(3, "eval", path_of("number.jsonl", '{"text":"a"}\n{"text":"a","setting":1}'), says="number.jsonl:2: setting is")
        self.fails(3, "eval", path_of("other.jsonl", '{"story":"a"}'), says='other.jsonl:1: expected an object with a string "text"')

    def test_flags_without_effect_are_refused(self):
        for flags in (["-m", "x"], ["--svg", "x"], ["-n", "3"], ["--top-k", "3"]):
            self.fails(2, "eval", *flags, stdin=b"x", says="no effect without --surprise")
        self.fails(2, "eval", "--surprise", "a", "b", says="one text")
        self.fails(2, "eval", "--surprise", "--columns", "3", stdin=b"x", says="--columns")


class CompareTest(CliTest):
    ids = ["-m", TINY, "--prompt-ids", "0,1", "-n", "24"]

    def json(self, *arguments):
        return json.loads(self.ok("compare", *self.ids, *arguments, "--output", "json"))

    def test_equal_sides(self):
        same = ["--a", "top_k=40", "--b", "top_k=5"]  # five tokens in all
        self.assertIn("the same, all 24 tokens", self.ok("compare", *self.ids, *same, "--expect-equal").decode())
        result = self.json(*same)
        self.assertTrue(result["equal"])
        one = result["prompts"][0]
        self.assertEqual((one["token_difference"], one["distribution_difference"], one["total_variation"]), (None, None, 0))

    def test_the_first_difference_is_explained_by_its_numbers(self):
        result = self.json("--a", "temperature=1", "--b", "temperature=1,top_k=2", "--seed", "3")
        one = result["prompts"][0]
        at = one["token_difference"]
        self.assertEqual(one["a"]["tokens"][:at], one["b"]["tokens"][:at])
        self.assertNotEqual(one["a"]["tokens"][at], one["b"]["tokens"][at])
        self.assertLessEqual(one["distribution_difference"], at)
        self.assertGreater(one["total_variation"], 0)
        draws = [one[side]["difference"]["draw"] for side in "ab"]
        self.assertEqual(draws[0]["u"], draws[1]["u"], "the same draw")
        for draw in draws:
            self.assertTrue(draw["interval"][0] <= draw["u"] < draw["interval"][1])
        self.fails(5, "compare", *self.ids, "--b", "top_k=1", "--expect-equal", says="not equal: 1 of 1 prompts differ")

    def test_sides_are_runs(self):
        side = json.loads(self.ok("compare", *self.ids, "--b", "seed=9,top_p=0.5", "--output", "json"))["prompts"][0]["b"]
        run = json.loads(self.ok("run", *self.ids, "--seed", "9", "--top-p", "0.5", "--output", "json"))
        self.assertEqual(side["tokens"], run["tokens"])

    def test_files_flags_and_settings_in_their_order(self):
        a = path_of("a.toml", "top_k = 2\nseed = 4\n")
        b = path_of("b.toml", "seed = 4\n")
        result = self.json(a, b, "--b", "top_k=2", "--seed", "5")
        self.assertTrue(result["equal"])
        self.assertEqual(result["a"]["parameters"]["seed"]["value"], 4)
        self.fails(4, "compare", *self.ids, "nowhere.toml", says="nowhere.toml")
        self.fails(2, "compare", *self.ids, path_of("bad.toml", "top_q = 2\n"), says="bad.toml:1:1")

    def test_other_presets(self):
        result = self.json("--a", "preset=reference,top_k=3", "--b", "preset=reference,top_k=3,seed=1")
        self.assertEqual(result["a"]["preset"], "reference")
        self.assertFalse(result["equal"])

    def test_usage(self):
        self.fails(2, "compare", *self.ids, says="nothing to compare")
        self.fails(2, "compare", "--b", "top_k=1", says="no prompt")
        self.fails(2, "compare", "--b", "top_k=1", "-p", "x", "--prompt-ids", "1", says="more than one way")
        self.fails(2, "compare", "a", "b", "c", "-p", "x", says="two files at most")
        self.fails(2, "compare", "--b", "top_q=1", "-p", "x", says=["option --b: ", "top_q"])
        self.fails(2, "compare", "--b", "top_p=2", "-p", "x", says="top_p is 2")


class SamplesTest(CliTest):
    def test_prompts_are_listed(self):
        self.assertEqual(self.ok("samples", "--list-prompts"), PROMPTS.read_bytes())
        self.assertEqual(self.ok("samples", "--list-prompts", "--prompts", path_of("p.jsonl", '{"prompt":"a"}\n')), b"a\n")

    def test_faults_come_before_work(self):
        out = path_of("kept.jsonl", '{"schema":"decant.samples/1"}\n')
        self.fails(4, "samples", "-m", TINY, "--out", out, says="no tokenizer")
        self.fails(4, "samples", "-m", TINY, "--out", "/nowhere/x.jsonl", says="/nowhere/x.jsonl")
        self.fails(4, "samples", "-m", TINY, "--out", "-", says="standard output holds the report")
        self.fails(3, "samples", "-m", TINY, "--prompts", path_of("none.txt", "\n"), says="no prompts")
        self.fails(2, "samples", "-n", "0", says="--max-tokens")
        self.fails(2, "samples", "--preset", "nobody", says="nobody")
        self.assertEqual(out.read_text(), '{"schema":"decant.samples/1"}\n')
        self.assertEqual(list(out.parent.glob("kept.jsonl.partial*")), [])

    def test_an_output_replaces_no_input_and_no_other_file(self):
        prompts, other = path_of("in.txt", "a\n"), path_of("other.txt", "mine")
        self.fails(2, "samples", "-m", TINY, "--prompts", prompts, "--out", prompts, says="would replace the file of prompts")
        self.fails(2, "samples", "-m", TINY, "--out", TINY, says="would replace the model")
        self.fails(4, "samples", "-m", TINY, "--out", other, says=["other.txt is a file already", "remove it first"])
        self.fails(2, "eval", "--surprise", prompts, "-m", TINY, "--svg", prompts, says="would replace the text")
        self.fails(4, "eval", "--surprise", prompts, "-m", TINY, "--svg", other, says="no SVG")
        self.assertEqual((prompts.read_text(), other.read_text()), ("a\n", "mine"))


@unittest.skipUnless(MODEL.exists(), f"the default model is not in {MODEL_DIR} (make model)")
class ModelTest(CliTest):
    def test_samples_are_the_same_bytes_each_time(self):
        prompts = path_of("two.txt", "Once upon a time\nThe sky is\n")
        files = []
        for name, more in (("one.jsonl", []), ("two.jsonl", ["--threads", "1", "--cache-check"])):
            out = path_of(name)
            report = json.loads(self.ok("samples", "-m", MODEL, "--prompts", prompts, "-n", "12", "--out", out, "--output", "json", *more))
            files.append(out.read_bytes())
        self.assertEqual(files[0], files[1])
        self.assertEqual((report["cache_check"]["samples"], report["cache_check"]["equal"]), (4, 4))
        lines = [json.loads(line) for line in files[0].decode().splitlines()]
        self.assertEqual([line["setting"] for line in lines], ["greedy", "sampled"] * 2)
        self.assertEqual([line["index"] for line in lines], [0, 1, 2, 3])
        self.assertTrue(all(len(line["tokens"]) == 12 and line["stop"] == "token_limit" for line in lines))
        # Each is what decant run says, and eval counts the same.
        run = json.loads(self.ok("run", "-m", MODEL, "-p", "The sky is", "-n", "12", "--seed", "0", "--ignore-eos", "--output", "json"))
        self.assertEqual(lines[3]["tokens"], run["tokens"])
        evaluated = json.loads(self.ok("eval", path_of("one.jsonl"), "--output", "json"))
        for setting in report["settings"]:
            self.assertEqual(evaluated["settings"][setting["setting"]], setting["all"])

    def test_an_interrupt_keeps_the_finished_samples(self):
        out = path_of("cut.jsonl")
        process = subprocess.Popen([BIN, "samples", "-m", MODEL, "-n", "100", "--out", out], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        until = time.monotonic() + 120
        while time.monotonic() < until and not any(part.stat().st_size for part in out.parent.glob("cut.jsonl.partial.*")):
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        report, err = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 130, err)
        lines = out.read_text().splitlines()
        self.assertGreaterEqual(len(lines), 1)
        self.assertEqual([json.loads(line)["index"] for line in lines], list(range(len(lines))))
        self.assertIn(f"{len(lines)} of 20 samples", report.decode())
        self.assertEqual(list(out.parent.glob("cut.jsonl.partial*")), [])

    def test_a_prompt_that_does_not_fit_names_the_numbers(self):
        self.fails(3, "samples", "-m", MODEL, "--context", "64", "-n", "60", "--out", path_of("x.jsonl"),
                   says=["prompt 1: ", "60 more", "the context holds 64"])

    def test_the_picture_of_the_docs_is_current(self):
        svg = path_of("picture.svg")
        self.ok("eval", "--surprise", HUMAN, "-m", MODEL, "--svg", svg)
        self.assertEqual(svg.read_bytes(), (ROOT / "docs/evaluation/probabilities.svg").read_bytes(),
                         "decant eval --surprise docs/evaluation/human.txt --svg docs/evaluation/probabilities.svg")

    def test_surprise_as_json(self):
        ask = ["eval", "--surprise", HUMAN, "-m", MODEL, "--given", "8", "-n", "20", "--output", "json"]
        result = json.loads(self.ok(*ask))
        self.assertEqual([one["name"] for one in result["continuations"]], ["human", "greedy", "sampled"])
        for one in result["continuations"]:
            bits = [-token["log_probability"] / math.log(2) for token in one["tokens"]]
            self.assertEqual(len(bits), 20)
            self.assertAlmostEqual(sum(bits) / 20, one["mean_surprise_bits"], places=9)
            self.assertAlmostEqual(sum(2 ** -b for b in bits) / 20, one["mean_probability"], places=9)
        greedy = result["continuations"][1]
        self.assertEqual((greedy["first_choice_share"], {token["rank"] for token in greedy["tokens"]}), (1, {1}))
        self.assertEqual(json.loads(self.ok(*ask, "--threads", "1")), result)

    def test_surprise_draws_what_the_terminal_can_show(self):
        ask = ["eval", "--surprise", HUMAN, "-m", MODEL, "--given", "8", "-n", "8"]
        self.assertIn("█", self.ok(*ask).decode())
        self.assertNotIn("│", self.ok(*ask, "--chart", "none").decode())
        self.assertNotIn("│", self.ok(*ask, "--chart", "ascii").decode())
        for locale, bar in (("C", "|"), ("C.UTF-8", "│")):
            self.assertIn(f"1.0 {bar}", self.on_terminal(*ask, LC_ALL=locale))
        self.fails(3, "eval", "--surprise", "-m", MODEL, stdin=b"too short", says=["2 tokens", "--given"])

    def on_terminal(self, *arguments, **env):
        ours, theirs = pty.openpty()
        process = subprocess.Popen([BIN, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs,
                                   stderr=subprocess.PIPE, env=environment(**env), cwd=FOLDER.name)
        os.close(theirs)
        text = b""
        with contextlib.suppress(OSError):  # EIO: the last writer has gone
            while part := os.read(ours, 65536):
                text += part
        os.close(ours)
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), 0, err)
        return text.decode()

    def test_the_examples_of_the_help_run(self):
        path = f"{pathlib.Path(BIN).resolve().parent}{os.pathsep}{os.environ.get('PATH', '')}"
        env = environment(PATH=path, DECANT_MODELS=str(MODEL_DIR.resolve()))
        for command in COMMANDS:
            example = self.ok(command, "--help").decode().split("\nexample\n")[1]
            done = subprocess.run(["sh", "-ec", example], capture_output=True, env=env, cwd=FOLDER.name, timeout=300, check=False)
            self.assertEqual(done.returncode, 0, (example, done.stderr))
            self.assertTrue(done.stdout, example)


if __name__ == "__main__":
    sys.exit(cli_test.main())
