"""The report of a diff-edit run: what every suite counts is all that it counts."""

from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Rates with intervals, comparisons, outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    return plain_report(store, run, edits)
