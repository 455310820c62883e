"""The report of a run: its summary, and before it what its suite alone shows."""

from dataclasses import dataclass, fields, replace
from typing import Any

from runner.report.codrep import line_errors, with_line_errors
from runner.report.completion_scores import completion_figures
from runner.report.edit import passing, with_passing
from runner.report.summary import Edits, summarize
from runner.report.tables import Document, document
from runner.store import Row, Store


@dataclass(frozen=True, slots=True)
class Report:
    """One report as data and for people."""

    data: dict[str, Any]
    document: Document


def report_of(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The report of a run; with `edits` only of attempts whose diff had so many blocks."""
    summary = summarize(store, run, edits)
    data = {field.name: getattr(summary, field.name) for field in fields(summary)}
    shown = document(summary)
    if summary.suite == "codrep":
        found = line_errors(store, run, summary.quota)
        shown = with_line_errors(shown, found)
        data["line_errors"] = found
    if summary.suite == "completion":
        figures = completion_figures(store, run)
        shown = replace(shown, tables=(*figures.tables, *shown.tables))
        data["completion"] = figures.data
    if summary.suite == "edit":
        tests = passing(store, summary.run_id)
        shown = with_passing(shown, tests)
        data["tests"] = tests
    return Report(data, shown)
