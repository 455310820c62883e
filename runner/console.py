"""The one place that prints: words for people to stderr, data to stdout.

A reader that has gone, such as `head`, ends nothing: what it does not read is dropped.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TextIO

import orjson

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table as RichTable
    from rich.text import Text

    from runner.document import Document, Table

_GAP = "  "

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
    """Return the console for people; wide enough for a table where nobody set a width."""
    from rich.console import Console

    environment = os.environ if environment is None else environment
    width = None if sys.stderr.isatty() or "COLUMNS" in environment else 200
    return Console(stderr=True, width=width, highlight=False, soft_wrap=False)


def show(document: "Document") -> None:
    """Print tables and notes on the terminal. Text of models is never interpreted as markup or control characters."""
    console = terminal()
    with console.capture() as captured:
        console.print(_printable(document.title, style="bold"))
        for table in document.tables:
            console.print()
            console.print(_grid(table) if _width(table) <= console.width else _stack(table))
        if document.notes:
            console.print()
        for note in document.notes:
            console.print(_printable(note))
    _write(sys.stderr, captured.get())


def _printable(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(harmless(text), style=style)


def _width(table: "Table") -> int:
    columns = zip(table.columns, *table.rows, strict=True)
    return sum(max(map(len, cells)) + len(_GAP) for cells in columns)


def _grid(table: "Table") -> "RichTable":
    from rich.table import Table as RichTable

    grid = RichTable(
        title=_printable(table.title, style="italic"), title_justify="left", box=None, padding=(0, len(_GAP), 0, 0)
    )
    for column in table.columns:
        grid.add_column(column, overflow="fold")
    for row in table.rows:
        grid.add_row(*map(_printable, row))
    return grid


def _stack(table: "Table") -> "Group":
    """Return a table that is too wide, row by row: the first cell, below it the others by their names."""
    from rich.console import Group
    from rich.padding import Padding

    lines: list[Text | Padding] = [_printable(table.title, style="italic")]
    for first, *rest in table.rows:
        cells = [f"{name} {cell}" for name, cell in zip(table.columns[1:], rest, strict=True) if cell not in {"", "-"}]
        lines += [_printable(first, style="bold"), Padding(_printable(", ".join(cells)), (0, 0, 0, len(_GAP)))]
    return Group(*lines)


def show_lines(lines: Iterable[str]) -> None:
    """Print lines for a person."""
    for line in lines:
        say(line)


def harmless(text: str, *, lines: bool = False) -> str:
    """Return the text with control characters escaped, except for tabs and, with `lines`, line feeds."""
    if text.isprintable():
        return text
    kept = "\t\n" if lines else "\t"
    return "".join(
        character if character.isprintable() or character in kept else f"\\x{ord(character):02x}" for character in text
    )


def format_bytes(size: int) -> str:
    """Format a size in decimal units: `12.3 MB` or `0.4 kB`."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
