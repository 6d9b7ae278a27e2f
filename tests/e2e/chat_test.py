"""decant chat on a pseudo-terminal, and the commands about tokens: tokenize, detokenize, template, token healing.

Environment: as cli_test.py. What needs the default model is skipped without it, and the exit status is then 77; with
CI=true that is a failure.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import cli_test  # the tiny checkpoint, and how the program is run
from cli_test import BIN, MODEL, TINY, CliTest, decant, environment

WAIT = 120  # seconds for anything to appear
NEEDS_MODEL = unittest.skipUnless(MODEL.exists(), "needs the default model")


class Terminal:
    """The program on a terminal of its own."""

    def __init__(self, *arguments, folder, **env):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.before = termios.tcgetattr(theirs)
        self.theirs = theirs
        more = {"XDG_STATE_HOME": str(folder / "state"), **env}
        self.process = subprocess.Popen([BIN, *map(str, arguments)], stdin=theirs, stdout=theirs, stderr=theirs,
                                        env=environment(**more), cwd=folder, preexec_fn=self.control)
        self.seen = b""  # since the last wait
        self.all = b""

    def control(self):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def send(self, text):
        os.write(self.ours, text.encode())

    def wait(self, what, within=WAIT):
        """Reads until the pattern has appeared; what came up to its end."""
        pattern = re.compile(what.encode(), re.DOTALL)
        end = time.monotonic() + within
        while not (match := pattern.search(self.seen)):
            left = end - time.monotonic()
            ready, _, _ = select.select([self.ours], [], [], max(0, left))
            try:
                part = os.read(self.ours, 65536) if ready else b""
            except OSError:
                part = b""
            if not part:
                raise AssertionError(f"no {what!r} in {self.seen.decode(errors='replace')!r}")
            self.seen += part
            self.all += part
        text, self.seen = self.seen[:match.end()], self.seen[match.end():]
        return text.decode(errors="replace").replace("\r\n", "\n")

    def line(self, text):
        """Types a line; what comes up to the next prompt."""
        self.send(text + "\r")
        return self.wait(r"\n(?:\x1b\[[0-9;?]*[A-Za-z]|\r)*> ")

    def end(self):
        """The exit status, after the program has closed the terminal."""
        code = self.process.wait(WAIT)
        self.after = termios.tcgetattr(self.theirs)
        os.close(self.theirs)
        os.close(self.ours)
        return code


class ChatCase(CliTest):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.terminals = []
        self.addCleanup(self.stop)

    def stop(self):
        for terminal in self.terminals:
            if terminal.process.poll() is None:
                terminal.process.kill()
                terminal.process.wait()

    def chat(self, *arguments, ready=True, **env):
        terminal = Terminal("chat", "-m", MODEL, *arguments, folder=self.folder, **env)
        self.terminals.append(terminal)
        if ready:
            terminal.wait("> ")
        return terminal

    def leaves(self, terminal, code=0):
        self.assertEqual(terminal.end(), code)
        self.assertEqual(terminal.after, terminal.before)


class NoTerminalTest(ChatCase):
    def test_run_spells_control_characters_out_on_a_terminal_alone(self):
        model = cli_test.ROOT / "tests/golden/hf_tiny/bf16"
        text = json.loads(self.ok("run", "-m", model, "-p", "x", "-n", 40, "--seed", 1, "--ignore-eos", "--temperature", 5,
                                  "--top-k", 0, "--output", "json"))["text"]
        self.assertTrue(any(ord(c) < 9 or 0x7F <= ord(c) < 0xA0 for c in text), "the seed gives no control character")
        arguments = ("run", "-m", model, "-p", "x", "-n", 40, "--seed", 1, "--ignore-eos", "--temperature", 5, "--top-k", 0, "-q")
        self.assertEqual(self.ok(*arguments).decode(errors="replace"), text)
        terminal = Terminal(*arguments, folder=self.folder)
        self.terminals.append(terminal)
        shown = terminal.wait(r"\\u\{[0-9a-f]+\}")
        self.assertFalse(any(ord(c) < 9 for c in shown))
        self.assertEqual(terminal.process.wait(WAIT), 0)

    def test_a_project_file_that_is_a_pipe_does_not_hang(self):
        os.mkfifo(self.folder / "decant.toml")
        done = subprocess.run([BIN, "run", "-m", TINY, "--prompt-ids", "1", "-n", "1"], cwd=self.folder, env=environment(),
                              capture_output=True, timeout=WAIT, check=False)
        self.assertEqual(done.returncode, 4)
        self.assertIn("decant.toml is no regular file", done.stderr.decode())

    def test_needs_a_terminal_and_names_run(self):
        done = self.fails(2, "chat", says=["for a terminal", "decant run"])
        self.assertEqual(done.stdout, b"")

    def test_refuses_wrong_flags_first(self):
        self.fails(2, "chat", "--top-p", "1.3", says="top_p is 1.3")
        self.fails(2, "chat", "--sistem", "x", says="--system")

    def test_a_model_without_tokenizer_cannot_chat(self):
        terminal = Terminal("chat", "-m", TINY, folder=self.folder)
        self.terminals.append(terminal)
        terminal.wait("has no tokenizer")
        self.assertEqual(terminal.end(), 4)
        self.assertEqual(terminal.after, terminal.before)


@NEEDS_MODEL
class ChatTest(ChatCase):
    def test_a_turn_and_the_next_from_the_cache(self):
        chat = self.chat("--temperature", "0", "-n", "8")
        first = chat.line("What is the capital of France?")
        self.assertIn("Paris", first)
        self.assertRegex(first, r"\d+ tokens? in .* stopped: .* 0 reused .*seed \d+")
        second = chat.line("And of Italy?")
        self.assertNotIn(" 0 reused", second)
        self.assertRegex(second, r" (\d\d+) reused")
        chat.send("/quit\r")
        self.leaves(chat)

    def test_equal_seeds_and_inputs_give_equal_chats(self):
        texts = []
        for name in ("a", "b"):
            chat = self.chat("--seed", "7", "-n", "12")
            chat.line("Tell me something.")
            chat.line("More.")
            chat.line("/retry")
            chat.line(f"/save {name}.json")
            chat.send("\x04")
            self.leaves(chat)
            texts.append(json.loads((self.folder / f"{name}.json").read_text()))
        self.assertEqual(texts[0], texts[1])
        self.assertEqual([m["role"] for m in texts[0]["messages"]], ["user", "assistant"] * 2)

    def test_a_constraint_holds_for_each_answer_until_it_is_set_anew(self):
        chat = self.chat("--choice", "yes", "--choice", "no", "--seed", "7")
        for question in ("Is water wet?", "Is fire cold?"):
            self.assertIn(chat.line(question).split("\n")[1].strip(), ["yes", "no"])
        self.assertIn("exclude each other", chat.line("/set regex [0-9]{3}"))
        self.assertIn(chat.line("Sure?").split("\n")[1].strip(), ["yes", "no"])
        chat.line("/set choice maybe")
        self.assertEqual(chat.line("Sure?").split("\n")[1].strip(), "maybe")
        chat.send("/quit\r")
        self.leaves(chat)

    def test_a_retry_draws_other_numbers(self):
        chat = self.chat("--seed", "7", "-n", "12", "--temperature", "1.5")
        first = chat.line("Tell me a story.")
        again = chat.line("/retry")
        self.assertIn("retry 1", again)
        self.assertNotEqual(first.split("\n")[1], again.split("\n")[1])
        chat.send("\x04")
        self.leaves(chat)

    def test_interrupt_stops_the_answer_and_keeps_it(self):
        chat = self.chat("--ignore-eos", "--seed", "3")
        chat.send("Count to one thousand.\r")
        chat.wait(r"thousand\.\r\n.*?\w+ \w+")
        chat.send("\x03")
        self.assertIn("interrupted", chat.wait("stopped: interrupted.*> "))
        chat.line("/save cut.json")
        saved = json.loads((self.folder / "cut.json").read_text())["messages"]
        self.assertTrue(saved[-1]["stopped"])
        self.assertTrue(saved[-1]["content"])
        chat.send("\x04")
        self.leaves(chat)

    def test_interrupt_at_the_prompt_clears_and_the_second_leaves(self):
        chat = self.chat()
        chat.send("half a mess")
        chat.wait("mess")
        chat.send("\x03")
        chat.wait(r"\^C.*leaves.*> ")
        self.assertIn("absent", chat.line("/set top_p"))  # the half line is gone
        chat.send("\x03")
        chat.wait("leaves.*> ")
        chat.send("\x03")
        self.leaves(chat, 130)

    def test_set_tells_what_changed_and_refuses_what_is_wrong(self):
        chat = self.chat()
        self.assertIn("top_k: 40 -> 3", chat.line("/set top_k 3"))
        self.assertIn("top_k: 3 -> 40", chat.line("/set top-k default"))
        self.assertIn("top_p is 1.3", chat.line("/set top_p 1.3"))
        self.assertIn("did you mean", chat.line("/set temperatur 1"))
        self.assertIn("seed: ", chat.line("/seed 11"))
        self.assertRegex(chat.line("/params"), r"seed +11 +/set")
        self.assertIn("did you mean /reset?", chat.line("/rset"))
        self.assertIn("/undo", chat.line("/help"))
        self.assertIn("context", chat.line("/model"))
        self.assertIn("0 answers", chat.line("/stats"))
        chat.send("/exit\r")
        self.leaves(chat)

    def test_undo_reset_system_and_tokens(self):
        chat = self.chat("-n", "4", "--system", "Be brief.")
        empty = chat.line("/tokens")
        self.assertIn("Be brief.", empty)
        chat.line("One?")
        self.assertIn("taken back", chat.line("/undo"))
        self.assertIn("nothing to take back", chat.line("/undo"))
        self.assertEqual(chat.line("/tokens").split("/tokens")[-1], empty.split("/tokens")[-1])
        self.assertIn("set", chat.line("/system Be long."))
        self.assertIn("Be long.", chat.line("/system"))
        self.assertIn("no message to answer", chat.line("/retry"))
        self.assertIn("forgotten", chat.line("/clear"))
        chat.send("\x04")
        self.leaves(chat)

    def test_lines_go_on_after_a_backslash_and_between_quotes(self):
        chat = self.chat("-n", "1")
        chat.send("first\\\r")
        chat.wait(r"\. ")
        chat.line("second")
        chat.send('"""\r')
        chat.wait(r"\. ")
        chat.send("/third\r")
        chat.wait(r"\. ")
        chat.line('"""')
        chat.line("//fourth")
        chat.line("/save lines.json")
        chat.send("\x04")
        self.leaves(chat)
        messages = json.loads((self.folder / "lines.json").read_text())["messages"]
        self.assertEqual([m["content"] for m in messages if m["role"] == "user"], ["first\nsecond", "/third", "/fourth"])

    def test_arrow_up_recalls_across_chats_unless_switched_off(self):
        chat = self.chat("-n", "1")
        chat.line("/system Ünïcode 日本")
        chat.send("\x04")
        self.leaves(chat)
        history = self.folder / "state/decant/history"
        self.assertEqual(history.stat().st_mode & 0o777, 0o600)
        chat = self.chat("-n", "1", "--no-history")
        chat.line("/stats")
        chat.send("\x04")
        self.leaves(chat)
        self.assertEqual(history.read_text().count("\n"), 1)
        chat = self.chat("-n", "1")
        chat.send("\x1b[A")
        chat.wait("Ünïcode 日本")
        chat.send("\r")
        chat.wait("is set.*> ")
        chat.send("\x04")
        self.leaves(chat)

    def test_tab_completes_commands_and_parameters(self):
        chat = self.chat()
        chat.send("/par\t\r")
        chat.wait("top_k.*> ")
        chat.send("/set min_\t\t")
        chat.wait("min_p")
        chat.send("\x03")
        chat.wait(r"\^C.*leaves.*> ")  # not the prompt that completion writes again
        chat.send("\x04")
        self.leaves(chat)

    def test_load_goes_on_with_the_very_tokens_and_template_reads_the_file(self):
        chat = self.chat("--temperature", "0", "-n", "6", "--seed", "1")
        chat.line("Name a color.")
        chat.line("/save talk.json")
        chat.line("Another.")
        chat.line("/save whole.json")
        chat.send("\x04")
        self.leaves(chat)
        chat = self.chat("--temperature", "0", "-n", "6", "--seed", "1", "--load", "talk.json")
        chat.line("Another.")
        chat.line("/save again.json")
        chat.send("\x04")
        self.leaves(chat)
        whole, again = (json.loads((self.folder / name).read_text()) for name in ("whole.json", "again.json"))
        self.assertEqual(whole["messages"], again["messages"])
        text = self.ok("template", "-m", MODEL, "-f", self.folder / "whole.json", "--raw").decode()
        self.assertIn("<|im_start|>user\nAnother.<|im_end|>\n<|im_start|>assistant\n", text)

    def test_devices_and_pipes_are_no_conversations(self):
        history = self.folder / "state/decant/history"
        history.parent.mkdir(parents=True)
        os.mkfifo(history)
        chat = self.chat("-n", "1", ready=False)
        self.assertIn("not a regular file", chat.wait(r"no history is kept: .*> "))
        self.assertIn("No space left", chat.line("/save /dev/full"))
        self.assertIn("more than 268435456 bytes", chat.line("/load /dev/zero"))
        (self.folder / "later.json").write_text('{"schema":"decant.chat/2","messages":[]}')
        self.assertIn("decant.chat/2", chat.line("/load later.json"))
        entry = {"role": "assistant", "content": "x", "ids": [1, 2, 3]}
        (self.folder / "ids.json").write_text(json.dumps({"messages": [{"role": "user", "content": "a"}, entry]}))
        self.assertIn("message 2: its ids do not spell", chat.line("/load ids.json"))
        chat.send("\x04")
        self.leaves(chat)

    def test_a_full_context_refuses_or_drops_turns_and_says_so(self):
        chat = self.chat("-n", "8", "--context", "96", "--seed", "1")
        for _ in range(3):
            said = chat.line("Say a few words about rain, please, and then a few more.")
        self.assertIn("the context is full", said)
        self.assertIn("/set ctx_overflow truncate_left", said)
        chat.line("/set ctx_overflow truncate_left")
        said = chat.line("Say a few words about rain, please, and then a few more.")
        self.assertIn("oldest turn", said)
        self.assertIn("stopped:", said)
        chat.send("\x04")
        self.leaves(chat)

    def test_what_is_typed_during_an_answer_waits_for_it(self):
        chat = self.chat("-n", "40", "--seed", "1")
        chat.send("Say a few words about rain.\r")
        time.sleep(0.3)  # into the answer, or before it: both must do
        chat.send("\x04")
        self.leaves(chat)

    def test_control_characters_of_the_model_are_spelled_out(self):
        # The bias makes the model write the one token of the escape character.
        escape = self.ok("tokenize", "-m", MODEL, "--ids", "-p", "\x1b").split()
        self.assertEqual(len(escape), 1)
        chat = self.chat("-n", "2", "--logit-bias", f"{escape[0].decode()}=1000", "--quiet", ready=False)
        chat.wait("> ")
        chat.send("Hi\r")
        chat.wait(re.escape("\\u{1b}\\u{1b}") + ".*> ")
        chat.send("\x04")
        self.leaves(chat)

    def test_a_signal_puts_the_terminal_back(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGSEGV):
            chat = self.chat()
            chat.process.send_signal(number)
            self.leaves(chat, -number)
        chat = self.chat("--ignore-eos")
        chat.send("Go on.\r")
        chat.wait(r"on\.\r\n.*?\w+")
        chat.process.send_signal(signal.SIGTERM)
        self.leaves(chat, -signal.SIGTERM)

    def test_a_new_window_size_is_taken(self):
        chat = self.chat()
        fcntl.ioctl(chat.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 30, 0, 0))
        chat.process.send_signal(signal.SIGWINCH)
        self.assertIn("0 answers", chat.line("/stats"))
        chat.send("\x04")
        self.leaves(chat)

    def test_plain_lines_where_the_terminal_cannot_edit(self):
        chat = self.chat("-n", "2", TERM="dumb")
        self.assertIn(b"cannot be edited", chat.all)
        self.assertIn("0 answers", chat.line("/stats"))
        chat.send("\x03")
        chat.wait("leaves.*> ")
        chat.send("\x04")
        self.leaves(chat)

    def test_standard_output_in_a_file_has_the_answers_alone(self):
        with open(self.folder / "answers.txt", "wb") as answers:
            ours, theirs = pty.openpty()
            process = subprocess.Popen([BIN, "chat", "-m", str(MODEL), "-n", "6", "--temperature", "0", "--no-history"],
                                       stdin=theirs, stdout=answers, stderr=theirs, env=environment(), cwd=self.folder)
            os.write(ours, b"What is the capital of France?\n/quit\n")
            self.assertEqual(process.wait(WAIT), 0)
            os.close(theirs)
            os.close(ours)
        text = (self.folder / "answers.txt").read_text()
        self.assertIn("Paris", text)
        self.assertEqual(text.count("\n"), 1)


