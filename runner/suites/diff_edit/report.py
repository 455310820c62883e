"""The report of a diff-edit run: the plain one, for what every suite counts is all that it counts."""

from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.run.suite import Report
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Rates with intervals, outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    summary = summarize(store, run, edits)
    return Report(summary_data(summary), document(summary))
