"""Lays out a table within a width: which columns are shown, how wide each is, and its lines."""

import re
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from runner.document import Table

_GAP = "  "
# Names and prose become no narrower than this while another column can be left out instead.
_LEAST = 24
_NUMBER = re.compile(r"[-+]?\$?[-+]?\d[\d.,]*(/\d+)?( ?(%|ms|s|kB|MB))?( [\[(/].*)?")
_UNKNOWN = frozenset({"", "-", "unknown", "not reported"})
# A tag such as `(simulated)` stays whole when the name before it is shortened.
_TAG = re.compile(r" \(\w+\)$")


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    cells: tuple[str, ...]
    width: int
    least: int
    numeric: bool
    prose: bool


def table_lines(table: Table, width: int | None = None, ellipsis: str = "…") -> list[str]:
    """Return the head and the rows of a table, at most `width` wide; a last line names the columns left out.

    Without a width all columns are as wide as their cells.
    """
    columns = [
        _column(name, cells, prose=name in table.prose) for name, *cells in zip(table.columns, *table.rows, strict=True)
    ]
    kept = columns if width is None else _fitted(columns, _ranks(table), width)
    lines = [line for row in _rows(kept, ellipsis) for line in row]
    names = [column.name for column in kept]
    omitted = [name for name in table.columns if name not in names]
    if omitted:
        lines.append(_omission(omitted, width or 0, ellipsis))
    return lines


def text_width(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


def shortened(cells: Sequence[str], width: int, ellipsis: str = "…") -> list[str]:
    """Return the cells, those that are too long shortened in the middle; different cells stay different if possible."""
    room = max(0, width - len(ellipsis))
    heads = sorted(range(room + 1), key=lambda head: abs(2 * head - room))
    for head in heads:
        cut = [_cut(cell, width, head, ellipsis) for cell in cells]
        if len(set(cut)) == len(set(cells)):
            return cut
    return [_cut(cell, width, heads[0], ellipsis) for cell in cells]


def _cut(text: str, width: int, head: int, ellipsis: str) -> str:
    """Return the text at most `width` wide: `head` characters, the ellipsis, and the end of the text."""
    if text_width(text) <= width:
        return text
    tag = _TAG.search(text)
    if tag is not None and width >= 2 * len(tag[0]):
        room = width - len(tag[0]) - len(ellipsis)
        head = head * room // (width - len(ellipsis))
        return f"{text[:head]}{ellipsis}{text[tag.start() - (room - head) : tag.start()]}{tag[0]}"
    tail = max(0, width - len(ellipsis) - head)
    return f"{text[:head]}{ellipsis}{text[len(text) - tail :]}"[:width]


def _column(name: str, cells: Sequence[str], *, prose: bool) -> _Column:
    width = max(map(text_width, (name, *cells)))
    known = [cell for cell in cells if cell not in _UNKNOWN]
    numeric = bool(known) and all(map(_NUMBER.fullmatch, known))
    least = width if numeric else min(width, max(_LEAST, text_width(name)))
    return _Column(name, tuple(cells), width, least, numeric, prose)


def _ranks(table: Table) -> dict[str, int]:
    """Return the ranks of the columns that stay longest, the most important first."""
    names = dict.fromkeys((*(table.important or table.columns[:1]), *table.prose))
    return {name: rank for rank, name in enumerate(names)}


def _fitted(columns: Sequence[_Column], ranks: dict[str, int], width: int) -> list[_Column]:
    """Return the columns to show, narrowed where they have to be."""
    order = sorted(
        range(len(columns)), key=lambda index: (ranks.get(columns[index].name, len(ranks)), index), reverse=True
    )
    kept = list(columns)
    for index in order[:-1]:
        important = columns[index].name in ranks
        if _total([column.least if important or column.prose else column.width for column in kept]) > width:
            kept.remove(columns[index])
    return _narrowed(kept, width)


def _narrowed(columns: Sequence[_Column], width: int) -> list[_Column]:
    """Return the columns with the widest ones narrowed until they fit; a single column is cut to the width."""
    widths = [column.width for column in columns]
    if len(widths) == 1:
        widths = [max(1, min(widths[0], width))]
    while _total(widths) > width:
        spare = [size if size > column.least else 0 for size, column in zip(widths, columns, strict=True)]
        if not any(spare):
            break
        widths[spare.index(max(spare))] -= 1
    return [replace(column, width=size) for column, size in zip(columns, widths, strict=True)]


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _rows(columns: Sequence[_Column], ellipsis: str) -> list[list[str]]:
    """Return the lines of the head and of each row."""
    texts = [_texts(column, ellipsis) for column in columns]
    return [
        [
            _GAP.join(_aligned(part, column) for part, column in zip(parts, columns, strict=True)).rstrip()
            for parts in zip_longest(*cells, fillvalue="")
        ]
        for cells in zip(*texts, strict=True)
    ]


def _texts(column: _Column, ellipsis: str) -> list[list[str]]:
    """Return the lines of the column's name and of each cell."""
    name, *_ = shortened([column.name], column.width, ellipsis)
    if column.prose:
        return [[name], *(textwrap.wrap(cell, column.width) or [""] for cell in column.cells)]
    return [[name], *([cell] for cell in shortened(column.cells, column.width, ellipsis))]


def _aligned(text: str, column: _Column) -> str:
    space = " " * (column.width - text_width(text))
    return space + text if column.numeric else text + space


def _omission(names: Sequence[str], width: int, ellipsis: str) -> str:
    """Return a line about columns that are left out, with as many of their names as there is room for."""
    count = f"{len(names)} more {'column' if len(names) == 1 else 'columns'}"
    for number in range(len(names), 0, -1):
        line = f"({count}: {', '.join([*names[:number], *([ellipsis] if number < len(names) else [])])}; --wide)"
        if text_width(line) <= width:
            return line
    return f"({count}: --wide)"