@NEEDS_MODEL
class TokenizeTest(CliTest):
    def tokens(self, *arguments, **more):
        return json.loads(self.ok("tokenize", "-m", MODEL, "--output", "json", *arguments, **more))

    def test_ids_into_a_pipe_and_lines_when_asked(self):
        self.assertEqual(self.ok("tokenize", "-m", MODEL, "-p", "The sky is"), b"504 6376 314\n")
        lines = self.ok("tokenize", "-m", MODEL, "--lines", "-p", "The sky").decode()
        self.assertEqual(lines, '  504  "The"\n 6376  " sky"\n')
        self.fails(2, "tokenize", "-m", MODEL, "--ids", "--lines", "-p", "x", says="exclude")

    def test_json_has_text_bytes_and_kind(self):
        found = self.tokens("-p", "<|im_start|>é")
        self.assertEqual(found["schema"], "decant.tokenize/1")
        self.assertEqual(found["count"], len(found["tokens"]))
        self.assertEqual(found["tokens"][0], {"id": 1, "text": "<|im_start|>", "bytes": list(b"<|im_start|>"), "kind": "control"})
        half = self.tokens("-f", "-", stdin=b"\xc3")["tokens"]
        self.assertEqual(half, [{"id": half[0]["id"], "text": None, "bytes": [0xC3], "kind": "normal"}])

    def test_special_texts_can_be_text(self):
        self.assertNotIn("control", {t["kind"] for t in self.tokens("--no-special", "-p", "<|im_end|>")["tokens"]})
        self.assertEqual(self.tokens("--bos", "-p", "x")["tokens"][0]["id"], 1)
        self.assertEqual(self.tokens("-p", "")["tokens"], [])

    def test_round_trips_bytes(self):
        for data in (b"", b"plain", "日本 👩‍🚀\n\t".encode(), b"\xff\xfe"[1:1], b"\xe2\x82 cut \xc3(", bytes(range(32, 127)) * 100):
            ids = self.ok("tokenize", "-m", MODEL, "-f", "-", "--no-special", stdin=data)
            self.assertEqual(self.ok("detokenize", "-m", MODEL, stdin=ids), data)

    def test_bytes_without_a_token_are_counted(self):
        done = decant("tokenize", "-m", MODEL, "-f", "-", "--output", "json", stdin=b"a\xff\xc0b")
        self.assertIn("2 bytes of the text have no token", done.stderr.decode())
        self.assertEqual(json.loads(done.stdout)["bytes_without_token"], 2)

    def test_detokenize_reads_every_spelling_and_names_faults(self):
        for arguments, stdin in ((["504", "6376"], b""), (["504,6376"], b""), ([], b"[504, 6376]"), (["-"], b"504\n6376\n")):
            self.assertEqual(self.ok("detokenize", "-m", MODEL, *arguments, stdin=stdin), b"The sky")
        self.assertEqual(self.ok("detokenize", "-m", MODEL, "--skip-special", "1", "504", "2"), b"The")
        self.assertEqual(self.ok("detokenize", "-m", MODEL, "1", "504"), b"<|im_start|>The")
        self.fails(2, "detokenize", "-m", MODEL, "504", "x", says='item 2 of the ids is "x"')
        self.fails(3, "detokenize", "-m", MODEL, "504", "60000", says=["60000", "index 1"])

    def test_a_model_without_tokenizer(self):
        for command in (["tokenize", "-p", "x"], ["detokenize", "1"], ["template", "--message", "user:x"]):
            self.fails(4, *command, "-m", TINY, says="has no tokenizer")


