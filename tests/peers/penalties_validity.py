"""Where a text that was cut off anywhere stops being the beginning of something valid: JSON, or a Python file.

json_error and python_error take what stood before and what was added, and return the first character of the addition
that cannot be right, or None where all of it can. The other two count in a text that is right so far.
"""
import ast
import codeop
import json
import re
import warnings

_WORD = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false|null")
_WORD_BEGUN = re.compile(r"-?|-?(0|[1-9][0-9]*)(\.[0-9]*)?([eE][+-]?[0-9]*)?|t(r(ue?)?)?|f(a(l(se?)?)?)?|n(u(ll?)?)?")
_STRING_BEGUN = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*(?:"|\\(?:u[0-9a-fA-F]{0,3})?)?')
_SPACE = " \t\r\n"


class _JsonReader:
    """Takes characters one by one; `wants` says what may come next outside of strings and words."""

    def __init__(self):
        self.open, self.token, self.wants = [], "", "value"

    def take(self, c):
        """Whether the text with this character is still the beginning of a document."""
        if self.token.startswith('"'):
            self.token += c
            if _STRING_BEGUN.fullmatch(self.token) is None:
                return False
            # A quotation mark after an escape's backslash belongs to the string.
            if c == '"' and _STRING_BEGUN.fullmatch(self.token + c) is None:
                self._finish(":" if self.wants.startswith("key") else None)
            return True
        if self.token and (c.isalnum() or c in "+-."):
            self.token += c
            return _WORD_BEGUN.fullmatch(self.token) is not None
        if self.token:
            if _WORD.fullmatch(self.token) is None:
                return False
            self._finish(None)
        return c in _SPACE or self._take_mark(c)

    def _finish(self, wants):
        self.token, self.wants = "", wants or ("more" if self.open else "nothing")

    def _take_mark(self, c):
        if c in "]}":
            if not self.open or self.open[-1] + c not in ("[]", "{}") or self.wants not in ("more", "value or ]", "key or }"):
                return False
            self.open.pop()
            self._finish(None)
        elif self.wants == "more" and c == ",":
            self.wants = "value" if self.open[-1] == "[" else "key"
        elif self.wants == ":" and c == ":":
            self.wants = "value"
        elif self.wants.startswith("key"):
            self.token = c
            return c == '"'
        elif not self.wants.startswith("value"):
            return False
        elif c in "[{":
            self.open.append(c)
            self.wants = "value or ]" if c == "[" else "key or }"
        else:
            self.token = c
            return c == '"' or _WORD_BEGUN.fullmatch(c) is not None
        return True


def json_error(before, added):
    reader = _JsonReader()
    for i, c in enumerate(before + added):
        if not reader.take(c):
            return max(0, i - len(before))
    return None


def _begins_python(lines):
    """Whether the lines compile, alone or with more to come: an open bracket, a block without its body."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            codeop.compile_command("".join(lines), "text", "exec")
        return True
    except (SyntaxError, ValueError, OverflowError):
        return False


def python_error(before, added):
    """Goes by whole lines: the last one, which may be cut off, is not looked at."""
    lines = (before + added).splitlines(keepends=True)
    if not (before + added).endswith("\n"):
        lines.pop()
    whole = before.count("\n")
    good = max((n for n in range(whole + 1, len(lines) + 1) if _begins_python(lines[:n])), default=whole)
    return None if good >= len(lines) else max(0, len("".join(lines[:good])) - len(before))


def similar_objects(text):
    """How many objects of a JSON array of objects are complete and have the keys of the first one, in the same order."""
    closed = text.rstrip() if text.rstrip().endswith("]") else text[:text.rfind("}") + 1] + "]"
    objects = [list(one) if isinstance(one, dict) else None for one in json.loads(closed)]
    return objects.count(objects[0])


def similar_methods(text):
    """How many methods of a class do what its second one does, but for the name, the attribute and the texts."""
    lines = text.splitlines(keepends=True)
    while lines:
        try:
            tree = ast.parse("".join(lines))
            break
        except SyntaxError:
            lines.pop()
    else:
        return 0
    shapes = []
    for method in (node for top in tree.body if isinstance(top, ast.ClassDef) for node in top.body):
        if isinstance(method, ast.FunctionDef):
            method.name = ""
            for node in ast.walk(method):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    node.attr = ""
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    node.value = ""
            shapes.append(ast.dump(method))
    return shapes.count(shapes[1]) if len(shapes) > 1 else 0
