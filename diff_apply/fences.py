r"""Reads the blocks of a diff for `v4`: every marker belongs to a block, or an error names its line.

A start marker is three or more `-` or `<` and ` SEARCH`, a separator three or more `=`, an end marker three or more
`+` or `>` and ` REPLACE`; one `>` may follow the word, and a CR may end the line. The runs of a block may differ in
length. If a block has several separators, the one as long as its start marker counts, so that an underline of another
length is text.

A diff whose first run is longer than seven is fenced if runs of exactly that length form all its blocks, with only
shorter runs between them: then the shorter runs are text, so a diff can contain any text.

A last line `\ No newline at end of file` in a SEARCH or a REPLACE says that the file's last line has no newline before
or after the edit; `\ Newline at end of file` says that it has one. Only the last line is read so.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from diff_apply.markers import Mark
from diff_apply.result import DiffError, Reason

STANDARD = 7

MARKER = re.compile(r"^(?:(-{3,}|<{3,}) SEARCH>?|(={3,})|(\+{3,}|>{3,}) REPLACE>?)\r?$", re.MULTILINE)

NEWLINE = {"\\ No newline at end of file": False, "\\ Newline at end of file": True}

_ORDER = (Mark.START, Mark.SEPARATOR, Mark.END)

# Lines that a model may have meant as markers, but that no grammar accepts.
_SUSPECT = re.compile(r"(?im)^[ \t]*(?:[-<+>=]+[ \t]*(?:SEARCH|REPLACE)[^\w\n]*|={2,}[ \t]*)\r?$")


class Section(NamedTuple):
    """The lines of a SEARCH or a REPLACE, each ending in LF; whether a newline ends the file (None = not stated)."""

    text: str
    newline: bool | None = None

    @property
    def rows(self) -> list[str]:
        """The lines without their LF."""
        return self.text.split("\n")[:-1]


class Block(NamedTuple):
    """One SEARCH/REPLACE block; `number` counts from 1."""

    number: int
    search: Section
    replacement: Section


class _Line(NamedTuple):
    """A line that looks like a marker: its kind, the length of its run, its range including its LF."""

    mark: Mark
    run: int
    begin: int
    end: int


def read_blocks(diff: str, *, final: bool = True) -> list[Block]:
    """Return the blocks of a diff in order; text outside them is prose and is skipped.

    While the diff is not final, an unfinished last line or block is left out. Raises
    DiffError UNCLOSED, EXTRA_MARKER or MISSING_MARKER; a diff of prose alone lacks markers, a blank diff is empty.
    """
    text = diff if final else diff[: diff.rfind("\n") + 1]
    lines = [
        _Line(_ORDER[group - 1], match.end(group) - match.start(), match.start(), match.end() + 1)
        for match in MARKER.finditer(text)
        if (group := match.lastindex)
    ]
    if final and not lines and text.strip():
        raise DiffError(Reason.MISSING_MARKER, "the diff has no SEARCH/REPLACE block" + _suspect(text, 0, len(text)))
    lines = _fences(lines, final=final) or lines
    blocks, at = list[Block](), 0
    while at < len(lines) and (final or not _is_open(lines, at)):
        separator, end = _extent(text, lines, at, len(blocks) + 1)
        search = text[lines[at].end : lines[separator].begin]
        replacement = text[lines[separator].end : lines[end].begin]
        blocks.append(Block(len(blocks) + 1, _section(search), _section(replacement)))
        at = end + 1
    return blocks


def _fences(lines: list[_Line], *, final: bool) -> list[_Line]:
    """Return the fences of a fenced diff, or an empty list; the last block may be open unless the diff is final."""
    run = max((line.run for line in lines), default=0)
    if run <= STANDARD or lines[0].run != run:
        return []
    fences, inside = list[_Line](), False
    for line in lines:
        if line.run == run:
            if line.mark is not _ORDER[len(fences) % 3]:
                return []
            fences.append(line)
            inside = line.mark is not Mark.END
        elif not inside:
            return []
    return fences if not final or not inside else []


def _is_open(lines: Sequence[_Line], at: int) -> bool:
    """Return whether a block starts here and only separators follow."""
    return lines[at].mark is Mark.START and all(line.mark is Mark.SEPARATOR for line in lines[at + 1 :])


def _extent(text: str, lines: Sequence[_Line], at: int, number: int) -> tuple[int, int]:
    """Return the index of a block's separator and of its end marker. Raises DiffError if either is wrong."""
    if lines[at].mark is not Mark.START:
        raise _stray(text, lines[at], number)
    end = at + 1
    while end < len(lines) and lines[end].mark is Mark.SEPARATOR:
        end += 1
    stop = lines[end].begin if end < len(lines) else len(text)
    if end == len(lines) or lines[end].mark is Mark.START:
        message = "the block has no end marker" + _suspect(text, lines[at].end, stop)
        raise _error(text, lines[at], number, Reason.UNCLOSED, message)
    if end == at + 1:
        message = "the block has no separator" + _suspect(text, lines[at].end, stop)
        raise _error(text, lines[at], number, Reason.MISSING_MARKER, message)
    fitting = [index for index in range(at + 1, end) if end == at + 2 or lines[index].run == lines[at].run]
    if len(fitting) != 1:
        message = (
            "the block has more than one separator; a longer run in all its markers would distinguish them from text"
        )
        raise _error(text, lines[at + 2], number, Reason.EXTRA_MARKER, message)
    return fitting[0], end


def _stray(text: str, line: _Line, number: int) -> DiffError:
    """Return the error for a separator or an end marker outside a block."""
    if line.mark is Mark.SEPARATOR:
        message = "a separator without a start marker before it" + _suspect(text, 0, line.begin)
        return _error(text, line, number, Reason.MISSING_MARKER, message)
    return _error(text, line, number, Reason.EXTRA_MARKER, "an end marker outside a block")


def _error(text: str, line: _Line, number: int, reason: Reason, message: str) -> DiffError:
    row = text.count("\n", 0, line.begin) + 1
    return DiffError(reason, f"block {number}, line {row} of the diff: {message}", block=number)


def _suspect(text: str, begin: int, end: int) -> str:
    """Return a hint that names the last line between two offsets that may have been meant as a marker."""
    suspects = [line for line in _SUSPECT.finditer(text, begin, end) if not MARKER.fullmatch(line.group())]
    return f" ({suspects[-1].group()!r} is not a marker)" if suspects else ""


def _section(text: str) -> Section:
    """Return the section; a last line about the newline at the end of the file becomes its `newline`."""
    begin = text.rfind("\n", 0, -1) + 1
    if text.startswith("\\ ", begin):
        newline = NEWLINE.get(text[begin:-1].removesuffix("\r"))
        if newline is not None:
            return Section(text[:begin], newline)
    return Section(text)
