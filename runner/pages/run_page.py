"""Everything that a page shows, as one view."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.document import Table
from runner.pages.charts import SuiteCharts, suite_charts
from runner.pages.differences import Differences, differences_of
from runner.pages.endings import Endings, endings_of
from runner.pages.method import Method, method_of
from runner.pages.naming import named_variants
from runner.pages.results import Results, results_of
from runner.report.compared_runs import compared_runs
from runner.report.run_report import Report
from runner.storage.store import Row, Store

MOST_FAILURES = 200
_BY = "model,prompt,parser,algorithm,edit-tool,run"


@dataclass(frozen=True, slots=True)
class RunPage:
    """One run, section by section; `anchor` begins the ids of its sections."""

    anchor: str
    run_id: str
    suite: str
    name: str
    created_at: str
    state: str
    simulated: str
    results: Results
    endings: Endings
    charts: SuiteCharts
    tables: tuple[Table, ...]
    method: Method


@dataclass(frozen=True, slots=True)
class Page:
    """The whole page: its runs, and the comparisons between them where there are several."""

    title: str
    simulated: bool
    runs: tuple[RunPage, ...]
    across: Differences | None


def page_of(store: Store, reports: Sequence[tuple[Row, Report]], cluster: str = "") -> Page:
    """Return the page of one or more runs of a suite, which share the failures that are embedded.

    Raises InputError for several runs of different suites.
    """
    most = MOST_FAILURES // len(reports)
    runs = tuple(
        _run_page(store, run, report, f"r{number}-" if len(reports) > 1 else "", most)
        for number, (run, report) in enumerate(reports, 1)
    )
    ids = ", ".join(page.run_id for page in runs)
    simulated = any(report.summary.simulated for _, report in reports)
    title = f"{runs[0].suite} {'runs' if len(runs) > 1 else 'run'} {ids}{' (simulated)' if simulated else ''}"
    return Page(title, simulated, runs, _across(store, [run for run, _ in reports], cluster))


def _across(store: Store, runs: Sequence[Row], cluster: str) -> Differences | None:
    if len(runs) < 2:
        return None
    compared = compared_runs(store, runs, _BY, [], cluster)
    return differences_of(compared.families, compared.notes)


def _run_page(store: Store, run: Row, report: Report, anchor: str, most_failures: int) -> RunPage:
    named = named_variants(report.summary, report.comparisons)
    return RunPage(
        anchor=anchor,
        run_id=run["run_id"],
        suite=run["suite"],
        name=run["name"] or "",
        created_at=run["created_at"][:19],
        state=run["state"],
        simulated=_simulated(report),
        results=results_of(store, run, report, named),
        endings=endings_of(store, run, report, named, most_failures),
        charts=suite_charts(report.charts),
        tables=report.document.tables,
        method=method_of(store, run, report.summary, report.document.notes),
    )


def _simulated(report: Report) -> str:
    """Return the banner of a run with simulated models; "" without any."""
    variants = report.summary.variants
    names = {variant.sut for variant in variants if variant.simulated}
    if not names:
        return ""
    if all(variant.simulated for variant in variants):
        return (
            "All models of this run are simulated: no number is a real model's. They cost $0; output tokens stand in "
            "for cost."
        )
    return f"Simulated, and so no real model's numbers: {', '.join(sorted(names))}."
