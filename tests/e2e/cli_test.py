"""The decant program from outside: arguments, output, exit status, streams, signals.

Environment: DECANT_BIN, the program (default build/release/bin/decant); DECANT_MODEL_DIR, the folder of the default model
(default models/). Without the model its tests are skipped and the exit status is 77; with CI=true that is a failure.
"""
import contextlib
import hashlib
import json
import os
import pathlib
import pty
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = os.environ.get("DECANT_BIN", str(ROOT / "build/release/bin/decant"))
MODEL_DIR = pathlib.Path(os.environ.get("DECANT_MODEL_DIR", ROOT / "models"))
MODEL = MODEL_DIR / "SmolLM2-135M-Instruct.Q4_1.gguf"
COMMANDS = ["run", "chat", "tokenize", "detokenize", "template", "step", "draws", "sample", "reference", "replay", "params", "model"]
FOLDER = tempfile.TemporaryDirectory()
TINY = pathlib.Path(FOLDER.name) / "five.tiny"


def environment(**more):
    env = {"PATH": os.environ.get("PATH", ""), "HOME": FOLDER.name, "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH", "DECANT_SIMD"):
        if name in os.environ:
            env[name] = os.environ[name]
    return {**env, **more}


def decant(*arguments, stdin=b"", env=None, **more):
    """The finished process, output as bytes."""
    feed = {} if "stdin_file" in more else {"input": stdin}
    if "stdin_file" in more:
        feed = {"stdin": more.pop("stdin_file")}
    return subprocess.run([BIN, *map(str, arguments)], stdout=more.pop("stdout", subprocess.PIPE), stderr=subprocess.PIPE,
                          env=environment(**(env or {})), cwd=FOLDER.name, timeout=300, check=False, **feed, **more)


def split_mix(seed):
    state = seed
    mask = (1 << 64) - 1
    while True:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield ((z ^ (z >> 31)) >> 11) / 2**53


def write_tiny(path, vocabulary=5, context=64):
    """A tiny checkpoint (docs/formats/tiny.md) with random weights."""
    width, layers, heads, kv_heads, feed_forward = 8, 1, 2, 1, 16
    kv = width // heads * kv_heads
    random = split_mix(3)
    body = b"decant.tiny/1\n\0\0" + struct.pack("<7I2fIQ", vocabulary, context, width, layers, heads, kv_heads, feed_forward,
                                                10000.0, 1e-5, 0, 36)
    sizes = [vocabulary * width]
    for _ in range(layers):
        sizes += [-width, width * width, kv * width, kv * width, width * width, -width,
                  feed_forward * width, feed_forward * width, width * feed_forward]
    sizes += [-width, vocabulary * width]
    for size in sizes:  # negative: the weights of a norm, all 1
        values = [1.0] * -size if size < 0 else [2 * next(random) - 1 for _ in range(size)]
        body += struct.pack(f"<{len(values)}f", *values)
    path.write_bytes(body + hashlib.sha256(body).digest())


