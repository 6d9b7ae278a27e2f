"""Lets a real model write under JSON Schemas, and has jsonschema-rs read what it wrote.

    constraint_model.py --model SmolLM2-135M-Instruct.Q4_1.gguf --files maskbench

Schemas: the 20 largest below 8 kB of a fixed sample of MaskBench files, and the built-in ones below, three a kind. Each
is written several times at a moderate and at a high temperature. A text that ended where the constraint let it end must
be valid, formats included; one that a limit cut must say so. Counts are printed, and each text that broke a rule.
"""
import argparse
import glob
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import constraint_engine as base

BUILT_IN = {
    "recursive tree": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}, "children": {
        "type": "array", "items": {"$ref": "#"}, "maxItems": 3}}, "required": ["name", "children"],
        "additionalProperties": False},
    "recursive list": {"$defs": {"node": {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0,
        "maximum": 99}, "next": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/node"}]}}, "required": ["value", "next"],
        "additionalProperties": False}}, "$ref": "#/$defs/node"},
    "recursive expression": {"$defs": {"expression": {"anyOf": [{"type": "integer"}, {"type": "array", "prefixItems": [
        {"enum": ["add", "multiply"]}, {"$ref": "#/$defs/expression"}, {"$ref": "#/$defs/expression"}], "minItems": 3,
        "items": False}]}}, "$ref": "#/$defs/expression"},
    "oneOf shape": {"oneOf": [{"properties": {"kind": {"const": "circle"}, "radius": {"type": "number",
        "exclusiveMinimum": 0}}, "required": ["kind", "radius"], "additionalProperties": False, "type": "object"},
        {"properties": {"kind": {"const": "box"}, "width": {"type": "number"}, "height": {"type": "number"}},
         "required": ["kind", "width", "height"], "additionalProperties": False, "type": "object"}]},
    "oneOf overlapping numbers": {"type": "array", "minItems": 3, "maxItems": 8,
                                  "items": {"type": "integer", "oneOf": [{"multipleOf": 3}, {"multipleOf": 5}]}},
    "oneOf overlapping objects": {"type": "object", "oneOf": [{"required": ["email"]}, {"required": ["phone"]}],
                                  "properties": {"email": {"type": "string", "format": "email"}, "phone": {
                                      "type": "string", "pattern": "^\\+[0-9]{7,12}$"}, "name": {"type": "string",
                                      "maxLength": 20}}, "additionalProperties": False},
    "pattern code": {"type": "array", "minItems": 2, "maxItems": 5, "uniqueItems": True, "items": {
        "type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}(/[a-z]+)?$"}},
    "pattern unanchored": {"type": "object", "properties": {"a": {"type": "string", "pattern": "[0-9]{2}",
        "maxLength": 24}, "b": {"type": "string", "pattern": "^(?!the )\\S+( \\S+){1,5}$"}}, "required": ["a", "b"],
        "additionalProperties": False},
    "pattern of keys": {"type": "object", "patternProperties": {"^x_[a-z]{1,8}$": {"type": "integer"}},
                        "additionalProperties": False, "minProperties": 2, "maxProperties": 4},
    "additionalProperties of numbers": {"type": "object", "properties": {"title": {"type": "string", "maxLength": 30}},
                                        "required": ["title"], "additionalProperties": {"type": "number"},
                                        "maxProperties": 5},
    "additionalProperties of objects": {"type": "object", "additionalProperties": {"type": "object", "properties": {
        "size": {"type": "integer", "minimum": 1}}, "required": ["size"], "additionalProperties": False},
        "propertyNames": {"pattern": "^[a-z]+$"}, "minProperties": 1, "maxProperties": 4},
    "additionalProperties unevaluated": {"type": "object", "allOf": [{"properties": {"a": {"type": "boolean"}}}],
                                         "anyOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]},
                                                   {"properties": {"c": {"type": "null"}}, "required": ["c"]}],
                                         "unevaluatedProperties": False},
}


def largest(folder, sample, seed, count, below):
    """[(name, schema)] of the files of a fixed sample, the largest schemas first."""
    files = sorted(glob.glob(str(folder / "*.json")))
    chosen = random.Random(seed).sample(files, min(sample, len(files)))
    schemas = [(pathlib.Path(file).stem, json.loads(pathlib.Path(file).read_bytes())["schema"]) for file in chosen]
    sized = [(len(json.dumps(schema)), name, schema) for name, schema in schemas]
    sized = sorted((entry for entry in sized if entry[0] < below), key=lambda entry: (-entry[0], entry[1]))
    return [(name, schema) for _, name, schema in sized[:count]]


