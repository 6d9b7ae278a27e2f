"""Constraints through the program: runs that keep to one, and the commands grammar and schema.

The model is tests/golden/hf_tiny, whose weights are random: it would write anything. Environment: DECANT_BIN, the program
(default build/release/bin/decant).
"""
import decimal
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("DECANT_BIN", str(ROOT / "build/release/bin/decant"))
MODEL = ROOT / "tests/golden/hf_tiny/f32"
PERSON = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 8}, "age": {"type": "integer", "minimum": 0, "maximum": 150}},
          "required": ["name", "age"], "additionalProperties": False}


def decant(*arguments, stdin=b"", env=None, cwd=ROOT):
    return subprocess.run([BINARY, *map(str, arguments)], input=stdin, capture_output=True, timeout=300, cwd=cwd,
                          env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", **(env or {})}, check=False)


class ConstraintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def ok(self, *arguments, **more):
        done = decant(*arguments, **more)
        self.assertEqual(done.returncode, 0, (arguments, done.stdout, done.stderr))
        return done.stdout.decode()

    def fails(self, code, *arguments, says=(), **more):
        done = decant(*arguments, **more)
        self.assertEqual(done.returncode, code, (arguments, done.stdout, done.stderr))
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr.decode())
        return done

    def run_json(self, *arguments, **more):
        return json.loads(self.ok("run", "-m", MODEL, "-p", "It is", "--output", "json", "-q", *arguments, **more))

    def person_file(self, schema=None):
        path = self.folder / "person.json"
        path.write_text(json.dumps(schema or PERSON), encoding="utf-8")
        return path


