"""The ranking of a run's variants, and the sentence at the head of its page."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.axes import Tick
from runner.pages.intervals import PERCENT, Whisker, percent_ticks, whisker
from runner.pages.naming import Headline, NamedVariant, headline_of, plotted
from runner.report.summary import RunSummary
from runner.report.tables import estimate, full_name, listed, percent, usd

_FEW_CASES = 10
# Variants that the sentence names.
_NAMED = 5


@dataclass(frozen=True, slots=True)
class RankRow:
    """One variant: its rates in per cent, the median time to its first edit, and what a valid attempt costs."""

    rank: str
    model: str
    simulated: bool
    prompt: str
    diff: str
    same_answers: bool
    whisker: Whisker | None
    figure: str
    ends: str
    wrong: str
    applied: str
    valid: str
    attempts: int
    cases: int
    first_edit: str
    cost: str


@dataclass(frozen=True, slots=True)
class RankTable:
    """The table of variants; `figure` is what they are ranked by."""

    figure: str
    meaning: str
    ticks: tuple[Tick, ...]
    rows: tuple[RankRow, ...]
    has_ties: bool
    note: str


def ranking_of(summary: RunSummary, named: Sequence[NamedVariant]) -> RankTable:
    """Return the ranking; it states where cases are few."""
    figure = headline_of(summary)
    rows = tuple(_row(variant, figure) for variant in named)
    few = any(0 < row.cases < _FEW_CASES for row in rows)
    note = f"Fewer than {_FEW_CASES} cases: too few to show any but the largest differences." if few else ""
    ties = any(row.rank.endswith("=") for row in rows)
    return RankTable(figure.name, figure.meaning, percent_ticks(), rows, ties, note)


def verdict(summary: RunSummary, named: Sequence[NamedVariant]) -> str:
    """Return the sentence that says which model is best, or to which others no difference is shown.

    Compared are the first variants of each model and prompt; real and simulated models never with each other.
    """
    figure = headline_of(summary)
    known = [(variant, interval) for variant in plotted(named) if (interval := figure.of(variant.summary)) is not None]
    if not known:
        return "No valid attempt is on record: there is nothing to rank."
    best, interval = max(known, key=lambda pair: pair[1].estimate)
    name = full_name(best.summary)
    rates = f"{percent(interval)} of its valid attempts, {best.summary.cases} cases"
    others = [variant for variant, _ in known if variant is not best]
    if not others:
        return f"{name} is {figure.name} in {rates}."
    alike = [variant for variant in others if _place(variant) <= _place(best)]
    if not alike:
        return f"{name} is {figure.name} most often: {rates}; more often than each of {len(others)} others."
    names = listed([variant.label for variant in alike], _NAMED)
    return f"{name} has the highest point: {figure.name} in {rates}. No difference shown to {names}."


def _place(variant: NamedVariant) -> int:
    """Return the rank as a number; 0 where nothing is ranked."""
    return int(variant.rank.rstrip("=") or 0)


def _row(variant: NamedVariant, figure: Headline) -> RankRow:
    summary = variant.summary
    interval = figure.of(summary)
    name = f"{figure.name} {percent(interval)}"
    clock = summary.clocks.get("first_edit_ms")
    return RankRow(
        rank=variant.rank,
        model=summary.sut,
        simulated=summary.simulated,
        prompt=summary.prompt,
        diff=summary.diff_algorithm or summary.parser,
        same_answers=not variant.first,
        whisker=whisker(interval, PERCENT, name, filled=variant.first),
        figure=estimate(interval),
        ends=f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]" if interval else "-",
        wrong=estimate(summary.wrong),
        applied=estimate(summary.applied),
        valid=estimate(summary.valid_rate),
        attempts=summary.valid,
        cases=summary.cases,
        first_edit=f"{clock.median:,.0f}" if clock else "-",
        cost=usd(summary.usd_per_valid, simulated=summary.simulated),
    )
