"""How attempts ended, as bars of a whole: by class, and by the parts that a suite names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.pages.naming import NamedVariant
from runner.report.charts import Shares
from runner.report.class_counts import ClassCounts

WIDTH = 360
# A glyph stands in a part that is at least so wide.
_ROOM = 16


@dataclass(frozen=True, slots=True)
class ClassMark:
    """A class of the view `classes`: its CSS class, its glyph, and what it means."""

    style: str
    glyph: str
    meaning: str


CLASSES: Mapping[str, ClassMark] = {
    "right": ClassMark("right", "\u2713", "right"),
    "applied ?": ClassMark("unknown", "?", "applied, nothing decides whether right"),
    "untested": ClassMark("unknown", "?", "untested"),
    "wrong": ClassMark("wrong", "\u2260", "wrong: another result than the expected"),
    "failed": ClassMark("refused", "\u2715", "refused: the edit was not applied"),
    "invalid": ClassMark("invalid", "\u2205", "invalid: no usable call, asked again"),
}
INFRASTRUCTURE = ClassMark("infra", "\u2026", "infrastructure, in no rate")


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of a bar, in pixels."""

    style: str
    glyph: str
    start: float
    width: float
    title: str


@dataclass(frozen=True, slots=True)
class BarRow:
    """A bar, its names, and the counts beside it."""

    label: str
    context: str
    simulated: bool
    parts: tuple[BarPart, ...]
    counts: tuple[int, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars with a legend; `columns` head the counts."""

    title: str
    sentence: str
    legend: tuple[ClassMark, ...]
    columns: tuple[str, ...]
    rows: tuple[BarRow, ...]


def outcome_bars(named: Sequence[NamedVariant], counts: ClassCounts) -> Bars:
    """Return the share of each class among the attempts of each variant; infrastructure is counted apart."""
    totals = [counts.totals(variant.key) for variant in named]
    present = [name for name in CLASSES if any(total[name] for total in totals)]
    rows = []
    for variant, total in zip(named, totals, strict=True):
        numbers = [total[name] for name in present]
        parts = _parts(numbers, [CLASSES[name] for name in present])
        context = variant.summary.diff_algorithm or variant.summary.parser
        counted = (*numbers, total["infrastructure"])
        rows.append(BarRow(variant.label, context, variant.summary.simulated, parts, counted, sum(numbers)))
    legend = tuple(dict.fromkeys(CLASSES[name] for name in present))
    sentence = "Share of all scored attempts, invalid ones included; scorings that crashed are counted apart."
    return Bars("Outcomes", sentence, legend, (*present, "crashed"), tuple(rows))


def share_bars(shares: Shares) -> Bars:
    """Return the bars of counts that a suite gives; as many parts as there are styles for."""
    marks = [ClassMark(f"part{number % 4}", name[:1], name) for number, name in enumerate(shares.parts)]
    rows = tuple(
        BarRow(row.label, "", False, _parts(row.counts, marks), row.counts, sum(row.counts))  # noqa: FBT003 - a field
        for row in shares.rows
    )
    return Bars(shares.title, shares.note, tuple(marks), shares.parts, rows)


def _parts(counts: Sequence[int], marks: Sequence[ClassMark]) -> tuple[BarPart, ...]:
    total, start = sum(counts), 0.0
    parts = []
    for count, mark in zip(counts, marks, strict=True):
        if count:
            width = WIDTH * count / total
            glyph = mark.glyph if width >= _ROOM else ""
            title = f"{mark.meaning}: {count} of {total}, {100 * count / total:.1f} %"
            parts.append(BarPart(mark.style, glyph, round(start, 1), round(width, 1), title))
            start += width
    return tuple(parts)
