"""Which lines of files are shown where not all fit: around the edits made, then those that have most to do with them.

No file is hidden whole: each shows some lines while there is room for a few of each.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from runner.suites.nextedit.commits import Span, split_lines
from runner.suites.nextedit.context.ranking import Passage

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
    visible: dict[str, set[int]] = field(default_factory=dict)

    def take(self, passage: Passage) -> bool:
        """Add the lines of a passage if they fit; return whether they do."""
        chosen = self.visible.get(passage.path)
        new = [at for at in range(passage.span.start, passage.span.end) if chosen is None or at not in chosen]
        lines = self.lines[passage.path]
        size = sum(len(lines[at]) for at in new) + _GAP if new or chosen is None else 0
        size += len(passage.path) + _HEADING if chosen is None else 0
        if size > self.left:
            return False
        self.left -= size
        self.visible.setdefault(passage.path, set()).update(new)
        return True

    @property
    def view(self) -> View:
        """The lines as spans."""
        return {path: tuple(_spans(lines)) for path, lines in self.visible.items()}


def whole(texts: Mapping[str, str]) -> View:
    """Return the view of all lines."""
    return {path: (Span(0, len(split_lines(text))),) if text else () for path, text in texts.items()}


def size_of(texts: Mapping[str, str]) -> int:
    """Return how many characters files take that are shown whole."""
    return sum(len(path) + len(text) + _HEADING for path, text in texts.items())


def excerpts(
    texts: Mapping[str, str],
    places: Sequence[Passage],
    ranked: Callable[[], Sequence[Passage]],
    characters: int,
    *,
    every_file: bool = True,
) -> View:
    """Return what is shown of files in at most so many characters.

    - `places` come first, with the lines around them, those of the last first in the list.
    - `ranked` gives passages of the files, the most important first; it is called if not all is shown.
    - With `every_file` each file shows some of its lines before further ones of any do, while they fit.
    """
    if every_file and size_of(texts) <= characters:
        return whole(texts)
    lines = {path: split_lines(text) for path, text in texts.items()}
    chosen = _Chosen(lines, characters)
    passages = list(ranked())
    if every_file:
        for passage in _first_lines(texts, places, passages):
            chosen.take(passage)
    for place in places:
        chosen.take(_around(place, len(lines[place.path])))
    for passage in passages:
        chosen.take(passage)
    return chosen.view


def _first_lines(texts: Mapping[str, str], places: Iterable[Passage], passages: Iterable[Passage]) -> Iterator[Passage]:
    """Yield a few lines of each file: at its first place, or else where its best passage begins."""
    above = FIRST_LINES // 2
    at_places = (
        Passage(place.path, Span(max(0, place.span.start - above), len(split_lines(texts[place.path]))))
        for place in places
    )
    best: dict[str, Passage] = {}
    for passage in (*at_places, *passages):
        best.setdefault(passage.path, passage)
    for path in texts:
        span = best[path].span if path in best else Span(0, 0)
        yield Passage(path, Span(span.start, min(span.end, span.start + FIRST_LINES)))


def _around(place: Passage, lines: int) -> Passage:
    return Passage(place.path, Span(max(0, place.span.start - AROUND), min(lines, place.span.end + AROUND)))


def _spans(lines: Iterable[int]) -> Iterator[Span]:
    """Yield the runs of consecutive numbers."""
    for _, run in groupby(enumerate(sorted(lines)), key=lambda row: row[1] - row[0]):
        numbers = [number for _, number in run]
        yield Span(numbers[0], numbers[-1] + 1)
