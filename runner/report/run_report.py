"""The report of a run, as every suite gives it."""

from dataclasses import dataclass, field, replace
from typing import Any

from runner.document import Document, Table
from runner.report.agent_notes import agent_notes
from runner.report.charts import Chart
from runner.report.kept import kept
from runner.report.run_comparisons import RunComparisons, run_comparisons
from runner.report.summary import Edits, RunSummary, summarize, summary_data
from runner.report.tables import document
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a run: as data, for a person, and the figures that pages and gates are made of.

    `charts` show what only this suite has; `deeper` tables are printed on request.
    """

    data: dict[str, Any]
    document: Document
    summary: RunSummary
    comparisons: RunComparisons = field(default_factory=RunComparisons)
    charts: tuple[Chart, ...] = ()
    deeper: tuple[Table, ...] = ()

    def with_tables(self, *, all_tables: bool) -> Document:
        """The document, with the deeper tables after the others if asked for; else a note that there are some."""
        if not self.deeper:
            return self.document
        if all_tables:
            return replace(self.document, tables=(*self.document.tables, *self.deeper))
        note = f"{len(self.deeper)} more tables ({_names(self.deeper)}): evals report --all-tables"
        return replace(self.document, notes=(*self.document.notes, note))


def _names(tables: tuple[Table, ...]) -> str:
    return ", ".join(table.title.partition(":")[0] for table in tables)


def plain_report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Return what every suite counts: rates with intervals, comparisons, outcomes, clocks and cost.

    With `edits` only of attempts of so many blocks, and without comparisons.
    """
    summary = summarize(store, run, edits)
    comparisons = run_comparisons(store, run, edits)
    data = {**summary_data(summary), "comparisons": comparisons.data}
    return noted(store, run, Report(data, document(summary, comparisons), summary, comparisons))


def noted(store: Store, run: Row, report: Report) -> Report:
    """Return a report with the notes on its coding agents, if it has any."""
    notes = kept(store, run, "agent notes", tuple[str, ...], lambda: tuple(agent_notes(store, run["run_id"])))
    return replace(report, document=replace(report.document, notes=(*report.document.notes, *notes)))