def on_terminal(*arguments, **env):
    """What the program writes to a terminal that is its standard error, and its exit status."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen([BIN, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
                               env=environment(**env), cwd=FOLDER.name)
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # EIO: the last writer has gone
        while part := os.read(ours, 65536):
            text += part
    os.close(ours)
    out = process.stdout.read()
    process.stdout.close()
    return text.replace(b"\r\n", b"\n"), process.wait(), out


class CliTest(unittest.TestCase):
    def ok(self, *arguments, **more):
        done = decant(*arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout

    def fails(self, code, *arguments, says=(), **more):
        done = decant(*arguments, **more)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr.decode())
        return done


class HelpTest(CliTest):
    def test_overview_lists_every_command(self):
        for arguments in ([], ["help"], ["--help"], ["-h"]):
            text = self.ok(*arguments).decode()
            for command in COMMANDS:
                self.assertIn(f"\n  {command}", text)

    def test_every_command_has_help_with_an_example(self):
        for command in COMMANDS:
            text = self.ok(command, "--help").decode()
            self.assertIn("\nexample\n", text)
            self.assertEqual(self.ok("help", command).decode(), text)

    def test_topics(self):
        self.assertIn("130", self.ok("help", "exit-codes").decode())
        self.assertIn("TraceDiffers", self.ok("help", "exit-codes").decode())
        self.assertIn("Philox4x32-10", self.ok("help", "seeds").decode())
        self.assertIn("top_p", self.ok("help", "samplers").decode())
        self.assertIn("decant.run/1", self.ok("help", "formats").decode())

    def test_version(self):
        text = self.ok("--version").decode()
        self.assertRegex(text, r"^decant \d+\.\d+\.\d+\nnumerics:\d+\nsimd \w+\n")

        self.assertRegex(text, r"\ncompiler (g\+\+|clang) \d+")

    def test_help_takes_one_known_topic(self):
        self.fails(2, "help", "run", "step", says="one command or topic")
        self.fails(2, "help", "--foo", says="no option --foo")

    def test_no_output_has_control_bytes(self):
        write = [["help"], ["run", "--help"], ["params"], ["help", "exit-codes"], ["draws", "--logits", "0,1,1,2"],
                 ["step", "-m", TINY, "--prompt-ids", "0"]]
        for arguments in write:
            self.assertFalse([b for b in self.ok(*arguments) if b < 0x20 and b not in b"\n\t"], arguments)


class UsageTest(CliTest):
    def test_unknown_names_get_suggestions(self):
        self.fails(2, "rnu", says="did you mean run?")
        self.fails(2, "help", "sampler", says="did you mean samplers?")
        self.fails(2, "run", "--tempratur", "1", "-p", "x", says="did you mean --temperature?")
        self.fails(2, "params", "tempratur", says="temperature")
        self.fails(2, "model", "lst", says="did you mean decant model list?")

    def test_bad_values_name_value_and_way_out(self):
        self.fails(2, "run", "--top-k", "-3", "-p", "x", says=["top_k", "-3"])
        self.fails(2, "run", "--top-p", "1.3", "-p", "x", says=["top_p is 1.3", "(0, 1]"])
        self.fails(2, "run", "--seed", "-1", "-p", "x", says="leave the seed out")
        self.fails(2, "run", "-n", "few", "-p", "x", says="few")
        self.fails(2, "run", "--temp", "1", "--temperature", "2", "-p", "x", says="twice")
        self.fails(2, "run", "--threads", "0", "-p", "x", says="--threads")
        self.fails(2, "run", "--preset", "nobody", "-p", "x", says="nobody")
        self.fails(2, "run", "-p", says="needs a value")
        self.fails(2, "run", "-p", "x", "-f", "y", says="more than once")
        self.fails(2, "run", "-p", "x", "--system", "y", says="--chat")
        self.fails(2, "run", "-p", "x", "--trace-detail", "full", says="--trace")
        self.fails(2, "step", "--max-tokens", "3", "-p", "x", says="no effect here")
        self.fails(2, "sample", "--top-p", "0", says="top_p")
        self.fails(2, "run", "-p", "--seed", "7", says='-p took "--seed"')
        for count in ("18446744073709551615", "4294967296"):
            self.fails(2, "step", "-p", "x", "--skip", count, says=["--skip", count, "0..4294967295"])
        self.fails(2, "run", "--prompt-ids", "1,2,", says='--prompt-ids: "" is not a token id')
        self.fails(2, "run", "--preset", "nobody", "-p", "x", says="option --preset: ")
        self.fails(2, "run", "-p", "x", env={"DECANT_PRESET": "nobody"}, says="DECANT_PRESET: ")
        self.fails(2, "run", "--color", "sometimes", "-p", "x", says="auto, never, always")

    def test_switches_take_true_and_false(self):
        ids = ["run", "-m", TINY, "--prompt-ids", "0", "-n", "2", "--seed", "1"]
        self.assertTrue(decant(*ids, "--quiet=false").stderr)
        self.assertEqual(decant(*ids, "--quiet=1").stderr, b"")
        self.ok(*ids, "--chat=false", "--no-kv-cache=0", "--ignore-eos=false", "--help=false")
        for flag in ("--chat", "--no-kv-cache", "--quiet", "--ignore-eos", "--help"):
            self.fails(2, *ids, f"{flag}=no", says=[flag, '"no"', "true or false"])

    def test_files_that_cannot_be_read(self):
        self.fails(4, "run", "-f", "/nonexistent", says="No such file")
        self.fails(4, "run", "-f", FOLDER.name, says="directory")
        self.fails(4, "run", "-m", "nosuch", "-p", "x", says="nosuch")
        self.fails(4, "run", "-m", __file__, "-p", "x")
        self.fails(4, "reference", "--checkpoint", __file__)
        self.fails(4, "replay", "/nonexistent")

    def test_errors_hold_no_control_characters(self):
        for name in ("a\x1b]0;owned\x07b", "a\x9b2Jb", "a\nb", b"a\x9b2Jb"):
            for flag in ("-f", "-m"):
                name = name if isinstance(name, str) else os.fsdecode(name)
                err = decant("run", "-p", "x", flag, name).stderr if flag == "-m" else decant("run", flag, name).stderr
                self.assertFalse([c for c in err.decode() if c != "\n" and (ord(c) < 0x20 or 0x7f <= ord(c) < 0xa0)], err)

    def test_errors_as_json(self):
        for arguments in (["--error-format", "json", "run", "--top-k", "-3", "-p", "x"],
                          ["run", "--top-k", "-3", "-p", "x", "--error-format=json"]):
            error = json.loads(self.fails(2, *arguments).stderr)
            self.assertEqual(error["command"], "decant run")
            self.assertEqual(error["error"]["code"], "InvalidTopK")
        self.assertEqual(json.loads(self.fails(2, "run", "--zzz", "--error-format", "json").stderr)["error"]["code"],
                         "UnknownParameter")


class StreamTest(CliTest):
    def test_full_disk_is_a_failure(self):
        for arguments in (["params"], ["--version"], ["run", "-m", TINY, "--prompt-ids", "0", "-n", "3"], ["reference"]):
            with open("/dev/full", "wb") as full:
                done = decant(*arguments, stdout=full)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn(b"cannot write to standard output: No space left", done.stderr)

    def test_closed_reader_ends_quietly(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = decant("params", stdout=writer)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (141, b""))

    def test_closed_standard_output(self):
        done = subprocess.run(["sh", "-c", '"$0" "$@" >&-', BIN, "params"], stderr=subprocess.PIPE, env=environment(),
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(b"cannot write to standard output", done.stderr)

    def test_closed_standard_input(self):
        closed = ["sh", "-c", '"$0" "$@" <&-', BIN]
        done = subprocess.run(closed + ["run", "-m", str(TINY)], capture_output=True, env=environment(), timeout=60, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"there is no prompt", done.stderr)
        done = subprocess.run(closed + ["run", "-m", str(TINY), "--prompt-ids", "0", "-n", "1"], capture_output=True,
                              env=environment(), timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_terminal_gets_a_progress_line_that_is_erased(self):
        text, code, _ = on_terminal("run", "-m", TINY, "--prompt-ids", "0", "-n", "2", "--seed", "1")
        self.assertEqual(code, 0)
        self.assertIn("five.tiny · ".encode(), text)
        self.assertIn(b"\r\x1b[Kreading prompt", text)
        self.assertIn(b"\r\x1b[K2 tokens in", text)

    def test_no_escapes_where_they_are_not_wanted(self):
        for env in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            for arguments in (["run", "-m", TINY, "--prompt-ids", "0", "-n", "2"], ["run", "--top-k", "-3"]):
                text, _, out = on_terminal(*arguments, **env)
                self.assertFalse([b for b in text + out if b < 0x20 and b not in b"\n\t"], (env, text))
        text, _, _ = on_terminal("run", "-m", TINY, "--prompt-ids", "0", "-n", "2", "--color", "never")
        self.assertNotIn(b"\x1b", text)

    def test_color(self):
        self.assertIn(b"\x1b[", on_terminal("run", "--top-k", "-3")[0])
        self.assertIn(b"\x1b[", self.fails(2, "run", "--top-k", "-3", "--color", "always").stderr)
        self.assertIn(b"\x1b[", self.fails(2, "run", "--top-k", "-3", env={"CLICOLOR_FORCE": "1"}).stderr)
        self.assertNotIn(b"\x1b[", self.fails(2, "run", "--top-k", "-3").stderr)

    def interrupted(self, *arguments, times=1, wait=0.5, **more):
        process = subprocess.Popen([BIN, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env=environment(), cwd=FOLDER.name,
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), **more)
        time.sleep(wait)
        for _ in range(times):
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_interrupt_stops_work(self):
        code, _, err = self.interrupted("draws", "--logits", "0,1,1,2", "-N", 1 << 24)
        self.assertEqual(code, 130, err)
        self.assertIn(b"interrupted", err)

    def test_interrupt_while_waiting_for_input(self):
        code, _, _ = self.interrupted("sample", stdin=subprocess.PIPE)
        self.assertEqual(code, 130)


class SampleTest(CliTest):
    def answers(self, text, *arguments, **more):
        return [json.loads(line) for line in self.ok("sample", *arguments, stdin=text.encode(), **more).splitlines()]

    def test_the_example_of_the_docs(self):
        line = ('{"logits":[0,1,1,2],"prompt_ids":[5,6,7],"output_ids":[8,9],"params":{"top_k":3},"preset":"native","seed":7,'
                '"draws":1,"id":"a"}\n')
        self.assertEqual(
            self.ok("sample", stdin=line.encode()).decode(),
            '{"id":"a","token":2,"tokens":[2],"kept":[3,1,2],"support":[1,2,3],"probs":[0.21194155761708913,'
            '0.21194155761708913,0.5761168847658217],"stages":[{"name":"top_k","kept":3,"removed":1,"removed_mass":'
            '0.07232948812850608}],"draw":{"kind":"inverse_cdf","r":"3028575622714858","t":"10267337964793","z":'
            '"30535793186424","lo":"6471803571004","hi":"12943607142008","u":0.33623943881565066,"interval":'
            '[0.21194155761708913,0.42388311523417826]}}\n')

    def test_the_published_sequence_of_preset_reference(self):
        line = '{"logits":[0,1,1,2],"params":{"temperature":1,"top_k":3},"seed":36,"draws":8}\n'
        self.assertEqual(self.answers(line, "--preset", "reference")[0]["tokens"], [3, 2, 2, 2, 3, 3, 3, 3])

    def test_preset_octlm_draws_what_torch_draws(self):
        line = {"logits": [3.5, 2.75, 2.5, 1, 0.5, 0, -0.5, -1.5], "seed": 1, "draws": 10,
                "params": {"temperature": 0.8, "top_k": 3, "top_p": 0.95}}
        answer = self.answers(json.dumps(line), "--preset", "octlm")[0]
        self.assertEqual(answer["tokens"], [0, 0, 1, 1, 0, 0, 0, 0, 0, 0])
        self.assertEqual(list(answer["draw"]), ["kind", "score", "runner_up"])

    def test_a_bad_line_does_not_stop_the_next(self):
        answers = self.answers('{"logits":[1,NaN],"id":1}\nnonsense\n\n   \n{"logits":[1,2],"id":{"k":[2]}}')
        self.assertEqual([a.get("error", {}).get("code") for a in answers], ["NonFiniteLogit", "InvalidJson", None])
        self.assertEqual([a["id"] for a in answers], [1, None, {"k": [2]}])

    def test_messages_name_line_and_column_once(self):
        answers = self.answers('\n{"logits":[1],"id":1}\n{"logits":[1,]}\n{"logits":[]}\n')
        self.assertEqual(answers[1]["error"]["message"], "line 3, column 14: expected a value, found ']'")
        self.assertTrue(answers[2]["error"]["message"].startswith("line 4: there are no logits"))

    def test_a_terminal_is_told_what_is_waited_for(self):
        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "rb") as keyboard:
            os.write(ours, b"\x04")
            done = decant("sample", stdin_file=keyboard)
        os.close(ours)
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr, b"reading JSON lines from the keyboard; Ctrl-D ends them\n")
        self.assertEqual(decant("sample").stderr, b"")

    def test_broken_bytes_and_great_depth(self):
        deep = b"[" * 200000 + b"]" * 200000
        done = self.ok("sample", stdin=b'\xff\xfe\n{"id":"\xc3"}\n' + deep + b'\n{"logits":[1],"x":' + deep + b'}\n{"logits":[0]}\n')
        codes = [json.loads(line).get("error", {}).get("code") for line in done.splitlines()]
        self.assertEqual(codes, ["InvalidJson"] * 4 + [None])

    def test_long_lines(self):
        row = json.dumps({"logits": [i % 97 / 7 for i in range(400000)], "params": {"top_k": 2}})
        answers = self.answers(f"{row}\n{row}\n")
        self.assertEqual(len(answers), 2)
        self.assertEqual(answers[0]["kept"], [96, 193])

    def test_answers_each_line_before_it_asks_for_the_next(self):
        process = subprocess.Popen([BIN, "sample"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
        for i in range(3):
            process.stdin.write(b'{"logits":[1,2],"id":%d}\n' % i)
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["id"], i)
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 0)
        process.stdout.close()

    def test_flags_environment_and_line_in_their_order(self):
        row = '{"logits":[1,2,3,4]}\n'
        kept = lambda *arguments, **more: len(self.answers(*arguments, **more)[0]["kept"])
        self.assertEqual(kept(row), 4)
        self.assertEqual(kept(row, env={"DECANT_TOP_K": "3"}), 3)
        self.assertEqual(kept(row, "--top_k=2", env={"DECANT_TOP_K": "3"}), 2)
        self.assertEqual(kept('{"logits":[1,2,3,4],"params":{"top_k":1}}\n', "--top-k", "2"), 1)
        self.fails(2, "sample", env={"DECANT_TOP_K": "many"}, says="DECANT_TOP_K")

    def test_draws_are_sequences(self):
        one = self.answers('{"logits":[0,1,1,2],"seed":5}\n')[0]
        many = self.answers('{"logits":[0,1,1,2],"seed":5,"draws":100}\n')[0]
        self.assertEqual(many["tokens"][0], one["token"])
        self.assertEqual(len(set(many["tokens"])), 4)
        self.assertEqual(many["draw"], one["draw"])


class ReferenceTest(CliTest):
    def test_prints_the_report_and_nothing_else(self):
        golden = (ROOT / "tests/golden/reference_report.txt").read_bytes()
        self.assertEqual(self.ok("reference"), golden)

    def test_takes_another_checkpoint(self):
        text = self.ok("reference", "--checkpoint", TINY).decode()
        self.assertIn(f"loaded_bytes:{TINY.stat().st_size} ", text)
        self.assertEqual(len(text.splitlines()), 7)

    def test_the_built_in_checkpoint_can_be_written_and_run(self):
        path = pathlib.Path(FOLDER.name) / "built_in.tiny"
        self.assertEqual(self.ok("reference", "--write", path), b"")
        self.assertEqual(self.ok("reference", "--checkpoint", path), self.ok("reference"))
        text = self.ok("run", "-m", path, "--prompt-ids", "0", "--seed", "1").decode()
        self.assertRegex(text, r"^[0-4] [0-4]\n$")
        self.assertEqual(json.loads(self.ok("model", "show", "-m", path, "--output", "json"))["format"], "decant.tiny/1")
        self.fails(4, "reference", "--write", "-", says="expected a file")
        self.fails(4, "reference", "--write", path / "x", says="Not a directory")
        self.fails(2, "reference", "--write", path, "--checkpoint", path, says="leave out one")

    def test_another_version_of_the_checkpoint_is_named(self):
        path = pathlib.Path(FOLDER.name) / "second.tiny"
        path.write_bytes(TINY.read_bytes().replace(b"decant.tiny/1", b"decant.tiny/2", 1))
        self.fails(4, "run", "-m", path, "--prompt-ids", "0", says="decant.tiny/2; this program reads decant.tiny/1")


class DrawsTest(CliTest):
    def test_counts_of_the_chapter(self):
        text = self.ok("draws", "--logits", "0,1,1,2", "--top-k", "3", "--seed", "36", "--preset", "reference", "-N", "200").decode()
        self.assertRegex(text, r" 3 +#3 +0\.5761 +115\.2 +101–129 +105 ")
        self.assertRegex(text, r" 1 +#1 +0\.2119 +42\.4 +31–54 +57 .*outside the range")
        self.assertIn("chi-square 6.40, 2 degrees of freedom, p = 0.041 (one run in 25", text)

    def test_json(self):
        draws = json.loads(self.ok("draws", "--logits", "0,1,1,2", "-N", "50", "--output", "json"))
        self.assertEqual(draws["schema"], "decant.draws/1")
        self.assertEqual(len(draws["tokens"]), 50)
        self.assertEqual(sum(row["drawn"] for row in draws["rows"]), 50)

    def test_are_the_draws_of_sample(self):
        draws = json.loads(self.ok("draws", "--logits", "0,1,1,2", "-N", "50", "--seed", "9", "--output", "json"))
        answer = json.loads(self.ok("sample", stdin=b'{"logits":[0,1,1,2],"seed":9,"draws":50}\n'))
        self.assertEqual(draws["tokens"], answer["tokens"])

    def test_greedy_says_so(self):
        self.assertIn(b"no randomness", self.ok("draws", "--logits", "0,1", "--temperature", "0", "-N", "5"))

    def test_bad_logits(self):
        self.fails(2, "draws", "--logits", "1,x", says='"x" is not a number')
        self.fails(1, "draws", "--logits", "-inf,-inf", says="banned")
        self.fails(2, "draws", "--logits", "1,2,", says='"" is not a number')

    def test_logits_stand_alone(self):
        for more, name in ((["-m", TINY], "-m"), (["-p", "x"], "-p"), (["-f", "x"], "-f"), (["--prompt-ids", "0"], "--prompt-ids"),
                           (["--", "word"], 'the prompt "word"'), (["--chat"], "--chat"), (["--system", "x"], "--system"),
                           (["--threads", "2"], "--threads"), (["--context", "8"], "--context")):
            error = json.loads(self.fails(2, "draws", "--logits", "1,2", "--error-format", "json", *more).stderr)["error"]
            self.assertEqual((error["code"], error["message"]), ("Conflict", f"--logits and {name} exclude each other"))
        self.ok("draws", "--logits", "1,2", "--chat=false")


class TinyTest(CliTest):
    def run_tiny(self, *arguments, **more):
        return self.ok("run", "-m", TINY, "--prompt-ids", "0,1", "-n", "8", "--seed", "3", *arguments, **more)

    def test_prints_ids_without_a_tokenizer(self):
        self.assertRegex(self.run_tiny().decode(), r"^(\d )+\d\n$")
        self.fails(4, "run", "-m", TINY, "-p", "x", says="--prompt-ids")

    def test_json_has_all_that_a_run_depends_on(self):
        result = json.loads(self.run_tiny("--output", "json", "--top-p", "0.9"))
        self.assertEqual(result["schema"], "decant.run/1")
        self.assertEqual(result["prompt_ids"], [0, 1])
        self.assertEqual(result["seed"], 3)
        self.assertEqual(result["stop"]["reason"], "token_limit")
        self.assertEqual(result["parameters"]["top_p"], {"value": 0.9, "source": "flag"})
        self.assertEqual(result["parameters"]["temperature"], {"value": 0.8, "source": "built-in"})
        self.assertEqual(result["usage"]["completion_tokens"], 8)
        self.assertEqual(" ".join(map(str, result["tokens"])), self.run_tiny("--top-p", "0.9").decode().strip())

    def test_a_preset_switches_the_defaults_off(self):
        result = json.loads(self.run_tiny("--output", "json", "--preset", "native"))
        self.assertEqual(set(result["parameters"]), {"seed", "max_tokens"})

    def test_samplers_drop_the_defaults_that_they_leave_out(self):
        trace = pathlib.Path(FOLDER.name) / "samplers.jsonl"
        done = decant("run", "-m", TINY, "--prompt-ids", "0,1", "-n", "8", "--seed", "3", "--samplers", "temperature", "--output",
                      "json", "--trace", trace)
        parameters = json.loads(done.stdout)["parameters"]
        self.assertEqual(set(parameters), {"temperature", "samplers", "seed", "max_tokens"})
        self.assertNotIn(b"top_k", done.stderr + trace.read_bytes())
        self.assertIn(b"equal, bit for bit: 8 steps", self.ok("replay", trace))
        only = json.loads(self.run_tiny("--samplers", "top_k", "--output", "json"))["parameters"]
        self.assertEqual(only["top_k"], {"value": 40, "source": "built-in"})
        self.assertNotIn("temperature", only)
        self.fails(2, "run", "-m", TINY, "--prompt-ids", "0", "--samplers", "temperature", "--top-k", "3", says="top_k")

    def test_biases_stop_tokens_and_limits(self):
        forced = json.loads(self.run_tiny("--logit-bias", "0=-inf,1=-Infinity,2=-inf,4=-inf", "--output", "json"))
        self.assertEqual(forced["tokens"], [3] * 8)
        stopped = json.loads(self.run_tiny("--logit-bias", "3=1000", "--stop-token-ids", "3", "--output", "json"))
        self.assertEqual(stopped["stop"], {"reason": "stop_token", "token": 3})
        timed = json.loads(self.ok("run", "-m", TINY, "--prompt-ids", "0", "--max-time", "1e-9", "--output", "json"))
        self.assertEqual((timed["stop"]["reason"], len(timed["tokens"])), ("time", 1))
        none = json.loads(self.ok("run", "-m", TINY, "--prompt-ids", "0", "-n", "0", "--output", "json"))
        self.assertEqual((none["stop"]["reason"], none["tokens"]), ("token_limit", []))
        full = json.loads(self.ok("run", "-m", TINY, "--prompt-ids", "0", "--output", "json", env={"DECANT_MAX_TOKENS": "max"}))
        self.assertEqual((full["stop"]["reason"], len(full["tokens"])), ("context", 64))

    def test_a_large_seed_is_text_everywhere(self):
        seed = 2**64 - 1
        for command in (["run", "-m", TINY, "--prompt-ids", "0", "-n", "1"], ["step", "-m", TINY, "--prompt-ids", "0"],
                        ["draws", "--logits", "0,1", "-N", "2"]):
            for value, shown in ((seed, str(seed)), (2**53 + 1, str(2**53 + 1)), (2**53, 2**53)):
                result = json.loads(self.ok(*command, "--seed", value, "--output", "json"))
                self.assertEqual((result["seed"], result["parameters"]["seed"]["value"]), (shown, shown))

    def test_chat_needs_a_template_that_is_known(self):
        self.fails(4, "run", "-m", TINY, "--chat", "-p", "x", says=["no chat template", "without --chat"])

    def test_equal_bits_however_it_is_computed(self):
        plain = self.run_tiny()
        for more in (["--threads", "1"], ["--threads", "3"], ["--prefill-chunk", "1"], ["--no-kv-cache"]):
            self.assertEqual(self.run_tiny(*more), plain, more)

    def test_no_seed_draws_one_and_prints_it(self):
        first = decant("run", "-m", TINY, "--prompt-ids", "0", "-n", "40", "--output", "json")
        second = decant("run", "-m", TINY, "--prompt-ids", "0", "-n", "40", "--output", "json")
        seed = json.loads(first.stdout)["seed"]
        self.assertNotEqual(seed, json.loads(second.stdout)["seed"])
        self.assertIn(f"seed {seed}\n", first.stderr.decode())
        again = json.loads(self.ok("run", "-m", TINY, "--prompt-ids", "0", "-n", "40", "--output", "json", "--seed", seed))
        self.assertEqual(again["tokens"], json.loads(first.stdout)["tokens"])

    def test_quiet_and_summary(self):
        noisy = decant("run", "-m", TINY, "--prompt-ids", "0", "-n", "2", "--seed", "1").stderr.decode()
        self.assertRegex(noisy, r"^2 tokens in .*stopped: token limit \(-n 2\) · seed 1\ntemperature 0\.8 \(default\) · top_k 40")
        self.assertEqual(decant("run", "-m", TINY, "--prompt-ids", "0", "-n", "2", "-q").stderr, b"")

    def test_limits(self):
        self.assertEqual(self.ok("run", "-m", TINY, "--prompt-ids", "0", "-n", "0"), b"\n")
        full = json.loads(self.ok("run", "-m", TINY, "--prompt-ids", "0", "-n", "max", "--output", "json"))
        self.assertEqual((full["stop"]["reason"], len(full["tokens"])), ("context", 64))
        long = ",".join(["0"] * 65)
        self.fails(3, "run", "-m", TINY, "--prompt-ids", long, says=["65 tokens", "holds 64"])
        self.fails(3, "run", "-m", TINY, "--prompt-ids", "0,0,0", "--context", "2", says=["3 tokens", "holds 2", "--context"])
        self.fails(3, "run", "-m", TINY, "--prompt-ids", "7", says="outside the vocabulary")
        self.fails(3, "run", "-m", TINY, "--prompt-ids", "", says="empty")

    def test_traces_replay_and_any_flipped_byte_is_found(self):
        trace = pathlib.Path(FOLDER.name) / "run.jsonl"
        self.run_tiny("--trace", trace, "--trace-detail", "full")
        for more in ([], ["--threads", "3"], ["--no-kv-cache"], ["--prefill-chunk", "1"], ["-m", TINY]):
            self.assertIn(b"equal, bit for bit: 8 steps", self.ok("replay", trace, *more))
        report = json.loads(self.ok("replay", trace, "--output", "json"))
        self.assertEqual((report["equal"], report["steps"]), (True, 8))
        good = trace.read_bytes()
        broken = pathlib.Path(FOLDER.name) / "broken.jsonl"
        broken.write_bytes(good.replace(b'"seed":"3"', b'"seed":"4"') if b'"seed":"3"' in good else good[:100] + b"X" + good[101:])
        self.assertEqual(decant("replay", broken).returncode, 5)
        broken.write_bytes(b"".join(good.splitlines(keepends=True)[:-1]))
        self.fails(5, "replay", broken)
        done = decant("replay", broken, "--output", "json")
        self.assertEqual((done.returncode, json.loads(done.stdout)["equal"]), (5, False))

    def test_a_trace_replaces_no_input_and_no_other_file(self):
        folder = pathlib.Path(FOLDER.name)
        before = TINY.read_bytes()
        self.fails(2, "run", "-m", TINY, "--prompt-ids", "0", "--trace", TINY, says="would replace the model")
        self.assertEqual(TINY.read_bytes(), before)
        for name, ask, what in (("o.toml", ["--config", "o.toml", "--prompt-ids", "0"], "a file of settings"),
                                ("p.txt", ["-f", "p.txt"], "the prompt file")):
            (folder / name).write_text("top_k = 1\n")
            (folder / "hard").unlink(missing_ok=True)
            os.link(folder / name, folder / "hard")
            for trace in (name, "./" + name, "hard"):
                self.fails(2, "run", "-m", TINY, *ask, "--trace", trace, says=[trace + " would replace " + what])
            self.assertEqual((folder / name).read_text(), "top_k = 1\n")
        self.fails(4, "run", "-m", TINY, "--prompt-ids", "0", "--trace", "p.txt", says=["no trace that can be replaced", "remove it first"])
        for _ in range(2):  # a trace is replaced
            self.ok("run", "-m", TINY, "--prompt-ids", "0", "-n", "1", "--trace", "again.jsonl")

    def test_step_shows_what_run_does(self):
        tokens = json.loads(self.run_tiny("--output", "json"))["tokens"]
        for skip in (0, 3):
            step = json.loads(self.ok("step", "-m", TINY, "--prompt-ids", "0,1", "--seed", "3", "--temperature", "0.8", "--top-k",
                                      "40", "--skip", skip, "--output", "json"))
            self.assertEqual(step["chosen"]["id"], tokens[skip])
            self.assertEqual(step["skipped_ids"], tokens[:skip])
            low, high = step["chosen"]["interval"]
            self.assertTrue(low <= step["draw"]["u"] < high)

    def test_step_as_a_table(self):
        text = self.ok("step", "-m", TINY, "--prompt-ids", "0", "--top-k", "3", "--preset", "reference", "--seed", "36", "--skip",
                       "1").decode()
        self.assertTrue(text.startswith("step 2   5 tokens in the model's list, entropy "))
        self.assertIn("tau 1.0", text)
        self.assertIn("rank 4 > k 3", text)
        self.assertEqual(text.count("◆"), 1)
        self.assertIn("draw 0.338833394523  (splitmix64, seed 36, draw 2)  → token ", text)
        greedy = self.ok("step", "-m", TINY, "--prompt-ids", "0", "--temperature", "0").decode()
        self.assertIn("no randomness", greedy)
        self.fails(2, "step", "-m", TINY, "--prompt-ids", "0", "--skip", "999", says="--skip")

    def test_a_race_is_shown_traced_and_replayed(self):
        settings = ["--preset", "octlm", "--temperature", "0.8", "--top-k", "3"]
        trace = pathlib.Path(FOLDER.name) / "octlm.jsonl"
        tokens = json.loads(self.run_tiny(*settings, "--trace", trace, "--output", "json"))["tokens"]
        self.assertIn(b'"draw":{"kind":"race","score":', trace.read_bytes())
        self.assertIn(b"equal, bit for bit: 8 steps", self.ok("replay", trace))
        step = ["step", "-m", TINY, "--prompt-ids", "0,1", "--seed", "3", "--skip", "2", *settings]
        shown = json.loads(self.ok(*step, "--output", "json"))
        self.assertEqual((shown["chosen"]["id"], shown["draw"]["kind"]), (tokens[2], "race"))
        self.assertNotIn("interval", shown["chosen"])
        text = self.ok(*step).decode()
        self.assertRegex(text, r"race won with [0-9.]+ ahead of [0-9.]+  \(mt19937, seed 3, draw 3\)")
        self.assertNotIn("interval", text)

    def test_stages_that_a_preset_lacks(self):
        self.fails(2, "run", "-m", TINY, "--prompt-ids", "0", "--preset", "reference", "--top-p", "0.5", says="preset reference")


class RegistryTest(CliTest):
    def test_every_parameter_is_a_flag_of_run(self):
        registry = json.loads(self.ok("params", "--output", "json"))
        self.assertEqual(registry["schema"], "decant.params/1")
        text = self.ok("run", "--help").decode()
        for parameter in registry["parameters"]:
            self.assertIn(parameter["flag"] + " ", text.replace("\n", " "))
            self.assertIn(parameter["name"], self.ok("params", parameter["name"]).decode())

    def test_aliases_and_spellings_name_one_parameter(self):
        for name in ("top-p", "top_p"):
            self.assertTrue(self.ok("params", name).startswith(b"top_p:"))
        self.assertTrue(self.ok("params", "temp").startswith(b"temperature:"))


class ModelFolderTest(CliTest):
    def test_lists_and_finds_by_name(self):
        env = {"DECANT_MODELS": FOLDER.name}
        self.assertIn(b"five", self.ok("model", "list", env=env))
        shown = json.loads(self.ok("model", "show", "-m", "five", "--output", "json", env=env))
        self.assertEqual(shown["sha256"], hashlib.sha256(TINY.read_bytes()).hexdigest())
        self.assertEqual((shown["vocabulary"], shown["context"], shown["tokenizer"]), (5, 64, "none"))
        self.assertRegex(self.ok("run", "--prompt-ids", "0", "-n", "1", env=env).decode(), r"^\d\n$")
        self.fails(4, "run", "-p", "x", "-m", "fiv", env=env, says="five")

    def test_no_models(self):
        done = decant("model", "list")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.fails(4, "run", "-p", "x", says="no model")


@unittest.skipUnless(MODEL.exists(), f"the default model is not in {MODEL_DIR} (make model)")
class DefaultModelTest(CliTest):
    def text(self, *arguments, **more):
        return self.ok("run", "-m", MODEL, "-q", *arguments, **more)

    def test_prompt_sources_agree(self):
        flag = self.text("-p", "The sky is", "-n", "6", "--seed", "7")
        self.assertTrue(flag)
        prompt = pathlib.Path(FOLDER.name) / "prompt.txt"
        prompt.write_bytes(b"The sky is")
        self.assertEqual(self.text("-n", "6", "--seed", "7", stdin=b"The sky is"), flag)
        self.assertEqual(self.text("-", "-n", "6", "--seed", "7", stdin=b"The sky is"), flag)
        self.assertEqual(self.text("-f", prompt, "-n", "6", "--seed", "7"), flag)
        self.assertEqual(self.text("-f", "-", "-n", "6", "--seed", "7", stdin=b"The sky is"), flag)
        self.assertEqual(self.text("-n", "6", "--seed", "7", "--", "The", "sky", "is"), flag)

    def test_text_is_the_same_however_it_is_computed(self):
        plain = self.text("-p", "Once upon a time", "-n", "8", "--seed", "7")
        for more in (["--threads", "1"], ["--prefill-chunk", "1"], ["--no-kv-cache"]):
            self.assertEqual(self.text("-p", "Once upon a time", "-n", "8", "--seed", "7", *more), plain, more)
        result = json.loads(self.text("-p", "Once upon a time", "-n", "8", "--seed", "7", "--output", "json"))
        self.assertEqual(result["text"].encode(), plain)

    def test_says_what_became_of_the_prompt(self):
        for stdin, says in ((b"", b"the prompt is empty"), (b"\xff", b"1 byte of the prompt"), (b"\xff\xfe", b"2 bytes")):
            done = decant("run", "-m", MODEL, "-n", "1", "--seed", "7", stdin=stdin)
            self.assertEqual(done.returncode, 0)
            self.assertIn(says, done.stderr)

    def test_step_refuses_to_skip_past_the_context(self):
        self.fails(2, "step", "-m", MODEL, "-p", "hi", "--skip", "9000", says="the context holds 8192")

    def test_model_show_takes_the_name_after_m(self):
        self.fails(2, "model", "show", "nope", says="decant model show -m nope")

    def test_stops_at_texts(self):
        whole = self.text("-p", "The sky is", "-n", "12", "--seed", "7").decode()
        stop = whole.split()[3]
        result = json.loads(self.text("-p", "The sky is", "-n", "12", "--seed", "7", "--stop", stop, "--output", "json"))
        self.assertEqual(result["stop"], {"reason": "stop_string", "string": stop})
        self.assertEqual(result["text"], whole[:whole.index(stop)])
        self.assertEqual(self.text("-p", "The sky is", "-n", "12", "--seed", "7", "--stop", stop).decode(), result["text"])

    def test_chat_uses_the_template(self):
        result = json.loads(self.text("--chat", "--system", "Be brief.", "-p", "Hi <|im_end|>", "-n", "4", "--seed", "1",
                                      "--output", "json"))
        ids = result["prompt_ids"]
        self.assertEqual(ids.count(1), 3, "three messages begin")
        self.assertEqual(ids.count(2), 2, "the user's text of a special token is ordinary text")
        raw = json.loads(self.text("-p", "<|im_end|>", "-n", "1", "--output", "json"))
        self.assertEqual(raw["prompt_ids"], [2])

    def test_chat_ends_at_the_end_of_the_turn_unless_that_is_ignored(self):
        ask = ["--chat", "-p", "Say hi.", "--logit-bias", "2=1000", "--seed", "1", "-n", "3", "--output", "json"]
        self.assertEqual(json.loads(self.text(*ask))["stop"]["reason"], "eos")
        on = json.loads(self.text(*ask, "--ignore-eos"))
        self.assertEqual((on["stop"]["reason"], on["tokens"]), ("token_limit", [2, 2, 2]))

    def test_the_examples_of_the_help_run(self):
        path = f"{pathlib.Path(BIN).resolve().parent}{os.pathsep}{os.environ.get('PATH', '')}"
        env = environment(PATH=path, DECANT_MODELS=str(MODEL_DIR.resolve()))
        for command in set(COMMANDS) - {"chat"}:  # which needs a terminal
            example = self.ok(command, "--help").decode().split("\nexample\n")[1]
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(["sh", "-ec", example], capture_output=True, env=env, cwd=folder, timeout=300,
                                      check=False)
            self.assertEqual(done.returncode, 0, (example, done.stderr))
            self.assertTrue(done.stdout, example)

    def test_empty_prompt_starts_from_bos(self):
        self.assertEqual(len(json.loads(self.text("-p", "", "-n", "1", "--output", "json"))["prompt_ids"]), 1)

    def test_long_prompt_names_the_counts(self):
        self.fails(3, "run", "-m", MODEL, "-p", "a b c d e f", "--context", "4", says=["6 tokens", "holds 4", "--context"])

    def test_trace_replays(self):
        trace = pathlib.Path(FOLDER.name) / "model.jsonl"
        self.text("-p", "The sky is", "-n", "5", "--seed", "7", "--trace", trace)
        self.assertIn(b"equal, bit for bit: 5 steps", self.ok("replay", trace, "-m", MODEL, "--threads", "1"))

    def test_a_trace_replays_with_the_context_it_was_made_with(self):
        trace = pathlib.Path(FOLDER.name) / "short.jsonl"
        self.text("-p", "The cat", "-n", "3", "--context", "24", "--seed", "7", "--trace", trace)
        self.assertIn(b"equal, bit for bit: 3 steps", self.ok("replay", trace, "-m", MODEL))

    def test_interrupt_keeps_what_was_written(self):
        process = subprocess.Popen([BIN, "run", "-m", MODEL, "-p", "Once", "--ignore-eos", "--seed", "1"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, env=environment(),
                                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.assertTrue(process.stdout.read(1), "some text has come")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"stopped: interrupted", err)

    def test_closed_reader_stops_the_run(self):
        process = subprocess.Popen([BIN, "run", "-m", MODEL, "-p", "Once", "--ignore-eos", "--seed", "1", "-q"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
        process.stdout.read(1)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=60), 141)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_step_and_draws_agree_with_each_other(self):
        step = json.loads(self.ok("step", "-m", MODEL, "-p", "The sky is", "--top-k", "5", "--output", "json"))
        draws = json.loads(self.ok("draws", "-m", MODEL, "-p", "The sky is", "--top-k", "5", "-N", "20", "--output", "json"))
        self.assertEqual(draws["tokens"][0], step["chosen"]["id"])
        by_id = {row["id"]: row["p_final"] for row in step["rows"]}
        for row in draws["rows"]:
            self.assertEqual(row["p"], by_id[row["id"]])


def main():
    write_tiny(TINY)
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        return 1
    if result.skipped:
        print(f"{len(result.skipped)} skipped: {result.skipped[0][1]}", file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else 77
    return 0

class EndlessInputTest(CliTest):
    def test_every_reader_has_a_bound_and_names_it(self):
        for arguments in (["run", "-m", TINY, "-f"], ["tokenize", "-f"], ["detokenize", "-f"], ["template", "-f"], ["replay"]):
            self.fails(4, *arguments, "/dev/zero", says="more than 268435456 bytes", preexec_fn=self.limit)
        with open("/dev/zero", "rb") as zeros:
            for command in (["run", "-m", TINY], ["tokenize"], ["sample"]):
                zeros.seek(0)
                self.fails(4, *command, stdin_file=zeros, says="more than 268435456 bytes", preexec_fn=self.limit)

    @staticmethod
    def limit():
        if "ASAN_OPTIONS" not in os.environ:
            resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))



if __name__ == "__main__":
    sys.exit(main())
