"""The report of a diff-edit run: what every suite counts is all that it counts."""

from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report
from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Rates with intervals, comparisons, outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    summary = summarize(store, run, edits)
    comparisons = run_comparisons(store, run, edits)
    data = {**summary_data(summary), "comparisons": comparisons.data}
    return Report(data, document(summary, comparisons), summary, comparisons)
