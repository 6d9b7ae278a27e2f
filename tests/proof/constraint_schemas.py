"""Random small JSON Schemas of draft 2020-12, of every keyword, and the small values they tell apart.

    Schemas(seed).make()          a schema; often satisfiable, seldom trivial
    Schemas(seed, "unique")       arrays whose items have to differ
    Schemas(seed, "tags")         objects of which a member's constants decide what else is asked
    universe()                    JSON texts (bytes), many spelled in an unusual way
"""
import itertools
import json
import random

KEYS = ("a", "b", "ab", "aé")
NUMBERS = (-1, 0, 1, 2, 3, 0.5, 1.5, 10, 12)
STEPS = (1, 2, 3, 0.5, 1.5, 0.1, 5)
# \b stands beside ASCII alone: jsonschema-rs has Unicode's words there, and ECMA-262 has not.
PATTERNS = ("^a", "b$", "^(a|bb)$", "a.b", "[^a]", "^(?!ab)", "(?<=a)b", "^\\w*$", "é", "^a{2,3}$", "^[ab]+$", "a|^$",
            "^(a|é)(b|é)?$", "^(?=.*b)a", "^[ab ]*\\bab\\b[ab ]*$", "^[^b]*$", "^.?$")
CONSTANTS = (None, True, False, 0, 1, 1.5, 10, -1, "", "a", "ab", "é", [], [0], [1, "a"], {}, {"a": 0}, {"a": 1, "b": []})
TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")


class Schemas:
    FOCI = ("all", "unique", "tags")

    def __init__(self, seed, focus="all"):
        self.random = random.Random(seed)
        self.focus = focus

    def make(self):
        """Sometimes recursive: its $defs hold x, and $ref is "#" or x."""
        schema = self._node(self.random.choice((1, 1, 2, 2, 3)), True)
        if "$ref" in json.dumps(schema):
            schema = schema if isinstance(schema, dict) else {}
            schema.setdefault("$defs", {})["x"] = self._node(1, False)
        return schema

    def _maybe(self, chance):
        return self.random.random() < chance

    def _some(self, items, least, most):
        return self.random.sample(items, self.random.randint(least, min(most, len(items))))

    def _node(self, depth, is_root=False):
        if not is_root and self._maybe(0.12):
            return self._maybe(0.7)
        schema = {}
        if is_root and self.focus == "unique":
            self._array(schema, depth - 1, is_root)
            return schema | {"type": "array"}
        if is_root and self.focus == "tags":
            self._object(schema, 1, is_root)
            self._logic(schema, 2, is_root)
            return schema | {"type": "object"}
        if depth > 0 and self.focus == "tags" and self._maybe(0.7):
            schema["properties"] = {key: self._tag() for key in self._some(KEYS, 1, 2)}
            if self._maybe(0.6):
                schema["required"] = self._some(KEYS, 1, 2)
            return schema
        kinds = [self._number, self._string, self._constant]
        if depth > 0:
            kinds += [self._array, self._object, self._array, self._object, self._logic, self._reference]
        for kind in self._some(kinds, 1, self.random.choice((1, 1, 2))):
            kind(schema, depth - 1, is_root)
        if self._maybe(0.35) and "type" not in schema:
            schema["type"] = self.random.choice(TYPES) if self._maybe(0.7) else self._some(TYPES, 2, 3)
        return schema

    def _bounds(self, schema, names, values):
        for name in self._some(names, 0, 2):
            schema[name] = self.random.choice(values)
        if len(names) == 2 and all(name in schema for name in names) and schema[names[0]] > schema[names[1]]:
            schema[names[0]], schema[names[1]] = schema[names[1]], schema[names[0]]

    def _tag(self):
        schema = {}
        self._constant(schema, 0, False)
        return schema if self._maybe(0.8) else self._node(0)

    def _number(self, schema, depth, is_root):
        if self._maybe(0.4):
            schema["type"] = self.random.choice(("integer", "number"))
        self._bounds(schema, ("minimum", "maximum"), NUMBERS)
        if self._maybe(0.3):
            schema[self.random.choice(("exclusiveMinimum", "exclusiveMaximum"))] = self.random.choice(NUMBERS)
        if self._maybe(0.4):
            schema["multipleOf"] = self.random.choice(STEPS)

    def _string(self, schema, depth, is_root):
        if self._maybe(0.4):
            schema["type"] = "string"
        self._bounds(schema, ("minLength", "maxLength"), (0, 1, 2, 3))
        if self._maybe(0.6):
            schema["pattern"] = self.random.choice(PATTERNS)

    def _constant(self, schema, depth, is_root):
        if self._maybe(0.4):
            schema["const"] = self.random.choice(CONSTANTS)
        else:
            schema["enum"] = self._some(CONSTANTS, 1, 5)

    def _array(self, schema, depth, is_root):
        if self._maybe(0.5):
            schema["type"] = "array"
        if self._maybe(0.5):
            schema["items"] = self._node(depth)
        if self._maybe(0.35):
            schema["prefixItems"] = [self._node(depth) for _ in range(self.random.randint(1, 2))]
        if self._maybe(0.35):
            schema["contains"] = self._node(depth)
            self._bounds(schema, ("minContains", "maxContains"), (0, 1, 2))
        if self._maybe(0.95 if self.focus == "unique" else 0.3):
            schema["uniqueItems"] = True
        if self._maybe(0.5):
            self._bounds(schema, ("minItems", "maxItems"), (0, 1, 2, 3))
        if self._maybe(0.15):
            schema["unevaluatedItems"] = self._node(depth)

    def _object(self, schema, depth, is_root):
        if self._maybe(0.5):
            schema["type"] = "object"
        if self._maybe(0.7):
            schema["properties"] = {key: self._node(depth) for key in self._some(KEYS, 1, 3)}
        if self._maybe(0.5):
            schema["required"] = self._some(KEYS, 1, 2)
        if self._maybe(0.35):
            schema["additionalProperties"] = False if self._maybe(0.5) else self._node(depth)
        if self._maybe(0.25):
            schema["patternProperties"] = {self.random.choice(PATTERNS): self._node(depth)}
        if self._maybe(0.2):
            schema["propertyNames"] = self._node(0)
        if self._maybe(0.3):
            self._bounds(schema, ("minProperties", "maxProperties"), (0, 1, 2, 3))
        if self._maybe(0.15):
            schema["dependentRequired"] = {self.random.choice(KEYS): self._some(KEYS, 1, 2)}
        if self._maybe(0.15):
            schema["dependentSchemas"] = {self.random.choice(KEYS): self._node(depth)}
        if self._maybe(0.15):
            schema["unevaluatedProperties"] = False if self._maybe(0.5) else self._node(depth)

    def _logic(self, schema, depth, is_root):
        for name in self._some(("anyOf", "oneOf", "allOf", "not", "if"), 1, 2):
            if name == "not":
                schema["not"] = self._node(depth)
            elif name == "if":
                for part in ("if", "then", "else"):
                    if part == "if" or self._maybe(0.7):
                        schema[part] = self._node(depth)
            else:
                schema[name] = [self._node(depth) for _ in range(self.random.randint(1, 3))]

    def _reference(self, schema, depth, is_root):
        """Below a member or an item, where a recursion takes something to end."""
        name = self.random.choice(("properties", "items", "additionalProperties", "prefixItems"))
        target = {"$ref": self.random.choice(("#", "#/$defs/x"))}
        if name == "properties":
            schema.setdefault(name, {})[self.random.choice(KEYS)] = target
        else:
            schema[name] = [target] if name == "prefixItems" else target


