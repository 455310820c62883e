"""Edits of one plain block, which are most of all: what the algorithms make of them is known with less work.

Tests hold that each of them gives just this.
"""

import re
from typing import NamedTuple

from diff_apply.lines import trim

_BLOCK = re.compile(r"-{7} SEARCH\n(.+\n)={7}\n((?:.*\n)?)\+{7} REPLACE\n?", re.DOTALL)
# Lines that an algorithm could take for a marker, or for a word about the end of the file.
_MARKED = re.compile(r"^(?:[ \t]*[-<=+>]{2}|\\ )", re.MULTILINE)


class PlainEdit(NamedTuple):
    """The lines that are searched for and those that replace them, each with its LF."""

    search: str
    replacement: str


def plain_edit(diff: str) -> PlainEdit | None:
    """Return the edit of a diff of one block without any line that resembles a marker; None for other diffs."""
    match = _BLOCK.fullmatch(diff)
    return None if match is None or _MARKED.search(match[1] + match[2]) else PlainEdit(match[1], match[2])


def applied_plainly(text: str, edit: PlainEdit) -> str | None:
    """Return what every algorithm makes of an edit whose whole lines stand in a text once; None where they do not.

    A text whose last line lacks its newline is left to the algorithms.
    """
    start = text.find(edit.search)
    if start < 0 or not text.endswith("\n") or (start and text[start - 1] != "\n"):
        return None
    if text.find(edit.search, start + 1) >= 0:
        return None
    return f"{text[:start]}{edit.replacement}{text[start + len(edit.search) :]}"


def refused_plainly(text: str, edit: PlainEdit) -> bool:
    """Return whether every algorithm refuses an edit, as far as that is seen at once.

    Fewer than three lines match exactly or trimmed, in no other way.
    """
    if edit.search.count("\n") > 2 or not trim(edit.search) or edit.search in text:
        return False
    return _trimmed(edit.search) not in f"{_trimmed(text)}\n"


def _trimmed(text: str) -> str:
    """Return the lines of a text, trimmed, with an LF before and after each."""
    return "\n".join(["", *map(trim, text.split("\n"))])