class RunTest(ConstraintTest):
    def test_a_choice_is_written_and_ends_the_run(self):
        for seed in range(5):
            out = self.run_json("--choice", "yes", "--choice", "no", "--choice", "not at all", "--seed", seed)
            self.assertIn(out["text"], ["yes", "no", "not at all"])
            self.assertIn(out["stop"]["reason"], ["grammar_end", "eos"])
            self.assertIs(out["incomplete"], False)
            self.assertEqual(out["unenforced"], [])

    def test_a_regex_holds_for_the_whole_text(self):
        for seed in range(5):
            out = self.run_json("--regex", r"[A-Z][a-z]{2,5}-\d{3}", "--seed", seed)
            self.assertRegex(out["text"], r"\A[A-Z][a-z]{2,5}-\d{3}\Z")
            self.assertEqual(out["stop"]["reason"], "grammar_end")

    def test_a_schema_comes_from_a_file_standard_input_or_the_line(self):
        path = self.person_file()
        text = path.read_text(encoding="utf-8")
        (self.folder / "decant.toml").write_text('json_schema = "person.json"\n', encoding="utf-8")
        ways = [(["--json-schema", path], {}), (["--json-schema", "-"], {"stdin": text.encode()}), (["--json-schema", text], {}),
                ([], {"env": {"DECANT_JSON_SCHEMA": str(path)}}), ([], {"cwd": self.folder})]
        texts = set()
        for arguments, more in ways:
            out = self.run_json("--seed", 1, "--whitespace", "compact", *arguments, **more)
            self.assertEqual(json.loads(out["text"])["age"] % 1, 0)
            texts.add(out["text"])
        self.assertEqual(len(texts), 1)

    def test_keys_and_spaces_are_as_asked(self):
        for order, names in [("schema", ["name", "age"]), ("required-first", ["name", "age"])]:
            out = self.run_json("--json-schema", json.dumps(PERSON), "--key-order", order, "--whitespace", "spaced", "--seed", 4)
            self.assertEqual(list(json.loads(out["text"])), names)
            self.assertRegex(re.sub(r'"(?:[^"\\]|\\.)*"', '""', out["text"]), r'^\{"": "", "": [^ ,]+\}$')

    def test_a_cut_text_is_called_incomplete(self):
        arguments = ["run", "-m", MODEL, "-p", "It is", "--regex", "[ab]{20}", "-n", 5, "--seed", 1]
        done = decant(*arguments)
        self.assertEqual(done.returncode, 0)
        self.assertIn("incomplete:", done.stderr.decode())
        self.assertIn("more token", done.stderr.decode())
        self.fails(6, *arguments, "--require-complete", "-q", says="incomplete:")
        out = self.run_json("--regex", "[ab]{20}", "-n", 5, "--seed", 1)
        self.assertIs(out["incomplete"], True)
        self.assertGreater(out["needs_at_least"], 0)
        self.fails(6, "run", "-m", MODEL, "-p", "It is", "-n", 2, "--require-complete", "-q")

    def test_closing_on_the_budget_makes_it_whole(self):
        schema = json.dumps({"type": "array", "items": {"type": "string"}, "minItems": 2})
        for limit in [8, 12, 30]:
            done = decant("run", "-m", MODEL, "-p", "It is", "--json-schema", schema, "--close-on-budget", "-n", limit, "--seed", 2,
                          "--require-complete")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertGreaterEqual(len(json.loads(done.stdout)), 2)
        self.assertIn("closed: the limit was near", decant("run", "-m", MODEL, "-p", "It is", "--json-schema", schema,
                                                            "--close-on-budget", "-n", 8, "--seed", 2).stderr.decode())
        self.fails(2, "run", "-m", MODEL, "-p", "It is", "--json-schema", schema, "--close-on-budget", "-n", 3,
                   says="the shortest text of the constraint has")

    def test_text_before_a_marker_is_free(self):
        out = self.run_json("--choice", "yes", "--choice", "no", "--constrain-after", "e", "--seed", 3, "-n", 400)
        free, answer = out["text"].split("e", 1)
        self.assertIn(answer, ["yes", "no"])
        self.assertNotEqual(free, "")
        self.assertIs(out["incomplete"], False)

    def test_a_traced_run_replays(self):
        trace = self.folder / "run.jsonl"
        self.ok("run", "-m", MODEL, "-p", "It is", "--json-schema", self.person_file(), "--seed", 3, "--repetition-penalty", 1.2,
                "--close-on-budget", "-n", 40, "--trace", trace, "-q")
        self.assertIs(json.loads(trace.read_text(encoding="utf-8").splitlines()[-1])["complete"], True)
        self.ok("replay", trace)

    def test_what_cannot_be_done_is_refused_before_a_word_is_written(self):
        run = ["run", "-m", MODEL, "-p", "It is", "--seed", 1]
        for code, arguments, says in [
                (2, ["--regex", "a", "--choice", "b"], "regex and choice exclude each other"),
                (2, ["--whitespace", "compact"], "whitespace has no effect without json_schema"),
                (2, ["--close-on-budget"], "close_on_budget has no effect"),
                (2, ["--regex", "a", "--token-healing"], "--token-healing and a constraint exclude each other"),
                (2, ["--regex", "a", "--ignore-eos"], "ignore_eos and regex exclude each other"),
                (2, ["--regex", "a", "--preset", "octlm"], "preset"),
                (2, ["--json-schema", "{}", "--whitespace", "compat"], 'did you mean "compact"?'),
                (2, ["--json-schema", "{}", "--max-whitespace", 0], "max_whitespace is 0; expected 1..65535"),
                (3, ["--regex", "a("], 'expected ")"'),
                (3, ["--json-schema", '{"type":'], "line 1"),
                (3, ["--json-schema", '{"type":"object","required":3}'], "required"),
                (4, ["--json-schema", "nowhere.json"], "nowhere.json")]:
            self.assertEqual(self.fails(code, *run, *arguments, says=says).stdout, b"")
        self.fails(2, "run", "-m", MODEL, "--json-schema", "-", "--seed", 1, stdin=b"{}", says="standard input")

    def test_explain_config_shows_a_schema_as_one_line(self):
        text = self.ok("run", "-m", MODEL, "-p", "x", "--json-schema", '{"type":\n"integer"}', "--explain-config")
        self.assertIn('json_schema', text)
        self.assertIn("\\n", text)


