"""Writes the diff that turns one text into another: minimal blocks, each with enough context to be unique."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, chain

from diff_apply.changes import Change, changes
from diff_apply.fences import MARKER, NEWLINE, STANDARD
from diff_apply.lines import rows_of

_SAYING = {newline: line for line, newline in NEWLINE.items()}


def edit_blocks(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """The (search, replace) texts that turn `before` into `after`, in file order, an LF after every line.

    Each search is whole lines, occurs once in `before` and overlaps no other; the context is the least that makes it
    so. A replacement that adds or takes the newline at the end of the file ends in a line that says so, and so does a
    text whose own last line could be misread for one.
    """
    if before == after:
        return ()
    rows, lines = rows_of(before), rows_of(after)
    ends, becomes = before.endswith("\n"), after.endswith("\n")
    if not before:
        return (("", _text(lines, newline=becomes, says=not becomes)),)
    turned = bool(after) and ends != becomes
    blocks = list[tuple[str, str]]()
    for start, end, begin, stop in _widened(rows, _hunks(before, after, turned=turned)):
        last = end == len(rows)
        search = _text(rows[start:end], newline=ends or not last)
        blocks.append((search, _text(lines[begin:stop], newline=becomes or not last, says=last and turned)))
    return tuple(blocks)


def diff_of(before: str, after: str) -> str:
    """The blocks of `edit_blocks` as one diff, "" for equal texts.

    Markers have seven characters, or more than any line of the texts that looks like a marker. `v4` turns `before`
    into `after` by it, whatever the two texts; so do all versions where every line ends in LF and none is a marker.
    """
    blocks = edit_blocks(before, after)
    looks = [found.span(found.lastindex or 0) for text in chain(*blocks) for found in MARKER.finditer(text)]
    run = max((STANDARD, *(end - begin for begin, end in looks))) + bool(looks)
    return "".join(
        f"{'-' * run} SEARCH\n{search}{'=' * run}\n{replacement}{'+' * run} REPLACE\n" for search, replacement in blocks
    )


def _text(rows: Sequence[str], *, newline: bool, says: bool = False) -> str:
    """The rows with an LF after each and, if it `says` so or must, whether a newline ends the last."""
    if rows and rows[-1].removesuffix("\r") in NEWLINE:
        says = True
    return "".join(row + "\n" for row in (*rows, *([_SAYING[newline]] if says else [])))


def _hunks(before: str, after: str, *, turned: bool) -> list[Change]:
    """The changed ranges; one at an open end of the file holds the line above the last and leaves some line.

    The line above shows how the file's lines end, and a line that stays can lose its newline.
    """
    rows, lines = rows_of(before), rows_of(after)
    hunks = changes(rows, lines)
    if turned and (not hunks or hunks[-1].end < len(rows)):
        hunks.append(Change(len(rows) - 1, len(rows), len(lines) - 1, len(lines)))
    if hunks[-1].end < len(rows) or (before.endswith("\n") and after.endswith("\n")):
        return hunks
    last = hunks.pop()
    above = max(last.start - min(last.start - (last.begin == last.stop), len(rows) - 2), 0)
    above = min(above, last.start)
    while hunks and hunks[-1].end > last.start - above:
        previous = hunks.pop()
        last, above = Change(previous.start, last.end, previous.begin, last.stop), 0
    return [*hunks, Change(last.start - above, last.end, last.begin - above, last.stop)]


def _widened(rows: Sequence[str], hunks: list[Change]) -> list[Change]:
    """The hunks with the least context that makes each unique, joined where there is not enough between two."""
    offsets = list(accumulate((len(row) + 1 for row in rows), initial=0))
    text = "".join(row + "\n" for row in rows)
    done, todo = list[Change](), hunks[::-1]
    while todo:
        hunk = todo.pop()
        low, high = done[-1].end if done else 0, todo[-1].start if todo else len(rows)
        wide = _unique(text, offsets, hunk, low, high)
        if wide:
            done.append(wide)
        elif todo:
            todo.append(_joined(hunk, todo.pop()))
        else:
            todo.append(_joined(done.pop(), hunk))
    return done


def _joined(one: Change, other: Change) -> Change:
    return Change(one.start, other.end, one.begin, other.stop)


def _unique(text: str, offsets: Sequence[int], hunk: Change, low: int, high: int) -> Change | None:
    """The hunk with as few lines around it, within [low, high), as make its lines occur once in the text."""

    def wider(context: int) -> Change:
        below = min(context // 2, high - hunk.end)
        above = min(context - below, hunk.start - low)
        below = min(context - above, high - hunk.end)
        return Change(hunk.start - above, hunk.end + below, hunk.begin - above, hunk.stop + below)

    def is_unique(context: int) -> bool:
        start, end, _, _ = wider(context)
        found = text.find(text[offsets[start] : offsets[end]])
        return start < end and text.find(text[offsets[start] : offsets[end]], found + 1) < 0

    most, reach = hunk.start - low + high - hunk.end, 0
    while reach < most and not is_unique(reach):
        reach = min(2 * reach + 1, most)
    context = bisect_left(range(reach + 1), 1, key=is_unique)
    return wider(context) if context <= reach else None
