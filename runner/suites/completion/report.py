"""What a completion run shows beside its summary: figures by scene and block, raw beside repaired, empty answers."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from runner.document import Document, Table
from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report
from runner.report.summary import Edits, RunSummary, VariantSummary, summarize, summary_data
from runner.report.tables import document
from runner.stats.intervals import Interval
from runner.storage.rows import detail_of
from runner.storage.store import Row, Store
from runner.suites.completion.charts import scene_charts
from runner.suites.completion.rates import (
    ALL,
    COMMENT,
    ChainFigures,
    Figures,
    ScoredAnswer,
    confusion,
    figures,
    form_of,
)
from runner.suites.completion.stopping import Groups, Stopping, stopping_of, stopping_table
from runner.suites.completion.strength import Strength, strength_table, strengths_of

_SCORED = """
SELECT l.sut, l.prompt, s.parser, l.case_id, s.answer_id, s.scoring_id, s.detail
FROM scorings s JOIN answers a USING (answer_id) JOIN lanes l USING (lane_id)
JOIN variants v ON v.run_id = s.run_id AND v.sut = l.sut AND v.prompt = l.prompt AND v.parser = s.parser
WHERE s.run_id = ? AND s.detail IS NOT NULL ORDER BY v.position, s.scoring_id"""
_SCORES = "SELECT scoring_id, metric, value FROM scores JOIN scorings USING (scoring_id) WHERE run_id = ?"
_UNJUDGED = """
SELECT count(*) AS n FROM answers a JOIN lanes l USING (lane_id)
WHERE l.run_id = ?1 AND a.outcome = 'answered'
    AND NOT EXISTS (SELECT 1 FROM scorings s WHERE s.answer_id = a.answer_id AND s.run_id = ?1)"""

# The field of the scorings' detail that says which tasks are not independent of each other.
CLUSTER = "file"


@dataclass(frozen=True, slots=True)
class CompletionFigures:
    """All of a run; `unjudged` answers are recorded and not judged yet."""

    chains: list[ChainFigures]
    stopping: list[Stopping]
    unjudged: int
    strengths: tuple[Strength, ...] = ()

    @property
    def data(self) -> dict[str, Any]:
        """As plain data."""
        rows = [
            {"sut": chain.sut, "prompt": chain.prompt, "chain": chain.chain, **asdict(figure)}
            for chain in self.chains
            for figure in chain.figures
        ]
        empty = [
            {"sut": chain.sut, "prompt": chain.prompt, "chain": chain.chain, **asdict(chain.empty_answers)}
            for chain in self.chains
        ]
        stopping = [asdict(stopping) for stopping in self.stopping]
        return {
            "figures": rows,
            "empty_answers": empty,
            "stopping": stopping,
            "unjudged": self.unjudged,
            "strength": [asdict(strength) for strength in self.strengths],
        }

    @property
    def tables(self) -> tuple[Table, ...]:
        """For people."""
        tables = (
            _figures_table(self.chains),
            strength_table(self.strengths),
            _confusion_table(self.chains),
            stopping_table(self.stopping),
        )
        return tuple(table for table in tables if table.rows)

    def document(self, title: str) -> Document:
        """Return the tables as a document of their own."""
        return Document(title, self.tables)


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The figures by scene and block, then the summary, with the rates and scores of the tasks that are tested."""
    figures = completion_figures(store, run)
    summary = with_figures(summarize(store, run, edits), figures)
    comparisons = run_comparisons(store, run, edits, CLUSTER)
    plain = document(summary, comparisons, clusters=CLUSTER)
    data = {**summary_data(summary), "comparisons": comparisons.data, "completion": figures.data}
    whole = replace(plain, tables=(*figures.tables, *plain.tables))
    return Report(data, whole, summary, comparisons, scene_charts(figures.chains))


def completion_figures(store: Store, run: Row) -> CompletionFigures:
    """The figures of a run or of its replay, from its scorings; resamples are drawn with the seed 0."""
    run_id = run["run_id"]
    scores: dict[int, dict[str, float]] = {}
    for row in store.stream(_SCORES, run_id):
        scores.setdefault(row["scoring_id"], {})[row["metric"]] = row["value"]
    groups: dict[tuple[str, str, str], dict[int, ScoredAnswer]] = {}
    for row in store.stream(_SCORED, run_id):
        answered = _answered(row, scores.get(row["scoring_id"], {}))
        groups.setdefault((row["sut"], row["prompt"], row["parser"]), {})[row["answer_id"]] = answered
    unjudged = 0 if run["replay_of"] else int(store.rows(_UNJUDGED, run_id)[0]["n"])
    return figures_of(groups, unjudged)


