"""The report of a diff-edit run: what every suite counts, its edit tools by model, its turns after refusals."""

from dataclasses import replace
from functools import partial
from typing import Any

from runner.document import Table
from runner.report.collateral import collateral_of
from runner.report.run_report import Report, plain_report
from runner.report.summary import Edits
from runner.report.tool_matrix import tool_figures, tool_table
from runner.report.turns import turn_figures, turn_table
from runner.run.variants import variants_on_record
from runner.storage.store import Row, Store


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """Rates with intervals, comparisons, outcomes, clocks and cost; with `edits` only of attempts of so many blocks."""
    plain = plain_report(store, run, edits)
    tools = {
        (variant.sut, variant.prompt, variant.parser, variant.diff_algorithm): variant.edit_tool
        for variant in variants_on_record(store, run["run_id"])
    }
    figures = tool_figures(plain.summary.variants, tools, partial(collateral_of, store, run))
    tables, data = list[Table](), dict[str, Any]()
    if figures:
        tables.append(tool_table(figures))
        data["edit_tools"] = [row.data for row in figures]
    # Attempts that were chosen by their blocks have other turns than those of the run.
    if edits is None and (turns := turn_figures(store, run)):
        tables.append(turn_table(turns))
        data["turns"] = [row.data for row in turns]
    if not tables:
        return plain
    results, *others = plain.document.tables
    document = replace(plain.document, tables=(results, *tables, *others))
    return replace(plain, data={**plain.data, **data}, document=document)