class GrammarTest(ConstraintTest):
    def test_check(self):
        self.assertEqual(self.ok("grammar", "check", "--regex", "ab+"), 'ok\nshortest text: "ab"\n')
        checked = json.loads(self.ok("grammar", "check", "--choice", "no", "--choice", "yes", "--output", "json"))
        self.assertEqual(checked, {"schema": "decant.grammar_check/1", "ok": True, "shortest": "no", "unenforced": []})
        self.fails(3, "grammar", "check", "--regex", "a)(", says="column 2")

    def test_mask_of_bytes(self):
        text = self.ok("grammar", "mask", "--regex", "[0-9]{2}:[0-5]", "--after", "12")
        self.assertIn('1 of 256 bytes may come after "12"\nthe text may not end here\nbytes: ":"\n', text)
        mask = json.loads(self.ok("grammar", "mask", "--regex", "[0-9]+", "--after", "1", "--output", "json"))
        self.assertEqual(mask["tokens"], [*range(48, 58), 256])
        self.assertEqual((mask["state"], mask["vocabulary"], mask["model"]), ("may_end", 256, None))
        self.fails(3, "grammar", "mask", "--regex", "a", "--after", "b", says="no text of the constraint begins so")

    def test_mask_of_a_model(self):
        text = self.ok("grammar", "mask", "--choice", "dog", "--choice", "do", "-m", MODEL, "--after", "do", "--limit", 3)
        self.assertIn('of 288 tokens may come after "do"\nthe text may end here\n', text)
        self.assertIn('"g"', text)
        mask = json.loads(self.ok("grammar", "mask", "--choice", "dog", "--choice", "do", "-m", MODEL, "--after", "do", "--output", "json"))
        self.assertEqual(len(mask["tokens"]), 2)  # "g", and the end
        self.assertIn(2, mask["tokens"])

    def test_why(self):
        why = ["grammar", "why", "--regex", "[0-9]{4}-[0-9]{2}"]
        refused = decant(*why, "2024/05")
        self.assertEqual(refused.returncode, 3)
        self.assertIn('byte 5 does not fit: "/" (line 1, column 5)\n  2024/05\n      ^\n', refused.stdout.decode())
        self.assertIn('bytes that may come: "-"', refused.stdout.decode())
        incomplete = decant(*why, "2024-0")
        self.assertEqual(incomplete.returncode, 6)
        self.assertIn("not whole", incomplete.stdout.decode())
        self.assertIn("whole, and nothing may follow", self.ok(*why, "2024-05"))
        found = json.loads(self.ok(*why, "-f", "-", "--output", "json", stdin=b"2024-05"))
        self.assertEqual((found["verdict"], found["bytes"], found["byte"]), ("complete", 7, None))
        self.fails(2, *why, says="grammar why takes one text")

    def test_samples_match_and_follow_the_seed(self):
        sample = ["grammar", "sample", "--regex", r"[a-z]{1,9}(\.[0-9]+)?", "-n", 50]
        texts = self.ok(*sample).splitlines()
        self.assertEqual(len(texts), 50)
        for text in texts:
            self.assertRegex(text, r"\A[a-z]{1,9}(\.[0-9]+)?\Z")
        self.assertGreater(len(set(texts)), 10)
        self.assertEqual(self.ok(*sample).splitlines(), texts)
        self.assertNotEqual(self.ok(*sample, "--seed", 1).splitlines(), texts)
        self.assertEqual(json.loads(self.ok(*sample, "--output", "json"))["texts"], texts)

    def test_wrong_words_are_named(self):
        self.fails(2, "grammar", "chek", says="did you mean decant grammar check?")
        self.fails(2, "grammar", "check", says="there is no constraint")
        self.fails(2, "grammar", "check", "--regex", "a", "--after", "b", says="grammar mask has it")
        self.fails(2, "grammar", "check", "--regex", "a", "b", says='this is "b"')


