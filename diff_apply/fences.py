r"""The blocks of a diff as `v4` reads them: every marker accounted for, or an error that names the line.

A start marker is three or more `-` or `<` and ` SEARCH`, a separator three or more `=`, an end marker three or more
`+` or `>` and ` REPLACE`; one `>` may follow the word and a CR the line. Runs of any length go together, and where a
block has several separators the one as long as its start marker counts, so that an underline of another length is
text.

A diff whose first run is longer than seven is fenced if runs of just that length make blocks of all of it, with only
shorter ones between them: then the shorter ones are text, so any text can be written in a diff.

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

# What a model may have meant as a marker and no grammar takes for one.
_SUSPECT = re.compile(r"(?im)^[ \t]*(?:[-<+>=]+[ \t]*(?:SEARCH|REPLACE)[^\w\n]*|={2,}[ \t]*)\r?$")


class Section(NamedTuple):
    """The lines of a SEARCH or a REPLACE, an LF after each, and whether a newline ends the file (None: unsaid)."""

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
    """A line that looks like a marker: what it would do, the length of its run, its extent with its LF."""

    mark: Mark
    run: int
    begin: int
    end: int


def read_blocks(diff: str, *, final: bool = True) -> list[Block]:
    """The blocks of a diff in its order; text outside them is prose and passed over.

    While the diff is not final, what its unfinished last line or block may still become is left out. Raises
    DiffError UNCLOSED, EXTRA_MARKER or MISSING_MARKER; a diff of prose alone misses its markers, a blank one is empty.
    """
    text = diff if final else diff[: diff.rfind("\n") + 1]
    lines = [
        _Line(_ORDER[group - 1], found.end(group) - found.start(), found.start(), found.end() + 1)
        for found in MARKER.finditer(text)
        if (group := found.lastindex)
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
    """The fences of a fenced diff, or nothing; while it is not final the last block may be open."""
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
    """Whether a block starts here and nothing but separators follows."""
    return lines[at].mark is Mark.START and all(line.mark is Mark.SEPARATOR for line in lines[at + 1 :])


def _extent(text: str, lines: Sequence[_Line], at: int, number: int) -> tuple[int, int]:
    """The separator of a block and its end, the first marker that is no separator; raises what is wrong instead."""
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
        message = "the block has more than one separator; a longer run in all its markers would tell them from text"
        raise _error(text, lines[at + 2], number, Reason.EXTRA_MARKER, message)
    return fitting[0], end


def _stray(text: str, line: _Line, number: int) -> DiffError:
    """The error for a separator or an end marker outside a block."""
    if line.mark is Mark.SEPARATOR:
        message = "a separator without a start marker before it" + _suspect(text, 0, line.begin)
        return _error(text, line, number, Reason.MISSING_MARKER, message)
    return _error(text, line, number, Reason.EXTRA_MARKER, "an end marker outside a block")


def _error(text: str, line: _Line, number: int, reason: Reason, message: str) -> DiffError:
    row = text.count("\n", 0, line.begin) + 1
    return DiffError(reason, f"block {number}, line {row} of the diff: {message}", block=number)


def _suspect(text: str, begin: int, end: int) -> str:
    """A hint at the last line between two offsets that may have been meant as a marker."""
    found = [line for line in _SUSPECT.finditer(text, begin, end) if not MARKER.fullmatch(line.group())]
    return f" ({found[-1].group()!r} is not a marker)" if found else ""


def _section(text: str) -> Section:
    """The lines of a section, a last line about the newline at the end of the file taken off."""
    begin = text.rfind("\n", 0, -1) + 1
    if text.startswith("\\ ", begin):
        newline = NEWLINE.get(text[begin:-1].removesuffix("\r"))
        if newline is not None:
            return Section(text[:begin], newline)
    return Section(text)
