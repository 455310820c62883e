"""The report of a run about pairs of edits: the plain one."""

from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """How many answers name a relation, and, where people were asked too, how many agree; clocks and cost."""
    return plain_report(store, run, edits)
