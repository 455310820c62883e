"""How the attempts of a run ended: outcomes, causes, flips between algorithms, cases, and the failures themselves."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.causes import Causes, causes_of
from runner.pages.failures import Failures, failures_of
from runner.pages.heat_map import HeatMap, heat_map
from runner.pages.mosaics import Mosaics, mosaics_of
from runner.pages.naming import NamedVariant, headline_of
from runner.pages.outcomes import Bars, outcome_bars
from runner.report.class_counts import class_counts
from runner.report.comparisons import compare
from runner.report.run_report import Report
from runner.storage.runs import find_run
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class Endings:
    """The middle sections of a run's page."""

    outcomes: Bars
    causes: Causes
    mosaics: Mosaics
    cases: HeatMap
    failures: Failures


def endings_of(store: Store, run: Row, report: Report, named: Sequence[NamedVariant], most_failures: int) -> Endings:
    """Return these sections, with at most so many failures."""
    counts = class_counts(store, run)
    replayed = compare(store, find_run(store, run["replay_of"]), run["run_id"]) if run["replay_of"] else ()
    return Endings(
        outcome_bars(named, counts),
        causes_of(store, run, named, counts),
        mosaics_of(run["run_id"], report.comparisons.families, replayed),
        heat_map(named, counts, headline_of(report.summary)),
        failures_of(store, run, named, counts, most_failures),
    )
