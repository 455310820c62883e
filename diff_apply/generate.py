"""Writes the diff from one text to another: minimal blocks, each with enough context to be unique."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, chain

from diff_apply.changes import Change, changes
from diff_apply.fences import NEWLINE, STANDARD, looks_like_marker
from diff_apply.lines import rows_of

_NOTES = {newline: line for line, newline in NEWLINE.items()}


def edit_blocks(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the (search, replace) texts that turn `before` into `after`, in file order; each line ends in LF.

    Each search consists of whole lines, occurs once in `before` and overlaps no other; its context is minimal. A
    replacement that adds or removes the newline at the end of the file ends in a line that says so. So does a text
    whose own last line could be mistaken for such a note.
    """
    if before == after:
        return ()
    rows, lines = rows_of(before), rows_of(after)
    ends, becomes = before.endswith("\n"), after.endswith("\n")
    if not before:
        return (("", _text(lines, newline=becomes, noted=not becomes)),)
    turned = bool(after) and ends != becomes
    blocks = list[tuple[str, str]]()
    for start, end, begin, stop in _widened(rows, _hunks(before, after, turned=turned)):
        last = end == len(rows)
        noted = _is_misread(rows[start:end])
        search = _text(rows[start:end], newline=ends or not last, noted=noted)
        # A SEARCH with a note about the newline removes the newline unless the REPLACE has a note too.
        noted = last and (turned or noted)
        blocks.append((search, _text(lines[begin:stop], newline=becomes or not last, noted=noted)))
    return tuple(blocks)


def diff_of(before: str, after: str) -> str:
    """Return the blocks of `edit_blocks` as one diff, "" for equal texts.

    Markers have seven characters, or more than any line of the texts that looks like a marker. With it, `v4` turns
    `before` into `after` for any two texts; all versions do if every line ends in LF and none looks like a marker.
    """
    blocks = edit_blocks(before, after)
    runs = [run for text in chain(*blocks) for run in looks_like_marker(text)]
    run = max((STANDARD, *runs)) + bool(runs)
    return "".join(
        f"{'-' * run} SEARCH\n{search}{'=' * run}\n{replacement}{'+' * run} REPLACE\n" for search, replacement in blocks
    )


def _text(rows: Sequence[str], *, newline: bool, noted: bool) -> str:
    """Join the rows, each ending in LF; add a note about the last newline if `noted` or if it could be misread."""
    note = [_NOTES[newline]] if noted or _is_misread(rows) else []
    return "".join(row + "\n" for row in (*rows, *note))


def _is_misread(rows: Sequence[str]) -> bool:
    """Return whether the last row itself looks like a note about the newline."""
    return bool(rows) and rows[-1].removesuffix("\r") in NEWLINE


def _hunks(before: str, after: str, *, turned: bool) -> list[Change]:
    """Return the changed ranges; at an end without newline, a range includes the line above and leaves some line.

    The line above shows how the lines of the file end, and a remaining line can lose its newline.
    """
    rows, lines = rows_of(before), rows_of(after)
    hunks = changes(rows, lines)
    if turned and (not hunks or hunks[-1].end < len(rows)):
        hunks.append(Change(len(rows) - 1, len(rows), len(lines) - 1, len(lines)))
    if hunks[-1].end < len(rows) - 1 or (before.endswith("\n") and after.endswith("\n")):
        return hunks
    last = hunks.pop()
    start = max(min(last.start - (last.begin == last.stop), len(rows) - 2), 0)
    while hunks and hunks[-1].end > start:
        last = _joined(hunks.pop(), last)
    above = max(last.start - start, 0)
    return [*hunks, Change(last.start - above, last.end, last.begin - above, last.stop)]


def _widened(rows: Sequence[str], hunks: list[Change]) -> list[Change]:
    """Widen each hunk by the least context that makes it unique; join hunks that have too little context between them.

    The number of joined hunks doubles each time, so that a file of equal lines takes no longer than others.
    """
    file = _File(rows)
    done, todo, joins = list[Change](), hunks[::-1], 1
    while todo:
        hunk = todo.pop()
        low, high = done[-1].end if done else 0, todo[-1].start if todo else len(rows)
        wide = file.widened(hunk, low, high)
        if wide:
            done.append(wide)
            joins = 1
            continue
        for _ in range(min(joins, len(todo))):
            hunk = _joined(hunk, todo.pop())
        for _ in range(min(joins, len(done)) if high == len(rows) else 0):
            hunk = _joined(done.pop(), hunk)
        joins *= 2
        todo.append(hunk)
    return done


def _joined(first: Change, second: Change) -> Change:
    return Change(first.start, second.end, first.begin, second.stop)


class _File:
    """The rows of a file; finds whether a range of rows occurs only once."""

    def __init__(self, rows: Sequence[str]) -> None:
        self.rows = rows
        self.counts = Counter(rows)
        self.text = "".join(row + "\n" for row in rows)
        self.offsets = list(accumulate((len(row) + 1 for row in rows), initial=0))

    def widened(self, hunk: Change, low: int, high: int) -> Change | None:
        """Return the hunk with the fewest lines around it, within [low, high), that make it unique; None if none do."""

        def wider(context: int) -> Change:
            below = min(context // 2, high - hunk.end)
            above = min(context - below, hunk.start - low)
            below = min(context - above, high - hunk.end)
            return Change(hunk.start - above, hunk.end + below, hunk.begin - above, hunk.stop + below)

        def is_unique(context: int) -> bool:
            return self._is_unique(wider(context))

        most, reach = hunk.start - low + high - hunk.end, 0
        while reach < most and not is_unique(reach):
            reach = min(2 * reach + 1, most)
        context = bisect_left(range(reach + 1), 1, key=is_unique)
        return wider(context) if context <= reach else None

    def _is_unique(self, hunk: Change) -> bool:
        """Return whether the rows occur nowhere else as lines, nor as part of lines before them."""
        start, end = self.offsets[hunk.start], self.offsets[hunk.end]
        lines = self.text[start:end]
        if not lines or self.text.find(lines) != start:
            return False
        has_rare = any(self.counts[row] == 1 for row in self.rows[hunk.start : hunk.end])
        return has_rare or self.text.find("\n" + lines, start) < 0
