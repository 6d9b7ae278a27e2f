"""Where a text that was cut off anywhere stops being the beginning of something valid: JSON, or a Python file.

Each function takes what stood before and what was added, and returns the first character of the addition that cannot be
right, or None where all of it can.
"""
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


def _compiles(text):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "text", "exec")
        return True
    except (SyntaxError, ValueError):
        return False


def python_error(before, added):
    """Goes by whole lines: the last one, which may be cut off, is not looked at."""
    lines = (before + added).splitlines(keepends=True)
    if not (before + added).endswith("\n"):
        lines.pop()
    first = before.count("\n")
    good = first
    for count in range(first + 1, len(lines) + 1):
        text = "".join(lines[:count])
        deeper = " " * (len(lines[count - 1]) - len(lines[count - 1].lstrip()) + 4)
        if _compiles(text) or _compiles(f"{text}{deeper}pass\n"):
            good = count
    if good == len(lines):
        return None
    return max(0, len("".join(lines[:good])) - len(before))
