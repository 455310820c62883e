"""The report of a run, as every suite gives it."""

from dataclasses import dataclass, field
from typing import Any

from runner.document import Document
from runner.report.charts import Chart
from runner.report.run_comparisons import RunComparisons, run_comparisons
from runner.report.summary import Edits, RunSummary, summarize, summary_data
from runner.report.tables import document
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a run: as data, for a person, and the figures that pages and gates are made of.

    `charts` show what only this suite has.
    """

    data: dict[str, Any]
    document: Document
    summary: RunSummary
    comparisons: RunComparisons = field(default_factory=RunComparisons)
    charts: tuple[Chart, ...] = ()


def plain_report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Return what every suite counts: rates with intervals, comparisons, outcomes, clocks and cost.

    With `edits` only of attempts of so many blocks, and without comparisons.
    """
    summary = summarize(store, run, edits)
    comparisons = run_comparisons(store, run, edits)
    data = {**summary_data(summary), "comparisons": comparisons.data}
    return Report(data, document(summary, comparisons), summary, comparisons)
