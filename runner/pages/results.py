"""What a run found: its verdict, ranking, differences, cost and speed."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.differences import Differences, differences_of
from runner.pages.naming import NamedVariant, headline_of
from runner.pages.ranking import RankTable, ranking_of, verdict
from runner.pages.speed import CostAndSpeed, cost_and_speed
from runner.report.run_report import Report
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class Results:
    """The first sections of a run's page; `verdict` is its sentence."""

    verdict: str
    ranking: RankTable
    differences: Differences
    speed: CostAndSpeed


def results_of(store: Store, run: Row, report: Report, named: Sequence[NamedVariant]) -> Results:
    """Return these sections."""
    figure = headline_of(report.summary)
    return Results(
        verdict(report.summary, named),
        ranking_of(report.summary, named),
        differences_of(report.comparisons.families),
        cost_and_speed(store, run, named, figure),
    )
