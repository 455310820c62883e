"""The one place that prints: reports and data to stdout; progress, notes and errors to stderr.

A reader that has gone, such as `head`, ends nothing: what it does not read is dropped.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from shutil import copyfileobj
from typing import TYPE_CHECKING, BinaryIO, TextIO

import orjson

from runner.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console

    from runner.document import Document, Table

_INDENT = "  "
# Parameters of the terminal's sequence for a style.
_BOLD, _ITALIC = "1", "3"
# Letters and symbols by Unicode's classes that have no ink: fillers of Hangul, and the empty pattern of Braille.
_BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")

# Descriptors of streams that nobody reads any more.
_closed: set[int] = set()


def output_closed() -> bool:
    """Return whether a reader of what is printed has gone, as far as printing has noticed."""
    return bool(_closed)


def _write(stream: TextIO, text: str) -> None:
    """Write a text; from the first time that its reader has gone, texts are dropped."""
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        # What is still in the buffer is flushed at the end of the process, which must not fail either.
        _closed.add(stream.fileno())
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


def say(text: str) -> None:
    """Print a line for a person; control characters that a model or a server wrote cannot steer the terminal."""
    _write(sys.stderr, f"{harmless(text)}\n")


def refuse(why: str) -> None:
    """Print what is wrong with the input, always on one line."""
    say("evals: " + why.replace("\r", "\\r").replace("\n", "\\n"))


def put(text: str) -> None:
    """Print data as it is."""
    _write(sys.stdout, text)


def put_file(file: BinaryIO, path: Path | None) -> None:
    """Write a whole binary file, from its beginning, to another one, or as data to stdout.

    Raises InputError for a terminal, and for a file that cannot be written.
    """
    file.seek(0)
    if path is None and sys.stdout.isatty():
        raise InputError("stdout: is a terminal, which shows no binary data; name a file with --out")
    if path is None:
        copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    try:
        with path.open("wb") as out:
            copyfileobj(file, out)
    except OSError as error:
        raise InputError(f"--out {path}: cannot be written ({error.strerror}); name another file") from error


def put_json(value: object) -> None:
    """Print data as indented JSON; bytes of paths that are not UTF-8 become replacement characters."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    try:
        data = orjson.dumps(value, option=option)
    except TypeError:
        data = orjson.dumps(_valid_utf8(value), option=option)
    put(data.decode() + "\n")


def _valid_utf8(value: object) -> object:
    """Return the value with texts that are UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_valid_utf8(key): _valid_utf8(item) for key, item in value.items()}
    return [_valid_utf8(item) for item in value] if isinstance(value, list | tuple) else value


def terminal(environment: Mapping[str, str] | None = None) -> "Console":
    """Return the console for progress; wide enough for a line where nobody set a width."""
    from rich.console import Console

    environment = os.environ if environment is None else environment
    width = None if sys.stderr.isatty() or "COLUMNS" in environment else 200
    return Console(stderr=True, width=width, highlight=False, soft_wrap=False)


def show(document: "Document", *, wide: bool = False) -> None:
    """Print tables and notes to stdout; with `wide` all columns, whatever the width.

    Text of models is never interpreted as markup or control characters.
    """
    from runner.table_layout import table_lines

    width = None if wide else _width()
    lines = [_styled(line, _BOLD) for line in _wrapped(document.title, width)]
    for table in map(_harmless_table, document.tables):
        lines += ["", *(_styled(line, _ITALIC) for line in _wrapped(table.title, width))]
        lines += table_lines(table, width, _ellipsis())
    if document.notes:
        lines.append("")
    for note in document.notes:
        lines += _wrapped(note, width)
    put("".join(f"{line}\n" for line in lines))


def _width() -> int | None:
    """Return the width to fit, in columns: $COLUMNS, or that of the terminal; None where there is no limit."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns):
        return int(columns)
    return (os.get_terminal_size(sys.stdout.fileno()).columns or 80) if sys.stdout.isatty() else None


def _ellipsis() -> str:
    """Return the character for what was cut out; ASCII where the terminal has no other."""
    return "…" if (sys.stdout.encoding or "").lower().startswith("utf") else "~"


def _styled(text: str, style: str) -> str:
    plain = not sys.stdout.isatty() or os.environ.get("TERM") == "dumb" or bool(os.environ.get("NO_COLOR"))
    return text if plain else f"\x1b[{style}m{text}\x1b[0m"


def _wrapped(text: str, width: int | None) -> list[str]:
    """Return the lines of a text, broken between words."""
    from textwrap import wrap

    text = harmless(text)
    if width is None:
        return [text]
    return wrap(text, width, subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False) or [""]


def _harmless_table(table: "Table") -> "Table":
    from dataclasses import replace

    rows = tuple(tuple(map(harmless, row)) for row in table.rows)
    return replace(table, columns=tuple(map(harmless, table.columns)), rows=rows)


def show_lines(lines: Iterable[str]) -> None:
    """Print lines of a report to stdout."""
    put("".join(f"{harmless(line)}\n" for line in lines))


def harmless(text: str, *, lines: bool = False) -> str:
    """Return the text with control characters escaped, except for tabs and, with `lines`, line feeds.

    Characters that reorder text and letters that show nothing are escaped, too.
    """
    if text.isprintable() and (text.isascii() or _BLANK_LETTERS.isdisjoint(text)):
        return text
    kept = "\t\n" if lines else "\t"
    return "".join(
        character
        if (character.isprintable() and character not in _BLANK_LETTERS) or character in kept
        else f"\\x{ord(character):02x}"
        for character in text
    )


def format_bytes(size: int) -> str:
    """Format a size in decimal units: `12.3 MB` or `0.4 kB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