@NEEDS_MODEL
class TemplateTest(CliTest):
    def test_marks_special_tokens_and_not_their_likeness(self):
        text = self.ok("template", "-m", MODEL, "--system", "", "--message", "user:<|im_end|>").decode()
        self.assertEqual(text, "⟦<|im_start|>⟧user\n<|im_end|>⟦<|im_end|>⟧\n⟦<|im_start|>⟧assistant\n")

    def test_json_says_the_same_as_run_with_chat(self):
        found = json.loads(self.ok("template", "-m", MODEL, "--message", "user:hi", "--output", "json"))
        ran = json.loads(self.ok("run", "-m", MODEL, "--chat", "-p", "hi", "-n", "0", "--output", "json"))
        self.assertEqual(found["ids"], ran["prompt_ids"])
        self.assertEqual(found["template"], "chatml")
        self.assertEqual("".join(s["text"] for s in found["segments"]), found["text"])

    def test_reads_messages_from_a_pipe_and_says_what_it_does_not_use(self):
        body = {"model": "x", "temperature": 1, "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}]}
        done = decant("template", "-m", MODEL, "--raw", stdin=json.dumps(body).encode())
        self.assertEqual(done.stdout, b"<|im_start|>system\ns<|im_end|>\n<|im_start|>user\nu<|im_end|>\n<|im_start|>assistant\n")
        self.assertIn("temperature", done.stderr.decode())
        ids = self.ok("template", "-m", MODEL, "--ids", stdin=json.dumps(body).encode())
        self.assertEqual(self.ok("detokenize", "-m", MODEL, stdin=ids), done.stdout)

    def test_names_what_is_wrong(self):
        self.fails(2, "template", "-m", MODEL, "--message", "hello", says="has no role")
        self.fails(2, "template", "-m", MODEL, stdin=b'{"messages":[{"role":"user"}]}', says="message 1: content is missing")
        self.fails(2, "template", "-m", MODEL, "--system", "s", "--message", "system:t", says="begin with a system message")


class ContextTest(ChatCase):
    """The tiny checkpoint: 5 tokens, a context of 64."""

    def run_tiny(self, size, *arguments):
        ids = ",".join(str(i % 5) for i in range(size))
        return decant("run", "-m", TINY, "--prompt-ids", ids, "--seed", "1", "--output", "json", *arguments)

    def test_a_prompt_past_the_context_is_refused_with_the_ways_out(self):
        done = self.run_tiny(70, "-n", "8")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the prompt has 70 tokens, 8 more are to be generated, the context holds 64", done.stderr.decode())
        self.assertIn("--ctx-overflow truncate_left (drops 14 tokens of the start)", done.stderr.decode())

    def test_truncation_is_reported(self):
        for side, word in (("left", "start"), ("middle", "middle")):
            done = self.run_tiny(70, "-n", "8", "--ctx-overflow", f"truncate_{side}")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual(found["truncated"], {"removed": 14, "side": side})
            self.assertEqual(len(found["prompt_ids"]), 56)
            self.assertEqual(len(found["tokens"]), 8)
            self.assertIn(f"14 tokens of its {word} left out", done.stderr.decode())
        self.assertNotIn("truncated", json.loads(self.run_tiny(8, "-n", "8").stdout))
        self.assertEqual(self.run_tiny(8, "-n", "64", "--ctx-overflow", "truncate_left").returncode, 3)

    def test_an_answer_that_the_context_cuts_is_announced(self):
        done = self.run_tiny(60, "-n", "20")
        self.assertEqual(len(json.loads(done.stdout)["tokens"]), 5)
        self.assertIn("5 of 20 tokens can come", done.stderr.decode())
        self.assertEqual(json.loads(done.stdout)["stop"]["reason"], "context")

    def test_a_context_that_slides_goes_on(self):
        done = self.run_tiny(60, "-n", "20", "--at-context-end", "slide")
        self.assertEqual(len(json.loads(done.stdout)["tokens"]), 20)
        self.assertNotIn("can come", done.stderr.decode())


@NEEDS_MODEL
class TokenHealingTest(ChatCase):
    PROMPT = "The link is <a href=\"http:"

    def test_the_text_goes_on_after_the_prompt_and_replays(self):
        trace = self.folder / "healed.trace"
        ran = json.loads(self.ok("run", "-m", MODEL, "-p", self.PROMPT, "--token-healing", "-n", "4", "--temperature", "0",
                                 "--trace", trace, "--output", "json"))
        self.assertEqual(bytes(ran["healed"]), b":")
        plain = json.loads(self.ok("run", "-m", MODEL, "-p", self.PROMPT, "-n", "4", "--temperature", "0", "--output", "json"))
        self.assertEqual(ran["prompt_ids"], plain["prompt_ids"][:-1])
        whole = self.ok("detokenize", "-m", MODEL, *map(str, ran["prompt_ids"] + ran["tokens"])).decode()
        self.assertEqual(whole, self.PROMPT + ran["text"])
        text = self.ok("run", "-m", MODEL, "-p", self.PROMPT, "--token-healing", "-n", "4", "--temperature", "0")
        self.assertEqual(text.decode(), ran["text"])
        header = json.loads(trace.read_text().split("\n")[0])
        self.assertEqual(header["healed"], list(b":"))
        self.ok("replay", "-m", MODEL, trace)
        broken = trace.read_bytes().replace(b'"healed":[58]', b'"healed":[59]')
        trace.write_bytes(broken)
        self.fails(5, "replay", "-m", MODEL, trace)

    def test_a_prompt_of_one_token_is_not_healed(self):
        done = decant("run", "-m", MODEL, "-p", "The", "--token-healing", "-n", "1", "--seed", "1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("token healing does nothing", done.stderr.decode())


if __name__ == "__main__":
    cli_test.write_tiny(TINY)
    result = unittest.main(exit=False).result
    if not result.wasSuccessful():
        sys.exit(1)
    if not MODEL.exists():
        sys.exit(1 if os.environ.get("CI") == "true" else 77)
