"""The one place that prints: words for people to stderr, data to stdout."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.table import Table as RichTable
    from rich.text import Text

    from runner.document import Document, Table

_GAP = "  "


def say(text: str) -> None:
    """A line for a person; control characters that a model or a server wrote cannot steer the terminal."""
    sys.stderr.write(f"{harmless(text)}\n")
    sys.stderr.flush()


def refuse(why: str) -> None:
    """What is wrong with what was given, on one line whatever it quotes."""
    say("evals: " + why.replace("\r", "\\r").replace("\n", "\\n"))


def put(text: str) -> None:
    """Data, as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()


def put_json(value: object) -> None:
    """Data as JSON, indented for reading; in it replacement characters stand for bytes of paths that are no UTF-8."""
    option = orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS
    try:
        data = orjson.dumps(value, option=option)
    except TypeError:
        data = orjson.dumps(_legible(value), option=option)
    put(data.decode() + "\n")


def _legible(value: object) -> object:
    """The value with texts that are UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, Mapping):
        return {_legible(key): _legible(item) for key, item in value.items()}
    return [_legible(item) for item in value] if isinstance(value, list | tuple) else value


def terminal(environment: Mapping[str, str] | None = None) -> "Console":
    """The console for people; wide enough for a table where nobody set a width."""
    from rich.console import Console

    environment = os.environ if environment is None else environment
    width = None if sys.stderr.isatty() or "COLUMNS" in environment else 200
    return Console(stderr=True, width=width, highlight=False, soft_wrap=False)


def show(document: "Document") -> None:
    """Tables and notes on the terminal. What models wrote is never read as markup, nor obeyed."""
    console = terminal()
    console.print(_said(document.title, style="bold"))
    for table in document.tables:
        console.print()
        console.print(_grid(table) if _width(table) <= console.width else _stack(table))
    if document.notes:
        console.print()
    for note in document.notes:
        console.print(_said(note))


def _said(text: str, style: str = "") -> "Text":
    from rich.text import Text

    return Text(harmless(text), style=style)


def _width(table: "Table") -> int:
    columns = zip(table.columns, *table.rows, strict=True)
    return sum(max(map(len, cells)) + len(_GAP) for cells in columns)


def _grid(table: "Table") -> "RichTable":
    from rich.table import Table as RichTable

    shown = RichTable(
        title=_said(table.title, style="italic"), title_justify="left", box=None, padding=(0, len(_GAP), 0, 0)
    )
    for column in table.columns:
        shown.add_column(column, overflow="fold")
    for row in table.rows:
        shown.add_row(*map(_said, row))
    return shown


def _stack(table: "Table") -> "Group":
    """A table that is too wide, row by row: the first cell, below it the others by their names."""
    from rich.console import Group
    from rich.padding import Padding

    shown: list[Text | Padding] = [_said(table.title, style="italic")]
    for first, *rest in table.rows:
        told = [f"{name} {cell}" for name, cell in zip(table.columns[1:], rest, strict=True) if cell not in {"", "-"}]
        shown += [_said(first, style="bold"), Padding(_said(", ".join(told)), (0, 0, 0, len(_GAP)))]
    return Group(*shown)


def show_lines(lines: Iterable[str]) -> None:
    """Lines for a person."""
    for line in lines:
        say(line)


def harmless(text: str, *, lines: bool = False) -> str:
    """The text with each control character written out, the tab aside; with `lines` the ends of lines, too."""
    if text.isprintable():
        return text
    kept = "\t\n" if lines else "\t"
    return "".join(one if one.isprintable() or one in kept else f"\\x{ord(one):02x}" for one in text)


def bytes_told(size: int) -> str:
    """`12.3 MB`, or `0.4 kB`: in powers of ten, as disks are sold."""
    return f"{size / 1e6:,.1f} MB" if size >= 100_000 else f"{size / 1e3:.1f} kB"