def with_figures(summary: RunSummary, completion_figures: CompletionFigures) -> RunSummary:
    """The summary with the figures of the tasks that are tested: means over these, intervals clustered by file.

    What a single file has can be anything elsewhere: such intervals are as wide as can be.
    """
    whole = {
        (chain.sut, chain.prompt, chain.chain): figure
        for chain in completion_figures.chains
        for figure in chain.figures
        if (figure.scene, figure.block_type) == (ALL, ALL)
    }
    return replace(summary, variants=tuple(_with_figures(variant, whole) for variant in summary.variants))


def _with_figures(variant: VariantSummary, whole: Mapping[tuple[str, str, str], Figures]) -> VariantSummary:
    own_figures = whole.get((variant.sut, variant.prompt, variant.parser))
    if own_figures is None:
        return replace(variant, right=None, wrong=None, scores={})
    scores = {name: own_figures.intervals.get(name, _unknown(name, mean)) for name, mean in own_figures.means.items()}
    rate = own_figures.pass_at_k.get("1")
    right = None if rate is None else own_figures.interval or Interval(rate, 0.0, 1.0)
    return replace(variant, right=right, scores=scores if right is None else {"pass": right, **scores})


def _unknown(name: str, mean: float) -> Interval:
    """A mean of which nothing is known elsewhere: its interval is all that the score can be."""
    if name == "similarity":
        return Interval(mean, 0.0, 100.0)
    return Interval(mean, 0.0, 1.0) if 0 <= mean <= 1 else Interval(mean, -math.inf, math.inf)


def figures_of(groups: Groups, unjudged: int = 0, seed: int = 0) -> CompletionFigures:
    """The figures of answers by (model, prompt, chain) and by the answers' ids."""
    chains = [
        ChainFigures(*key, figures(list(answers.values()), seed), confusion(answers.values()))
        for key, answers in groups.items()
    ]
    strengths = tuple(strengths_of({key: list(answers.values()) for key, answers in groups.items()}, seed))
    return CompletionFigures(chains, list(stopping_of(groups)), unjudged, strengths)


def _answered(row: Row, scores: dict[str, float]) -> ScoredAnswer:
    detail = detail_of(row)
    return ScoredAnswer(
        task_id=row["case_id"],
        scene=form_of(detail["scene"], with_evidence=detail["with_evidence"]),
        block_type=detail["block_type"],
        file=detail["file"],
        missing=detail["missing"],
        verdict=detail["verdict"],
        scores=scores,
        weak=detail.get("weak"),
    )


def _figures_table(chains: Sequence[ChainFigures]) -> Table:
    ks = sorted({int(k) for chain in chains for figure in chain.figures for k in figure.pass_at_k} - {1})
    columns = ("model", "prompt", "chain", "scene", "block", "tasks", "judged", "passed", "pass@1", "95 %")
    measures = ("exact", "line 1", "similar", "ES", "empty", "over-run", "infra")
    rows = [
        (
            *(chain.sut, chain.prompt, chain.chain, figure.scene, figure.block_type),
            *(str(figure.tasks), str(figure.judged), str(figure.passed)),
            *(_percent(figure.pass_at_k.get("1")), _ends(figure.interval)),
            *(_percent(figure.pass_at_k.get(str(k))) for k in ks),
            *(_percent(figure.means.get(name)) for name in ("exact", "first_line")),
            _number(figure.means.get("similarity"), 1),
            _number(figure.means.get("es-token"), 3),
            *(_percent(figure.means.get(name)) for name in ("empty", "over_run")),
            str(figure.infra),
        )
        for chain in chains
        for figure in chain.figures
        if _worth_a_row(figure)
    ]
    passes = tuple(f"pass@{k}" for k in ks)
    return Table(
        "completion, in per cent; 95 %: clustered by file; comments by similarity only; --json has every block",
        (*columns, *passes, *measures),
        tuple(rows),
        ("model", "chain", "pass@1", "95 %", "scene", "block", "judged", "prompt"),
    )


def _worth_a_row(scene_figures: Figures) -> bool:
    """Return whether a page shows it: scenes as a whole, blocks over all scenes, and comments apart."""
    return ALL in (scene_figures.scene, scene_figures.block_type) or scene_figures.block_type == COMMENT


def _confusion_table(chains: Sequence[ChainFigures]) -> Table:
    rows = []
    for chain in chains:
        counts = chain.empty_answers
        numbers = (counts.tp, counts.fp, counts.fn, counts.tn)
        rows.append((chain.sut, chain.prompt, chain.chain, *map(str, numbers)))
    columns = ("model", "prompt", "chain", "tp", "fp", "fn", "tn")
    return Table(
        "empty answers, right where nothing is missing (scene 2.2)",
        columns,
        tuple(rows),
        ("model", "chain", "tp", "fp", "fn", "tn"),
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def _ends(interval: Interval | None) -> str:
    return "-" if interval is None else f"{100 * interval.low:.0f} to {100 * interval.high:.0f}"
