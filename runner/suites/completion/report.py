"""What a completion run shows beside its summary: figures by scene and block, raw beside repaired, empty answers."""

import math
from collections.abc import Mapping
from dataclasses import replace

from runner.report.run_comparisons import run_comparisons
from runner.report.run_report import Report, noted
from runner.report.summary import Edits, RunSummary, VariantSummary, summarize, summary_data
from runner.report.tables import document
from runner.stats.intervals import Interval
from runner.storage.store import Row, Store
from runner.suites.completion.charts import scene_charts
from runner.suites.completion.completion_figures import CompletionFigures, figures_of
from runner.suites.completion.origin_table import known_in
from runner.suites.completion.rates import ALL, Figures
from runner.suites.completion.repository_rates import FILES, cluster_over
from runner.suites.completion.scored_answers import answers_of, unjudged_in


def cluster(run: Row) -> str:
    """The field of the scorings' detail that says which tasks of a run are not independent of each other."""
    return cluster_over(len(known_in(run).facts))


def report(store: Store, run: Row, edits: Edits | None = None) -> Report:
    """The figures by scene and block, then the summary, with the rates and scores of the tasks that are tested."""
    figures = completion_figures(store, run)
    summary = with_figures(summarize(store, run, edits), figures)
    comparisons = run_comparisons(store, run, edits, cluster(run))
    plain = document(summary, comparisons, clusters=figures.clusters)
    data = {**summary_data(summary), "comparisons": comparisons.data, "completion": figures.data}
    whole = replace(plain, tables=(*figures.tables, *plain.tables), notes=(*plain.notes, *figures.notes))
    return noted(store, run, Report(data, whole, summary, comparisons, scene_charts(figures.chains)))


def completion_figures(store: Store, run: Row) -> CompletionFigures:
    """The figures of a run or of its replay, from its scorings; resamples are drawn with the seed 0."""
    return figures_of(answers_of(store, run["run_id"]), unjudged_in(store, run), known=known_in(run))


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
    if right is not None and own_figures.over != FILES:
        # Counted over tasks, which weigh alike, it would not be what `right` leaves.
        variant = replace(variant, wrong=Interval(1 - right.estimate, 1 - right.high, 1 - right.low))
    return replace(variant, right=right, scores=scores if right is None else {"pass": right, **scores})


def _unknown(name: str, mean: float) -> Interval:
    """A mean of which nothing is known elsewhere: its interval is all that the score can be."""
    if name == "similarity":
        return Interval(mean, 0.0, 100.0)
    return Interval(mean, 0.0, 1.0) if 0 <= mean <= 1 else Interval(mean, -math.inf, math.inf)
