"""The report of a run: its summary, and before it what its suite alone shows."""

from dataclasses import dataclass, fields, replace
from typing import Any

from runner.document import Document
from runner.report.summary import Edits, summarize
from runner.report.tables import document
from runner.storage.store import Row, Store
from runner.suites.codrep.report import line_errors, with_line_errors
from runner.suites.completion.report import completion_figures, with_figures
from runner.suites.edit.report import passing, with_passing


@dataclass(frozen=True, slots=True)
class Report:
    """One report as data and for people."""

    data: dict[str, Any]
    document: Document


def report_of(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The report of a run; with `edits` only of attempts whose diff had so many blocks."""
    summary = summarize(store, run, edits)
    figures = completion_figures(store, run) if summary.suite == "completion" else None
    summary = with_figures(summary, figures) if figures else summary
    data = {field.name: getattr(summary, field.name) for field in fields(summary)}
    shown = document(summary)
    if summary.suite == "codrep":
        found = line_errors(store, run, summary.quota)
        shown = with_line_errors(shown, found)
        data["line_errors"] = found
    if figures:
        shown = replace(shown, tables=(*figures.tables, *shown.tables))
        data["completion"] = figures.data
    if summary.suite == "edit":
        tests = passing(store, summary.run_id)
        shown = with_passing(shown, tests)
        data["tests"] = tests
    return Report(data, shown)
