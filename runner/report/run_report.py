"""The report of a run, as every suite gives it."""

from dataclasses import dataclass, field
from typing import Any

from runner.document import Document
from runner.report.charts import Chart
from runner.report.run_comparisons import RunComparisons
from runner.report.summary import RunSummary


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
