"""The report of a diff-edit run: what every suite counts, and its edit tools by model where it has several."""

from dataclasses import replace

from runner.report.agent_notes import agent_notes
from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.report.tool_matrix import tool_figures, tool_table
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Rates with intervals, comparisons, outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    plain = _with_notes(plain_report(store, run, edits), tuple(agent_notes(store, run["run_id"])))
    tools = {
        (variant.sut, variant.prompt, variant.parser, variant.diff_algorithm): variant.edit_tool
        for variant in variants_on_record(store, run["run_id"])
    }
    figures = tool_figures(plain.summary.variants, tools)
    if not figures:
        return plain
    results, *others = plain.document.tables
    document = replace(plain.document, tables=(results, tool_table(figures), *others))
    return replace(plain, data={**plain.data, "edit_tools": [row.data for row in figures]}, document=document)


def _with_notes(report: Report, notes: tuple[str, ...]) -> Report:
    document = replace(report.document, notes=(*report.document.notes, *notes))
    return replace(report, document=document)
