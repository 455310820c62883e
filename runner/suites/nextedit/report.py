"""The report of a nextedit run: the figures of its replays, before what every suite counts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runner.json_texts import stored_json
from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report, noted
from runner.report.summary import Edits, VariantSummary, summarize, summary_data
from runner.report.tables import document
from runner.run.replay import asked_in
from runner.storage.rows import config_of
from runner.storage.store import Row, Store
from runner.suites.nextedit import tables
from runner.suites.nextedit.run_analysis import run_analysis
from runner.suites.nextedit.run_plan import refusal_of
from runner.suites.nextedit.run_replays import Replays, RunReplay, known_replays, naming_of_run


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The report of a run; with `edits` only of answers that have so many edits, and without figures of replays."""
    if edits is not None:
        summary = summarize(store, run, edits)
        return Report(summary_data(summary), document(summary), summary)
    return report_with(store, run, known_replays(store, run))


def report_with(store: Store, run: Row, run_replays: Sequence[RunReplay]) -> Report:
    """The report of a run whose replays are known."""
    replays: Replays = {}
    for replay in run_replays:
        replays.setdefault(replay.name, []).append(replay.replay)
    naming = naming_of_run(store, run)

    def named(variant: VariantSummary) -> str:
        return naming.name(variant.sut, variant.prompt, variant.diff_algorithm)

    summary = summarize(store, run)
    scored = (_with_scores(variant, replays, named(variant)) for variant in summary.variants)
    summary = replace(summary, variants=tuple(scored))
    refused = [refusal_of(sha, skipped) for sha, skipped in summary.skipped_cases.items()]
    omitted = _omitted(store, asked_in(run))
    simulated = frozenset(named(variant) for variant in summary.variants if variant.simulated)
    comparisons = run_comparisons(store, run)
    analysis = run_analysis(run_replays, replays, simulated)
    data: dict[str, Any] = {
        **summary_data(summary),
        "comparisons": comparisons.data,
        "omitted": omitted,
        "not_replayed": refused,
        "nextedit": {
            name: {**figures, "steps_by": analysis.groups[name]}
            for name, figures in tables.systems_json(replays, simulated).items()
        },
        "pairs": analysis.pairs,
    }
    steps = tables.document(replays, [row["reason"] for row in refused], "", simulated)
    # Without the figures and the refused commits, which are shown otherwise.
    variants = tuple(replace(variant, scores={}) for variant in summary.variants) if replays else summary.variants
    table = document(replace(summary, variants=variants, skipped_cases={}), comparisons)
    notes = (_conditions(run), *table.notes, *steps.notes, *tables.omitted_notes(omitted))
    first = (*steps.tables, *analysis.tables) if replays else ()
    whole = replace(table, tables=(*first, *table.tables), notes=notes)
    return noted(store, run, Report(data, whole, summary, comparisons, analysis.charts, analysis.deeper))


def _with_scores(variant: VariantSummary, replays: Replays, name: str) -> VariantSummary:
    """The variant with the figures of its replays, which are more than its answers: a step may have no valid one."""
    return replace(variant, scores=tables.scores_over_commits(replays[name])) if name in replays else variant


def _conditions(run: Row) -> str:
    """In which order commits were replayed, from which seed, and what systems knew."""
    identity = config_of(run)["identity"]
    return (
        f"measure {identity.get('measure', 1)}, order {identity['order']}, seed {identity['seed']},"
        f" leak {identity['leak']}, context {str(identity.get('context', 'touched')).partition('@')[0]}"
    )


def _omitted(store: Store, run_id: str) -> tables.Omitted:
    """The files that were left out of the commits of a run, with the reasons."""
    sql = "SELECT case_id, content_id FROM cases WHERE run_id = ? AND skipped IS NULL ORDER BY position"
    omitted = {row["case_id"]: _omitted_in(store.text(row["content_id"])) for row in store.rows(sql, run_id)}
    return {case_id: omitted for case_id, omitted in omitted.items() if omitted}


def _omitted_in(content: str | None) -> dict[str, str]:
    # Bundles may hold lone surrogates, which orjson refuses.
    omitted: dict[str, str] = stored_json(content or "{}").get("omitted", {})
    return omitted
