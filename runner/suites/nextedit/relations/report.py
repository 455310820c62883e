"""The report of a run about pairs of edits: the plain one."""

from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report
from runner.report.summary import Edits, summarize, summary_data
from runner.report.tables import document
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """How many answers name a relation, and, where people were asked too, how many agree; clocks and cost."""
    summary = summarize(store, run, edits)
    comparisons = run_comparisons(store, run, edits)
    data = {**summary_data(summary), "comparisons": comparisons.data}
    return Report(data, document(summary, comparisons), summary, comparisons)
