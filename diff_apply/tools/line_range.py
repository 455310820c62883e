"""Replaces ranges of lines by their numbers, as SWE-agent's `edit start:end` does, but several at once."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from diff_apply.tools.refusal import Cause, EditError


class LineRange(NamedTuple):
    """Lines `start` to `end` (1-based, inclusive) become `text`; `end` = `start` - 1 inserts, an empty text deletes."""

    start: int
    end: int
    text: str


def replace_ranges(text: str, ranges: Sequence[LineRange]) -> str:
    """Return a text after all ranges, whose numbers are those of the original. Raises EditError.

    One final LF of a new text does not count. New lines end as the file's first line does.
    """
    lines = text.split("\n")
    ends = lines[-1] == ""
    if ends:
        lines.pop()
    for number, expected in enumerate(ranges, 1):
        _check(expected, len(lines), number)
    ordered = sorted(ranges, key=lambda expected: (expected.start, expected.end))
    for before, after in pairwise(ordered):
        if after.start <= before.end:
            raise EditError(Cause.OVERLAP, f"line {after.start} is in two ranges", lines=(after.start,))
    ending = "\r" if lines and lines[0].endswith("\r") and (ends or len(lines) > 1) else ""
    lines = _spliced(lines, ordered, ending)
    if not ends and lines and ordered and ordered[-1].end >= text.count("\n") + 1:
        # The last line has no newline, so the CR before it goes too.
        lines[-1] = lines[-1].removesuffix(ending)
    return "\n".join([*lines, ""] if (ends or not text) and lines else lines)


def _spliced(lines: list[str], ordered: Sequence[LineRange], ending: str) -> list[str]:
    out, at = list[str](), 0
    for expected in ordered:
        out += lines[at : expected.start - 1]
        out += _new_lines(expected.text, ending)
        at = expected.end
    return [*out, *lines[at:]]


def _check(expected: LineRange, count: int, number: int) -> None:
    if expected.end < expected.start - 1:
        message = f"range {number}: it ends at line {expected.end}, before its start {expected.start}"
        raise EditError(Cause.REVERSED_RANGE, message, block=number)
    if expected.start < 1 or expected.end > count or expected.start > count + 1:
        message = f"range {number}: lines {expected.start} to {expected.end}; the file has lines 1 to {count}"
        raise EditError(Cause.LINE_OUT_OF_RANGE, message, block=number)


def _new_lines(text: str, ending: str) -> list[str]:
    if not text:
        return []
    lines = text.removesuffix("\n").split("\n")
    return [line.removesuffix("\r") + ending for line in lines] if ending else lines
