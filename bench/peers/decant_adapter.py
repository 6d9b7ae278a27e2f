#!/usr/bin/env python3
"""decant for runners that time or check grammar engines: a class a vocabulary, over decant/c.h by ctypes.

    Decant(vocab)   masks of a model's vocabulary: `version`, compile, start, mask, check, commit. Formats are asserted.
    Byte()          a vocabulary of the 256 bytes and an end token, for what a schema accepts. `format` is an annotation,
                    as the required tests of the JSON Schema Test Suite have it.

The library is build/release/lib/libdecant.so beside this file's repository, or $DECANT_LIBRARY. A schema that does not
compile raises SchemaError with decant's message. To see how fast it is alone: decant_adapter.py SCHEMA TEXT
"""
import ctypes
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORD = ctypes.c_uint32
POINTER = ctypes.c_void_p
SIZE = ctypes.c_size_t


class SchemaError(ValueError):
    """What decant says of a schema; `status` is its name, "Unenforceable"."""

    def __init__(self, status, message):
        super().__init__(f"{status}: {message}")
        self.status = status


class VocabularyOptions(ctypes.Structure):
    _fields_ = [("size", SIZE), ("bytes", ctypes.POINTER(ctypes.c_char_p)), ("lengths", ctypes.POINTER(SIZE)),
                ("count", SIZE), ("special", ctypes.POINTER(WORD)), ("special_size", SIZE),
                ("end", ctypes.POINTER(WORD)), ("end_size", SIZE), ("row_length", SIZE), ("cache_bytes", SIZE)]


class Document(ctypes.Structure):
    _fields_ = [("uri", ctypes.c_char_p), ("text", ctypes.c_char_p)]


class SchemaOptions(ctypes.Structure):
    _fields_ = [("size", SIZE), ("whitespace", WORD), ("max_whitespace", WORD), ("key_order", WORD),
                ("assert_formats", WORD), ("allow_unenforced", WORD), ("reserved", WORD),
                ("default_draft", ctypes.c_char_p), ("documents", ctypes.POINTER(Document)), ("document_count", SIZE)]


def library_path():
    return os.environ.get("DECANT_LIBRARY") or str(ROOT / "build" / "release" / "lib" / "libdecant.so")


class Library:
    """The functions of decant/c.h that are used here.

    Those of every step take prepared ctypes objects and declare no argument types: ctypes then converts nothing. They
    keep Python's lock, which is dearer to give back than they are.
    """

    def __init__(self):
        path = library_path()
        slow, fast = ctypes.CDLL(path), ctypes.PyDLL(path)
        self.version = slow.decant_version
        self.version.restype = ctypes.c_char_p
        for name in ("message",):
            function = getattr(slow, "decant_error_" + name)
            function.argtypes, function.restype = [POINTER], ctypes.c_char_p
            setattr(self, "error_" + name, function)
        self.status_name = slow.decant_status_name
        self.status_name.restype = ctypes.c_char_p
        self.error_free = slow.decant_error_free
        self.error_free.argtypes, self.error_free.restype = [POINTER], None
        for name in ("vocabulary_new", "grammar_json_schema", "constraint_new", "constraint_fork"):
            setattr(self, name, getattr(slow, "decant_" + name))
        self.unenforced_count = slow.decant_grammar_unenforced_count
        self.unenforced_count.restype = SIZE
        self.unenforced = slow.decant_grammar_unenforced
        self.unenforced.argtypes, self.unenforced.restype = [POINTER, SIZE], ctypes.c_char_p
        for name in ("vocabulary", "grammar", "constraint"):
            function = getattr(fast, f"decant_{name}_free")
            function.restype = None
            setattr(self, name + "_free", function)
        self.fill_mask = fast.decant_constraint_fill_mask
        self.accept = fast.decant_constraint_accept
        self.validate = fast.decant_constraint_validate

    def check(self, status, error):
        if status == 0:
            return
        message = self.error_message(error).decode("utf-8", "replace")
        self.error_free(error)
        raise SchemaError(self.status_name(status).decode(), message)


_library = None


def library():
    global _library
    if _library is None:
        _library = Library()
    return _library


class Handle:
    """A handle of decant/c.h, freed with this object. `by` is a ctypes object that functions take as it is."""

    __slots__ = ("by", "_free")

    def __init__(self, handle, free):
        self.by, self._free = handle, free

    def __del__(self):
        self._free(self.by)


def made(free, function, *arguments):
    """What a _new function makes, as a Handle."""
    handle, error = POINTER(), POINTER()
    library().check(function(*arguments, ctypes.byref(handle), ctypes.byref(error)), error)
    return Handle(handle, free)


def ids_of(ids):
    return (WORD * len(ids))(*ids)


def vocabulary_of(tokens, special, end, row_length):
    """tokens: bytes by id, None and b"" being no text."""
    tokens = [token or b"" for token in tokens]
    lengths = (SIZE * len(tokens))(*map(len, tokens))
    special, end = ids_of(sorted(special)), ids_of(end)
    options = VocabularyOptions(ctypes.sizeof(VocabularyOptions), (ctypes.c_char_p * len(tokens))(*tokens), lengths,
                                len(tokens), special, len(special), end, len(end), row_length, 64 << 20)
    return made(library().vocabulary_free, library().vocabulary_new, ctypes.byref(options))


