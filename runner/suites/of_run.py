"""The report of a run: its summary, and before it what its suite alone shows."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from runner.console import say
from runner.document import Document
from runner.errors import InputError
from runner.json_texts import stored_json
from runner.report.summary import Edits, RunSummary, VariantSummary, summarize
from runner.report.tables import document
from runner.storage.store import Row, Store
from runner.suites.edit.report import passing, with_passing
from runner.suites.nextedit import report
from runner.suites.nextedit.steps import CommitReplay

Replays = Mapping[str, Sequence[CommitReplay]]


@dataclass(frozen=True, slots=True)
class Report:
    """One report as data and for people."""

    data: dict[str, Any]
    document: Document


def report_of(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The report of a run; with `edits` only of attempts whose diff had so many blocks."""
    summary = summarize(store, run, edits)
    replays = _replays(store, run) if summary.suite == "nextedit" and edits is None else {}
    summary = replace(summary, variants=tuple(_with_replays(each, replays) for each in summary.variants))
    data = {field.name: getattr(summary, field.name) for field in fields(summary)}
    shown = document(summary)
    if summary.suite == "edit":
        tests = passing(store, summary.run_id)
        shown = with_passing(shown, tests)
        data["tests"] = tests
    if replays:
        data["omitted"] = omitted = _omitted(store, summary.run_id)
        data["nextedit"] = report.systems_json(replays, _simulated(summary))
        shown = _with_steps(shown, summary, replays)
        shown = replace(shown, notes=(*shown.notes, *report.omitted_notes(omitted)))
    return Report(data, shown)


def _replays(store: Store, run: Row) -> Replays:
    """The replays of a run that can be followed from what is on record; none where it was read by what is gone."""
    from runner.suites.nextedit.replay import replays_of

    try:
        return asyncio.run(replays_of(store, run))
    except InputError as error:
        say(f"{error}; so figures are means over steps")
        return {}


def _omitted(store: Store, run_id: str) -> report.Omitted:
    """What the bundles of a run say was left out of them."""
    rows = store.rows("SELECT case_id, content_id FROM cases WHERE run_id = ? ORDER BY position", run_id)
    told = {row["case_id"]: stored_json(store.text(row["content_id"]) or "{}").get("omitted") for row in rows}
    return {case_id: omitted for case_id, omitted in told.items() if omitted}


def _simulated(summary: RunSummary) -> frozenset[str]:
    return frozenset(variant.sut for variant in summary.variants if variant.simulated)


def _with_replays(variant: VariantSummary, replays: Replays) -> VariantSummary:
    """The variant with the figures of its replays, which are more than its answers: a step may have no valid one."""
    if variant.sut not in replays:
        return variant
    return replace(variant, scores=report.scores_over_commits(replays[variant.sut]))


def _with_steps(shown: Document, summary: RunSummary, replays: Replays) -> Document:
    """The tables of replays, then what was asked: the same figures do not stand twice."""
    plain = document(replace(summary, variants=tuple(replace(each, scores={}) for each in summary.variants)))
    steps = report.document(replays, (), "", _simulated(summary))
    return replace(shown, tables=(*steps.tables, *plain.tables), notes=(*shown.notes, *steps.notes))