def _strings():
    words = ["".join(letters) for n in range(4) for letters in itertools.product("abé", repeat=n)]
    plain = [f'"{word}"' for word in words]
    return plain + ['"\\u0061"', '"\\u0061b"', '"\\u00e9"', '"\\n"', '"\\""', '"a\\u0062"', '"\\/"', '" "', '"a b"',
                    '"aaaa"', '"\\ud83d\\ude00"', '"😀"', '"abab"', '"a\\tb"']


_NUMBERS = ("0 -0 1 -1 2 3 4 5 10 12 15 20 -2 -10 0.5 1.5 1.0 -0.5 -1.5 0.0 2.5 0.1 0.25 1e1 1E+0 10e-1 5e-1 100e-2 12e0 "
            "0e5 1.50 -1e-1 0.3 30e-2 1e2 11 13").split()


def _objects(keys, values, count):
    for chosen in itertools.permutations(keys, count):
        for members in itertools.product(values, repeat=count):
            yield "{" + ",".join(f'"{key}":{value}' for key, value in zip(chosen, members)) + "}"


def universe(seed=1):
    """All scalars, arrays of up to three and objects of up to three members from small stocks, and a sample of deeper
    ones; each twentieth with white space."""
    chance = random.Random(seed)
    scalars = ["null", "true", "false", *_NUMBERS, *_strings()]
    items = ["0", "1", "-1", "1.0", "1.5", "10", '"a"', '"ab"', '""', "null", "true", "[]", "{}", "[0]", '{"a":0}']
    texts = list(scalars) + ["[]", "{}"]
    texts += [f"[{text}]" for text in scalars]
    for count in (2, 3):
        texts += ["[" + ",".join(chosen) + "]" for chosen in itertools.product(items, repeat=count)]
    values = ["0", "1", "1.5", '"a"', '"b"', "null", "true", "[]", "{}", "[1]", '{"a":1}']
    texts += _objects((*KEYS, "\\u0061", "c", ""), values, 1)
    texts += _objects((*KEYS, "\\u0062"), values, 2)
    texts += _objects(("a", "b", "ab"), ["0", "1", '"a"', "[]", "null"], 3)
    shallow = list(texts)
    for _ in range(3000):
        members = [chance.choice(shallow) for _ in range(chance.randint(1, 3))]
        keys = chance.sample(KEYS, len(members))
        texts.append("[" + ",".join(members) + "]" if chance.random() < 0.5 else
                     "{" + ",".join(f'"{key}":{member}' for key, member in zip(keys, members)) + "}")
    spaced = []
    for text in chance.sample(texts, len(texts) // 20):
        for mark in "[{,:":
            text = text.replace(mark, mark + chance.choice((" ", "\n", "\t", "  ")))
        spaced.append(text)
    return [text.encode() for text in dict.fromkeys(texts + spaced)]
