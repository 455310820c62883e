"""The report of a run over Codev-Bench's tasks: what was asked; its own scores stand in its files."""

from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    return plain_report(store, run, edits)
