"""Comparisons of variants as a forest: each difference with its interval, and the sentence that it allows."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.axes import Tick, linear_axis, linear_ticks
from runner.pages.intervals import WIDTH, Whisker, whisker
from runner.report.comparison_tables import comparison_data, comparison_notes, comparison_tables
from runner.report.pairs import Family
from runner.stats.intervals import Interval

MOST_ROWS = 60


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """One comparison: first - second, and what it says."""

    names: str
    context: str
    whisker: Whisker | None
    difference: str
    p_value: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DifferenceForest:
    """The comparisons by one dimension, on one axis; `zero` is the pixel of no difference."""

    title: str
    unit: str
    ticks: tuple[Tick, ...]
    zero: float
    rows: tuple[DifferenceRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class Differences:
    """All comparisons; `note` says why there is none."""

    forests: tuple[DifferenceForest, ...]
    notes: tuple[str, ...] = ()
    note: str = ""


def differences_of(families: Sequence[Family], notes: Sequence[str] = ()) -> Differences:
    """Return the comparisons; `notes` are those of the comparison as a whole."""
    filled = [family for family in families if family.pairs]
    if not filled:
        return Differences(
            (),
            tuple(notes),
            "" if notes else "Nothing to compare: one variant, or none that differ in one dimension alone.",
        )
    forests = tuple(map(_forest, filled))
    sentences = {row.sentence for forest in forests for row in forest.rows}
    caution = [note for note in comparison_notes(families) if note not in sentences]
    return Differences(forests, (*caution, *notes))


def _forest(family: Family) -> DifferenceForest:
    (table,) = comparison_tables([family])
    data = comparison_data([family])
    factor = 100 if family.pairs[0].shares else 1
    pairs = list(zip(family.pairs, table.rows, data, strict=True))[:MOST_ROWS]
    intervals = [_times(factor, pair.difference.interval) for pair, _, _ in pairs]
    axis = linear_axis([end for interval in intervals for end in (interval.low, interval.high)], 8, WIDTH - 8)
    rows = []
    for (pair, cells, facts), interval in zip(pairs, intervals, strict=True):
        by_name = dict(zip(table.columns, cells, strict=True))
        difference = by_name[f"{'points' if family.pairs[0].shares else 'difference'} [95 %]"]
        drawn = whisker(interval, axis, difference, filled=pair.differs)
        context, p_value = by_name.get("at", ""), by_name["p"]
        rows.append(DifferenceRow(cells[0], context, drawn, difference, p_value, facts["sentence"]))
    unit = "points" if factor == 100 else family.metric
    left_out = len(family.pairs) - len(rows)
    return DifferenceForest(table.title, unit, linear_ticks(axis, "{:+g}"), axis.at(0), tuple(rows), left_out)


def _times(factor: float, interval: Interval) -> Interval:
    return Interval(*(factor * value for value in (interval.estimate, interval.low, interval.high)))
