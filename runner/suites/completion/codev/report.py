"""The report of a run over Codev-Bench's tasks: what was asked; its own scores stand in its files."""

from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report
from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    summary = summarize(store, run, edits)
    comparisons = run_comparisons(store, run, edits)
    data = {**summary_data(summary), "comparisons": comparisons.data}
    return Report(data, document(summary, comparisons), summary, comparisons)
