"""Windows of lines that the locator labels, and the places that its labels make together."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from runner.suites.nextedit.systems.trace.gate import Service
from runner.suites.nextedit.systems.trace.wording import DELETE, INSERT, KEEP, NULL, REPLACE, SPLIT, LabelledLines

# How sure the locator has to be of what changes something; else the line is kept, or the gap left empty.
LEAST = {INSERT: 0.90, REPLACE: 0.50, DELETE: 0.97, SPLIT: 0.97}
_LINES, _TOKENS, _ABOVE, _BELOW, _CONTEXT = 10, 512, 3, 5, 3
Label = tuple[str, float]


@dataclass(frozen=True, slots=True)
class LineWindow:
    """Lines of a file from a 0-based one on."""

    path: str
    start: int
    lines: tuple[str, ...]


@dataclass(slots=True)
class Labels:
    """The labels of a file's lines and gaps, as far as they are known, with their probabilities."""

    lines: dict[int, Label] = field(default_factory=dict)
    gaps: dict[int, Label] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TargetLines:
    """A run of lines to be replaced, or with `lines` empty a gap to be filled, with labels and surroundings."""

    path: str
    start: int
    lines: tuple[str, ...]
    confidence: float
    window: LabelledLines


def windows_over(path: str, lines: Sequence[str], tokens: Sequence[int]) -> Iterator[LineWindow]:
    """All lines of a file, ten at a time or as many as fit; `tokens` is how long each is for the locator."""
    start = 0
    while start < len(lines):
        size = min(_LINES, len(lines) - start)
        while size > 1 and 3 + 2 * size + sum(tokens[start : start + size]) >= _TOKENS:
            size -= 1
        yield LineWindow(path, start, tuple(lines[start : start + size]))
        start += size


def windows_around(path: str, lines: Sequence[str], places: Iterable[tuple[int, int]]) -> Iterator[LineWindow]:
    """The places (start, end) of a file with three lines above and five below; none twice."""
    beyond = 0
    for start, end in sorted(places):
        low, high = max(beyond, start - _ABOVE), min(len(lines), end + _BELOW)
        if low < high:
            yield LineWindow(path, low, tuple(lines[low:high]))
            beyond = high


def take(labels: Labels, window: LineWindow, marks: Sequence[Mapping[str, float]]) -> None:
    """Add what the locator says of a window: a mark for each gap and each line by turns. Raises ValueError."""
    if len(marks) != 2 * len(window.lines) + 1:
        raise ValueError(f"{len(marks)} labels for {len(window.lines)} lines; there are to be two a line and one")
    for at, mark in enumerate(marks):
        place = window.start + at // 2
        if at % 2:
            labels.lines[place] = _label(mark, KEEP)
        else:
            label = _label(mark, NULL)
            # Where two windows meet the surer one is right.
            if place not in labels.gaps or labels.gaps[place][1] <= label[1]:
                labels.gaps[place] = label


def _label(mark: Mapping[str, float], otherwise: str) -> Label:
    known = (KEEP, REPLACE, DELETE) if otherwise == KEEP else (NULL, INSERT, SPLIT)
    label = max(known, key=lambda name: mark.get(name, 0.0))
    sure = mark.get(label, 0.0)
    return (label, sure) if label == otherwise or sure >= LEAST[label] else (otherwise, mark.get(otherwise, 0.0))


def locations(path: str, lines: Sequence[str], labels: Labels, service: Service) -> Iterator[TargetLines]:
    """Runs of lines that are not kept, and insertions that stand alone; certain where a service found them."""
    runs = list(_runs(sorted(at for at, (label, _) in labels.lines.items() if label != KEEP)))
    for start, end in runs:
        acting = [labels.lines[at][1] for at in range(start, end)]
        acting += [sure for at in range(start, end + 1) if (sure := _acting(labels, at))]
        yield _located(path, lines, labels, (start, end), _sureness(acting, service))
    touched = {at for start, end in runs for at in range(start, end + 1)}
    for at, (label, sure) in sorted(labels.gaps.items()):
        if label == INSERT and at not in touched:
            yield _located(path, lines, labels, (at, at), _sureness([sure], service))


def _acting(labels: Labels, at: int) -> float:
    label, sure = labels.gaps.get(at, (NULL, 0.0))
    return 0.0 if label == NULL else sure


def _sureness(probabilities: Sequence[float], service: Service) -> float:
    return 1.0 if service is not Service.NORMAL else sum(probabilities) / len(probabilities)


def _runs(places: Sequence[int]) -> Iterator[tuple[int, int]]:
    start = None
    for at, following in zip(places, [*places[1:], -1], strict=False):
        start = at if start is None else start
        if following != at + 1:
            yield start, at + 1
            start = None


def _located(path: str, lines: Sequence[str], labels: Labels, place: tuple[int, int], sureness: float) -> TargetLines:
    start, end = place
    inside = [labels.lines[at][0] for at in range(start, end)]
    gaps = [labels.gaps.get(at, (NULL, 0.0))[0] for at in range(start, end + 1)]
    return TargetLines(path, start, tuple(lines[start:end]), sureness, labelled(lines, place, inside, gaps))


def labelled(
    lines: Sequence[str], place: tuple[int, int], line_labels: Sequence[str], gap_labels: Sequence[str]
) -> LabelledLines:
    """A place with its labels, between up to three lines that are kept on either side."""
    start, end = place
    low, high = max(0, start - _CONTEXT), min(len(lines), end + _CONTEXT)
    return LabelledLines(
        lines=tuple(lines[low:high]),
        line_labels=(*[KEEP] * (start - low), *line_labels, *[KEEP] * (high - end)),
        gap_labels=(*[NULL] * (start - low), *gap_labels, *[NULL] * (high - end)),
    )
