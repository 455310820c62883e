"""The difference of two files as `diff -u` prints it: few changed lines, each run as low as it can stand."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

CONTEXT = 3
NO_END = "\\ No newline at end of file"


@dataclass(slots=True)
class ChangedRun:
    """Lines `start` to `end` of the first file that lines `other_start` to `other_end` of the second replace."""

    start: int
    end: int
    other_start: int
    other_end: int

    @property
    def is_pure(self) -> bool:
        """Whether lines are added alone, or removed alone."""
        return self.start == self.end or self.other_start == self.other_end


@dataclass(frozen=True, slots=True)
class UnifiedLine:
    """A line of a difference: `sign` is a blank, - or +, or @ for the head of a part; numbers are 1-based."""

    sign: str
    text: str
    before: int | None = None
    after: int | None = None

    @property
    def printed(self) -> str:
        """The line as `diff -u` prints it."""
        return self.text if self.sign in "@\\" else f"{self.sign}{self.text}"


def unified(before: str, after: str) -> tuple[UnifiedLine, ...]:
    """Return the lines of the difference without the two that name the files; () where the files are equal."""
    old, new = _lines(before), _lines(after)
    return tuple(line for hunk in _hunks(_runs(old, new)) for line in _hunk_lines(old, new, hunk))


def _lines(text: str) -> list[str]:
    """Return the lines with their ends: a last one without an end differs from the same with one."""
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _runs(old: Sequence[str], new: Sequence[str]) -> list[ChangedRun]:
    """Return the runs of changed lines of a longest common subsequence."""
    from rapidfuzz.distance import LCSseq

    # Hashes alone are compared, and two lines may have the same: so each distinct line gets a number.
    numbers: dict[str, int] = {}
    first, second = ([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (old, new))
    runs: list[ChangedRun] = []
    for edit in LCSseq.opcodes(first, second):
        if edit.tag == "equal":
            continue
        last = runs[-1] if runs else None
        if last and (last.end, last.other_end) == (edit.src_start, edit.dest_start):
            last.end, last.other_end = edit.src_end, edit.dest_end
        else:
            runs.append(ChangedRun(edit.src_start, edit.src_end, edit.dest_start, edit.dest_end))
    return _slid(runs, first, second)


def _slid(runs: Sequence[ChangedRun], old: Sequence[int], new: Sequence[int]) -> list[ChangedRun]:
    """Return the runs with those of one kind moved: up to the run above if they can meet it, else down to the end.

    Runs that meet become one.
    """
    slid: list[ChangedRun] = []
    for at, run in enumerate(runs):
        above = slid[-1] if slid else None
        room = _room(run, old, new, -1, run.start - above.end) if above else 0
        if above and room == run.start - above.end:
            _move(run, -room)
            above.end, above.other_end = run.end, run.other_end
            continue
        end = runs[at + 1].start if at + 1 < len(runs) else len(old)
        _move(run, _room(run, old, new, 1, end - run.end))
        slid.append(run)
    return _joined(slid)


def _joined(runs: Sequence[ChangedRun]) -> list[ChangedRun]:
    joined: list[ChangedRun] = []
    for run in runs:
        if joined and (joined[-1].end, joined[-1].other_end) == (run.start, run.other_start):
            joined[-1].end, joined[-1].other_end = run.end, run.other_end
        else:
            joined.append(run)
    return joined


def _room(run: ChangedRun, old: Sequence[int], new: Sequence[int], step: int, most: int) -> int:
    """Return by how many lines, at most so many, a run of one kind can move without a change of the difference."""
    if not run.is_pure:
        return 0
    lines, start, end = (new, run.other_start, run.other_end) if run.start == run.end else (old, run.start, run.end)
    first, last = (start, end) if step > 0 else (end - 1, start - 1)
    room = 0
    while room < most and lines[first + step * room] == lines[last + step * room]:
        room += 1
    return room


def _move(run: ChangedRun, by: int) -> None:
    run.start += by
    run.end += by
    run.other_start += by
    run.other_end += by


def _hunks(runs: Sequence[ChangedRun]) -> Iterator[list[ChangedRun]]:
    """Yield the runs that stand in one part: no more lines lie between them than their contexts have."""
    hunk: list[ChangedRun] = []
    for run in runs:
        if hunk and run.start - hunk[-1].end > 2 * CONTEXT:
            yield hunk
            hunk = []
        hunk.append(run)
    if hunk:
        yield hunk


def _hunk_lines(old: Sequence[str], new: Sequence[str], runs: Sequence[ChangedRun]) -> Iterator[UnifiedLine]:
    first, last = runs[0], runs[-1]
    lead, trail = min(CONTEXT, first.start), min(CONTEXT, len(old) - last.end)
    ranges = (
        _range(first.start - lead, last.end + trail),
        _range(first.other_start - lead, last.other_end + trail),
    )
    yield UnifiedLine("@", f"@@ -{ranges[0]} +{ranges[1]} @@")
    at, shift = first.start - lead, first.other_start - first.start
    for run in runs:
        for number in range(at, run.start):
            yield from _line(" ", old[number], number, number + shift)
        for number in range(run.start, run.end):
            yield from _line("-", old[number], number, None)
        for number in range(run.other_start, run.other_end):
            yield from _line("+", new[number], None, number)
        at, shift = run.end, run.other_end - run.end
    for number in range(at, last.end + trail):
        yield from _line(" ", old[number], number, number + shift)


def _range(start: int, end: int) -> str:
    """Return where lines stand: the first and their number, which is left out where it is 1."""
    if end - start == 1:
        return f"{end}"
    return f"{start if start == end else start + 1},{end - start}"


def _line(sign: str, line: str, before: int | None, after: int | None) -> Iterator[UnifiedLine]:
    numbers = (None if number is None else number + 1 for number in (before, after))
    yield UnifiedLine(sign, line.removesuffix("\n"), *numbers)
    if not line.endswith("\n"):
        yield UnifiedLine("\\", NO_END)