class SchemaTest(ConstraintTest):
    def test_check(self):
        path = self.person_file()
        self.assertEqual(self.ok("schema", "check", path), f"{path}: ok, all of it can be enforced\n")
        self.assertIs(json.loads(self.ok("schema", "check", path, "--output", "json"))["ok"], True)
        self.fails(3, "schema", "check", '{"type":"integer","minimum":2,"maximum":1}', says="the schema: ")
        self.fails(3, "schema", "check", '{"minLength":"3"}', says="minLength")
        self.fails(4, "schema", "check", "nowhere.json", says="nowhere.json")

    def test_examples_are_valid(self):
        path = self.person_file()
        texts = self.ok("schema", "example", path, "-n", 30).splitlines()
        self.assertEqual(len(texts), 30)
        for text in texts:
            person = json.loads(text)
            self.assertEqual(set(person), {"name", "age"})
            self.assertLessEqual(len(person["name"]), 8)
            self.assertIn(person["age"], range(151))
        self.assertEqual(self.ok("schema", "example", path, "-n", 30).splitlines(), texts)
        self.assertEqual(json.loads(self.ok("schema", "example", path, "-n", 3, "--output", "json"))["texts"], texts[:3])

    def test_examples_keep_to_many_keywords(self):
        schema = {"type": "array", "minItems": 2, "maxItems": 4, "uniqueItems": True,
                  "items": {"oneOf": [{"type": "integer", "multipleOf": 7}, {"type": "string", "pattern": "^[a-c]{1,3}$"}]}}
        for text in self.ok("schema", "example", json.dumps(schema), "-n", 20).splitlines():
            items = json.loads(text, parse_int=decimal.Decimal, parse_float=decimal.Decimal)
            self.assertIn(len(items), range(2, 5))
            self.assertEqual(len(set(items)), len(items))
            for item in items:
                if isinstance(item, str):
                    self.assertTrue(re.fullmatch("[a-c]{1,3}", item), item)
                else:
                    sign, digits, exponent = item.as_tuple()
                    number = int("".join(map(str, digits)))
                    self.assertEqual(number * pow(10, max(exponent, 0), 7) % 7, 0, item)

    def test_documents_that_a_reference_leads_to(self):
        uri = "https://example.org/drink"
        drink = self.folder / "drink.json"
        drink.write_text('{"$defs": {"hot": {"enum": ["tea", "coffee"]}}}', encoding="utf-8")
        schema = json.dumps({"$ref": uri + "#/$defs/hot"})
        given = ["--schema-document", f"{uri}={drink}"]
        self.fails(3, "grammar", "check", "--json-schema", schema, says=f'leads to the document "{uri}", which is not at hand')
        self.assertIn("ok", self.ok("schema", "check", schema, *given))
        self.assertIn("whole", self.ok("grammar", "why", "--json-schema", schema, *given, '"tea"'))
        self.assertIn(json.loads(self.run_json("--json-schema", schema, *given)["text"]), ["tea", "coffee"])
        other = ["--schema-document", 'https://example.org/cup={"$ref":"drink#/$defs/hot"}']
        self.assertIn("ok", self.ok("schema", "check", '{"$ref":"https://example.org/cup"}', *given, *other))
        (self.folder / "decant.toml").write_text(f'schema_document = ["{uri}=drink.json"]\n', encoding="utf-8")
        self.assertIn("ok", self.ok("schema", "check", schema, "--config", self.folder / "decant.toml"))
        for code, arguments, says in [
                (4, [f"{uri}=nowhere.json"], ["--schema-document", "nowhere.json"]),
                (2, [str(drink)], ["--schema-document", 'has no "="', "URI=FILE"]),
                (2, [f"{uri}=-"], "standard input is no file here"),
                (2, [f"={drink}"], "URI"),
                (2, [f"{uri}#/$defs={drink}"], "without fragment"),
                (2, [f"{uri}={drink}", f"{uri}={drink}"], "given twice"),
                (3, [f'{uri}={{"a"'], f'"{uri}"')]:
            flags = [part for argument in arguments for part in ("--schema-document", argument)]
            self.fails(code, "schema", "check", schema, *flags, says=says)
        self.fails(2, "grammar", "check", "--regex", "a", *given, says="schema_document has no effect without json_schema")

    def test_unsupported_lists_what_is_left_out(self):
        self.assertEqual(self.ok("schema", "unsupported", self.person_file()), "")

    def test_wrong_words_are_named(self):
        self.fails(2, "schema", "exampel", "{}", says="did you mean decant schema example?")
        self.fails(2, "schema", "check", says="takes one schema")
        self.fails(2, "schema", "check", "{}", "-n", 3, says="no effect in schema check")


if __name__ == "__main__":
    unittest.main()