def prompt_of(name, schema):
    """Asks for the schema's members by name: the schema itself would fill a small model's context."""
    members = list(schema.get("properties", {}))[:12] if isinstance(schema, dict) else []
    return f"Write an example of {name!r} in JSON" + (", with " + ", ".join(members) if members else "") + "."


def write(arguments, name, schema, temperature, seed):
    """What `decant run` says of one text."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(schema, file)
        file.flush()
        command = [arguments.program, "run", "--no-config", "-q", "-m", arguments.model, "--chat", "-p",
                   prompt_of(name, schema), "--json-schema", file.name, "--temperature", str(temperature), "-n",
                   str(arguments.tokens), "--seed", str(seed), "--threads", str(arguments.threads), "--output", "json"]
        if arguments.close:
            command.append("--close-on-budget")
        done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        return {"error": done.stderr.decode("utf-8", "replace").strip()}
    return json.loads(done.stdout)


def check(answer, judge):
    """('valid' or 'cut' or 'refused', None), or what is wrong."""
    if "error" in answer:
        refused = any(word in answer["error"] for word in ("enforce", "Unsatisfiable", "TooComplex"))
        return ("refused", None) if refused else ("wrong", answer["error"])
    reason = answer["stop"]["reason"]
    if reason in ("grammar_end", "eos") or not answer.get("incomplete", False):
        if judge.accepts(answer["text"].encode()):
            return "valid", None
        return "wrong", f"ended by {reason}, and is not valid: {answer['text']}"
    if reason in ("token_limit", "context_full", "time_limit"):
        return "cut", None
    return "wrong", f"incomplete, for the reason {reason}: {answer['text']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="a model file with a tokenizer and a chat template")
    parser.add_argument("--program", default=str(base.ROOT / "build/release/bin/decant"), help="the program decant")
    parser.add_argument("--files", type=pathlib.Path, help="MaskBench files; without them only the built-in schemas")
    parser.add_argument("--sample", type=int, default=300, help="files the largest are taken from (default 300)")
    parser.add_argument("--schemas", type=int, default=20, help="how many of the largest (default 20)")
    parser.add_argument("--each", type=int, default=5, help="texts a schema and temperature (default 5)")
    parser.add_argument("--each-built-in", type=int, default=2, help="the same for the built-in schemas (default 2)")
    parser.add_argument("--temperatures", default="0.8,1.5", help="default 0.8,1.5")
    parser.add_argument("--tokens", type=int, default=400, help="tokens a text (default 400)")
    parser.add_argument("--threads", type=int, default=1, help="threads of the model (default 1)")
    parser.add_argument("--close", action="store_true", help="with --close-on-budget: then nothing may be cut")
    arguments = parser.parse_args()
    base.need()
    if not os.access(arguments.program, os.X_OK):
        base.skip(f"no program {arguments.program}")
    schemas = [(name, schema, arguments.each_built_in) for name, schema in BUILT_IN.items()]
    if arguments.files:
        chosen = largest(arguments.files, arguments.sample, 20261129, arguments.schemas, 8192)
        schemas += [(name, schema, arguments.each) for name, schema in chosen]
    counts = dict.fromkeys(("valid", "cut", "refused", "wrong"), 0)
    for name, schema, each in schemas:
        judge = base.Judge(schema, formats=True)
        line = dict.fromkeys(counts, 0)
        for temperature in map(float, arguments.temperatures.split(",")):
            for seed in range(each):
                verdict, why = check(write(arguments, name, schema, temperature, seed), judge)
                if verdict == "cut" and arguments.close:
                    verdict, why = "wrong", "cut, although --close-on-budget was given"
                line[verdict] += 1
                counts[verdict] += 1
                if why:
                    print(f"{name}, temperature {temperature}, seed {seed}: {why}", flush=True)
        print(f"  {name}: " + ", ".join(f"{n} {verdict}" for verdict, n in line.items() if n), flush=True)
    print(f"{sum(counts.values())} texts of {len(schemas)} schemas: " +
          ", ".join(f"{n} {verdict}" for verdict, n in counts.items()))
    return 1 if counts["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
