"""What a command shows a person: titled tables and notes, drawn on a terminal or written as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """A titled table; cells are plain text.

    Where a table is too wide, columns are left out: first those that are neither `important` nor `prose`, from the
    right, then these, the last named first. Without `important` it is the first column. Cells of `prose` columns are
    wrapped, names in other columns shortened. What the table has no column for is ignored.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    important: tuple[str, ...] = ()
    prose: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """What a command shows: tables, then notes of one line each."""

    title: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...] = ()


def markdown(document: Document) -> str:
    """Return the document as Markdown; what a model wrote cannot break out of a cell."""
    parts = [f"# {_cell(document.title)}"]
    for table in document.tables:
        lines = [_row(table.columns), _row(["---"] * len(table.columns)), *(_row(row) for row in table.rows)]
        parts.append(f"## {_cell(table.title)}\n\n" + "\n".join(lines))
    if document.notes:
        parts.append("\n".join(f"- {_cell(note)}" for note in document.notes))
    return "\n\n".join(parts) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
    return " ".join(escaped.splitlines())