def schema_options(assert_formats, draft=None, documents=()):
    """Keeps what it points to."""
    array = (Document * len(documents))(*(Document(uri.encode(), text) for uri, text in documents))
    return SchemaOptions(ctypes.sizeof(SchemaOptions), 0, 128, 0, assert_formats, 0, 0, draft, array, len(documents))


class Grammar:
    """A compiled schema, and what it stands on."""

    __slots__ = ("handle", "by", "vocabulary")

    def __init__(self, vocabulary, text, options):
        made_from = text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")
        self.vocabulary = vocabulary
        self.handle = made(library().grammar_free, library().grammar_json_schema, vocabulary.by, made_from,
                           ctypes.byref(options))
        self.by = self.handle.by

    def unenforced(self):
        lib = library()
        return [lib.unenforced(self.by, i).decode() for i in range(lib.unenforced_count(self.by))]


class Decant:
    """Masks of a model's vocabulary: vocab has bytes (by id), special (ids), eos and size."""

    def __init__(self, vocab):
        lib = self._library = library()
        self.version = "decant " + lib.version().decode()
        self._vocabulary = vocabulary_of(vocab.bytes, vocab.special, [vocab.eos], vocab.size)
        self._options = schema_options(assert_formats=1)
        self._words = SIZE((vocab.size + 31) // 32)
        self._fill, self._accept, self._validate = lib.fill_mask, lib.accept, lib.validate
        self._row, self._row_pointer = None, None
        self._token, self._one, self._count = WORD(), SIZE(1), SIZE()
        self._token_pointer, self._count_pointer = ctypes.pointer(self._token), ctypes.pointer(self._count)

    def compile(self, text, schema=None):
        return Grammar(self._vocabulary, text, self._options)

    def start(self, compiled):
        return made(self._library.constraint_free, self._library.constraint_new, compiled.by)

    def mask(self, state, row):
        """row: numpy int32 or uint32, one bit a token; its address is asked for when it is another than before."""
        if row is not self._row:
            if row.dtype.itemsize != 4 or row.size != self._words.value or not row.flags.c_contiguous:
                raise ValueError(f"a mask is {self._words.value} words of 32 bits in a row")
            self._row, self._row_pointer = row, POINTER(row.ctypes.data)
        if self._fill(state.by, self._row_pointer, self._words, None):
            raise RuntimeError("decant_constraint_fill_mask failed")

    def check(self, state, token):
        self._token.value = token
        if self._validate(state.by, self._token_pointer, self._one, self._count_pointer, None):
            raise RuntimeError("decant_constraint_validate failed")
        return self._count.value == 1

    def commit(self, state, token):
        return not self._accept(state.by, token, None)


class Byte:
    """The language alone: token t is byte t, and token 256 ends a text. Without options, those of the suite's runner."""

    END = 256

    def __init__(self, options=None):
        self.version = "decant " + library().version().decode()
        self._vocabulary = vocabulary_of([bytes([i]) for i in range(256)] + [b""], [self.END], [self.END], 257)
        self._options = options or schema_options(assert_formats=0, draft=suite_draft(), documents=suite_documents())

    def compile(self, text, schema=None):
        """The language of a schema; None for the empty one, which decant refuses to compile."""
        try:
            return Grammar(self._vocabulary, text, self._options)
        except SchemaError as error:
            if error.status != "Unsatisfiable":
                raise
            return None

    def accepts(self, compiled, text):
        """Whether the whole text may be written and then ended."""
        if compiled is None:
            return False
        lib = library()
        state = made(lib.constraint_free, lib.constraint_new, compiled.by)
        tokens, count = ids_of(text + b"\0"), SIZE()
        tokens[len(text)] = self.END
        if lib.validate(state.by, tokens, SIZE(len(tokens)), ctypes.byref(count), None):
            raise RuntimeError("decant_constraint_validate failed")
        return count.value == len(tokens)


def suite_folder():
    """Where the runner of the JSON Schema Test Suite has it: $JSON_SCHEMA_SUITE, or the main program's SUITE."""
    folder = os.environ.get("JSON_SCHEMA_SUITE") or getattr(sys.modules.get("__main__"), "SUITE", None)
    return pathlib.Path(folder) if folder else None


def suite_draft():
    """The draft of the files that the runner reads, which schemas without $schema are of. None = decant's default."""
    named = [argument[len("draft"):] for argument in sys.argv if argument.startswith("draft")]
    return named[0].encode() if len(named) == 1 and "," not in named[0] else None


def suite_documents():
    """What the suite's schemas refer to."""
    folder = suite_folder()
    return [] if folder is None or not (folder / "remotes").is_dir() else documents_of(folder / "remotes")


def documents_of(remotes):
    """The suite's folder remotes/, as if served at localhost:1234."""
    return [(f"http://localhost:1234/{path.relative_to(remotes).as_posix()}", path.read_bytes())
            for path in sorted(remotes.rglob("*.json"))]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    engine = Byte()
    try:
        grammar = engine.compile(sys.argv[1])
    except SchemaError as error:
        sys.exit(str(error))
    print("accepted" if engine.accepts(grammar, sys.argv[2].encode()) else "refused")


if __name__ == "__main__":
    main()
