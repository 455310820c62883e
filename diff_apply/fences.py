r"""Reads the blocks of a diff for `v4`: every marker belongs to a block, or an error names its line.

A start marker is three or more `-` or `<` and ` SEARCH`, a separator three or more `=`, an end marker three or more
`+` or `>` and ` REPLACE`; one `>` may follow the word, and a CR may end the line. The runs of a block may differ in
length. If a block has several separators, the one as long as its start marker counts, so that an underline of another
length is text.

A diff whose first run is longer than seven is fenced if runs of exactly that length form all its blocks, with only
shorter runs between them: then the shorter runs are text, so a diff can contain any text.

A line that was meant as a marker but is none, such as `+++++++ REPLACE.`, is never text of a REPLACE, unless the SEARCH
has it too or the diff is fenced; nor is it prose between blocks. A run of `=` below a line of text underlines it, and
one amid a SEARCH is text: elsewhere it was meant as a separator.

A last line `\ No newline at end of file` in a SEARCH or a REPLACE says that the file's last line has no newline before
or after the edit; `\ Newline at end of file` says that it has one. Only the last line is read so.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from diff_apply.lines import BLANKS, trim
from diff_apply.markers import Mark
from diff_apply.result import DiffError, Reason

STANDARD = 7

MARKER = re.compile(r"^(?:(-{3,}|<{3,}) SEARCH>?|(={3,})|(\+{3,}|>{3,}) REPLACE>?)\r?$", re.MULTILINE)

NEWLINE = {"\\ No newline at end of file": False, "\\ Newline at end of file": True}

_ORDER = (Mark.START, Mark.SEPARATOR, Mark.END)

# Lines that a model may have meant as markers, but that no grammar accepts.
_SUSPECT = re.compile(r"(?im)^[ \t]*(?:[-<+>=]+[ \t]*(?:SEARCH|REPLACE)[^\w\n]*|={2,}[ \t]*)\r?$")
# Lines that are hardly anything else: a long run and the word alone, a marker with text behind it, and half of a marker
# of angle brackets. Conflict markers with a name are text.
_LEFTOVER = re.compile(
    r"^[ \t]*(?:[-<+>=]{5,}[ \t]*(?i:SEARCH|REPLACE)\w{0,3}[^\w\n]{0,3}|[-<+>]{7}[ \t]+(?:SEARCH|REPLACE)\b.*"
    r"|<{7}|>{7})[ \t]*\r?$",
    re.MULTILINE,
)
_RULE = re.compile(r"^={3,}\r?$", re.MULTILINE)


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

    While the diff is not final, an unfinished last line or block is left out. Raises DiffError UNCLOSED, EXTRA_MARKER,
    MISSING_MARKER or LEFTOVER_MARKER; a diff of prose alone lacks markers, a blank diff is empty.
    """
    text = diff if final else diff[: diff.rfind("\n") + 1]
    lines = [
        _Line(_ORDER[group - 1], match.end(group) - match.start(), match.start(), match.end() + 1)
        for match in MARKER.finditer(text)
        if (group := match.lastindex)
    ]
    if final and not lines and text.strip():
        raise DiffError(Reason.MISSING_MARKER, "the diff has no SEARCH/REPLACE block" + _suspect(text, 0, len(text)))
    fences = _fences(lines, final=final)
    lines = fences or lines
    blocks, at, prose = list[Block](), 0, 0
    while at < len(lines) and (final or not _is_open(lines, at)):
        separator, end = _extent(text, lines, at, len(blocks) + 1)
        search = text[lines[at].end : lines[separator].begin]
        replacement = text[lines[separator].end : lines[end].begin]
        blocks.append(Block(len(blocks) + 1, _section(search), _section(replacement)))
        _refuse_leftovers(text, prose, lines[at].begin, len(blocks))
        if not fences:
            _refuse_leftover_text(text, (lines[separator].end, lines[end].begin), blocks[-1])
        prose, at = lines[end].end, end + 1
    if at == len(lines):
        _refuse_leftovers(text, prose, len(text), len(blocks) + 1)
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


def _refuse_leftovers(text: str, begin: int, end: int, number: int) -> None:
    """Raise DiffError LEFTOVER_MARKER if a line of the prose between two offsets was meant as a marker."""
    leftover = _LEFTOVER.search(text, begin, end)
    if leftover:
        raise _leftover(text, leftover.start(), leftover.group(), number)


def _refuse_leftover_text(text: str, span: tuple[int, int], block: Block) -> None:
    """Raise DiffError LEFTOVER_MARKER if a line of the REPLACE, which has this span, was meant as a marker."""
    if not (_LEFTOVER.search(text, *span) or _RULE.search(text, *span)):
        return
    begin, _ = span
    search, replacement = [trim(row) for row in block.search.rows], block.replacement.rows
    has_rule = any(_RULE.match(row) for row in search)
    for at, row in enumerate(replacement):
        if trim(row) not in search and (
            _LEFTOVER.match(row) or (_RULE.match(row) and not has_rule and not _underlines(replacement, at))
        ):
            raise _leftover(text, begin, row, block.number)
        begin += len(row) + 1


def _underlines(rows: Sequence[str], at: int) -> bool:
    """Return whether a run of `=` stands below a line of text, or above one with an equal run below it."""
    above = rows[at - 1] if at else ""
    below = bool(trim(above)) and not _RULE.match(above) and above[0] not in BLANKS
    return below or (at + 2 < len(rows) and bool(trim(rows[at + 1])) and rows[at + 2] == rows[at])


def _leftover(text: str, at: int, line: str, number: int) -> DiffError:
    row = text.count("\n", 0, at) + 1
    message = (
        f"block {number}, line {row} of the diff: {trim(line)[:80]!r} looks like a marker but is none; "
        "a longer run in all markers would distinguish it from text"
    )
    return DiffError(Reason.LEFTOVER_MARKER, message, block=number)


def looks_like_marker(text: str) -> list[int]:
    """Return the lengths of the runs of all lines of a text that are markers or could be meant as such."""
    lines = (match.group() for pattern in (MARKER, _LEFTOVER, _RULE) for match in pattern.finditer(text))
    return [len(line) - len(line.lstrip("-<+>=")) for line in map(trim, lines)]


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
