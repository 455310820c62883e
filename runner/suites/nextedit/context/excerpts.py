"""Which lines of files are shown where not all fit: around the edits made, then those that have most to do with them.

No file is hidden whole: each shows some lines while there is room for a few of each.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.context.ranking import Window

# What is shown: {path: spans of lines, ascending, none of them adjacent}; an empty file has no span.
View = Mapping[str, tuple[Span, ...]]

# Lines shown on either side of an edit that was made, and of a place that is given.
AROUND = 10
# At least so many lines of every file are shown before further lines of any.
FIRST_LINES = 8
# What a file takes beside its path and lines, and what a span of lines does: its numbers, and those left out before it.
_HEADING, _GAP = 100, 60


@dataclass(slots=True)
class _Chosen:
    """Lines that were chosen so far, and the characters that are left."""

    lines: Mapping[str, tuple[str, ...]]
    left: int
    shown: dict[str, set[int]] = field(default_factory=dict)

    def take(self, window: Window) -> bool:
        """Add the lines of a window if they fit; return whether they do."""
        chosen = self.shown.get(window.path)
        new = [at for at in range(window.span.start, window.span.end) if chosen is None or at not in chosen]
        lines = self.lines[window.path]
        size = sum(len(lines[at]) for at in new) + _GAP if new or chosen is None else 0
        size += len(window.path) + _HEADING if chosen is None else 0
        if size > self.left:
            return False
        self.left -= size
        self.shown.setdefault(window.path, set()).update(new)
        return True

    @property
    def view(self) -> View:
        """The lines as spans."""
        return {path: tuple(_spans(lines)) for path, lines in self.shown.items()}


def whole(texts: Mapping[str, str]) -> View:
    """Return the view of all lines."""
    return {path: (Span(0, len(split_lines(text))),) if text else () for path, text in texts.items()}


def size_of(texts: Mapping[str, str]) -> int:
    """Return how many characters files take that are shown whole."""
    return sum(len(path) + len(text) + _HEADING for path, text in texts.items())


def excerpts(
    texts: Mapping[str, str],
    places: Sequence[Window],
    ranked: Callable[[], Sequence[Window]],
    characters: int,
    *,
    every_file: bool = True,
) -> View:
    """Return what is shown of files in at most so many characters.

    - `places` come first, with the lines around them, those of the last first in the list.
    - `ranked` gives windows of the files, the most important first; it is called if not all is shown.
    - With `every_file` each file shows some of its lines before further ones of any do, while they fit.
    """
    if every_file and size_of(texts) <= characters:
        return whole(texts)
    lines = {path: split_lines(text) for path, text in texts.items()}
    chosen = _Chosen(lines, characters)
    windows = list(ranked())
    if every_file:
        for window in _first_lines(texts, windows):
            chosen.take(window)
    for place in places:
        chosen.take(_around(place, len(lines[place.path])))
    for window in windows:
        chosen.take(window)
    return chosen.view


def _first_lines(texts: Mapping[str, str], windows: Iterable[Window]) -> Iterator[Window]:
    """Yield the first lines of the best window of each file; an empty file has an empty one."""
    best: dict[str, Window] = {}
    for window in windows:
        best.setdefault(window.path, window)
    for path in texts:
        span = best[path].span if path in best else Span(0, 0)
        yield Window(path, Span(span.start, min(span.end, span.start + FIRST_LINES)))


def _around(place: Window, lines: int) -> Window:
    return Window(place.path, Span(max(0, place.span.start - AROUND), min(lines, place.span.end + AROUND)))


def _spans(lines: Iterable[int]) -> Iterator[Span]:
    """Yield the runs of consecutive numbers."""
    for _, run in groupby(enumerate(sorted(lines)), key=lambda row: row[1] - row[0]):
        numbers = [number for _, number in run]
        yield Span(numbers[0], numbers[-1] + 1)
