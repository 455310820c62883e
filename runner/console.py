"""The one place that prints: words for people to stderr, data to stdout."""

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from rich.console import Console

    from runner.report.tables import Document


def say(text: str) -> None:
    """A line for a person."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def put(text: str) -> None:
    """Data, as it is."""
    sys.stdout.write(text)
    sys.stdout.flush()


def put_json(value: object) -> None:
    """Data as JSON, indented for reading."""
    put(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS).decode() + "\n")


def terminal(environment: Mapping[str, str] | None = None) -> "Console":
    """The console for people; wide enough for a table where nobody set a width."""
    from rich.console import Console

    environment = os.environ if environment is None else environment
    width = None if sys.stderr.isatty() or "COLUMNS" in environment else 200
    return Console(stderr=True, width=width, highlight=False, soft_wrap=False)


def show(document: "Document") -> None:
    """Tables and notes on the terminal. What models wrote is never read as markup."""
    from rich.table import Table
    from rich.text import Text

    console = terminal()
    console.print(Text(document.title, style="bold"))
    for table in document.tables:
        shown = Table(title=Text(table.title, style="italic"), title_justify="left", box=None, padding=(0, 2, 0, 0))
        for column in table.columns:
            shown.add_column(column, overflow="fold")
        for row in table.rows:
            shown.add_row(*(Text(cell) for cell in row))
        console.print()
        console.print(shown)
    if document.notes:
        console.print()
    for note in document.notes:
        console.print(Text(note))


def show_lines(lines: Iterable[str]) -> None:
    """Lines for a person; control characters that a model wrote cannot steer the terminal."""
    for line in lines:
        say("".join(one if one.isprintable() or one == "\t" else f"\\x{ord(one):02x}" for one in line))
