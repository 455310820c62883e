"""The figures of a completion run as tables: by scene and block, and empty answers against what was missing."""

from collections.abc import Sequence

from runner.document import Table
from runner.stats.intervals import Interval
from runner.suites.completion.rates import ALL, COMMENT, ChainFigures, Figures
from runner.suites.completion.repository_rates import ALL_LIKE_THESE, FILES, THESE

_CLUSTERED = {
    FILES: "clustered by file",
    THESE: "of these repositories alone, each weighs alike, clustered by file",
    ALL_LIKE_THESE: "by repository, each weighs alike; of these alone where fewer than five have tasks",
}


def figures_table(chains: Sequence[ChainFigures]) -> Table:
    """Return the figures by scene and block."""
    ks = sorted({int(k) for chain in chains for figure in chain.figures for k in figure.pass_at_k} - {1})
    columns = ("model", "prompt", "chain", "scene", "block", "tasks", "judged", "passed", "pass@1", "95 %")
    measures = ("exact", "line 1", "similar", "ES", "empty", "over-run", "infra")
    rows = [
        (
            *(chain.sut, chain.prompt, chain.chain, figure.scene, figure.block_type),
            *(str(figure.tasks), str(figure.judged), str(figure.passed)),
            *(percent(figure.pass_at_k.get("1")), ends(figure.interval)),
            *(percent(figure.pass_at_k.get(str(k))) for k in ks),
            *(percent(figure.means.get(name)) for name in ("exact", "first_line")),
            _number(figure.means.get("similarity"), 1),
            _number(figure.means.get("es-token"), 3),
            *(percent(figure.means.get(name)) for name in ("empty", "over_run")),
            str(figure.infra),
        )
        for chain in chains
        for figure in chain.figures
        if _worth_a_row(figure)
    ]
    passes = tuple(f"pass@{k}" for k in ks)
    return Table(
        f"completion, in per cent; 95 %: {clustered(chains)}; comments by similarity only; --json has every block",
        (*columns, *passes, *measures),
        tuple(rows),
        ("model", "chain", "pass@1", "95 %", "scene", "block", "judged", "prompt"),
    )


def _worth_a_row(scene_figures: Figures) -> bool:
    """Return whether a page shows it: scenes as a whole, blocks over all scenes, and comments apart."""
    return ALL in (scene_figures.scene, scene_figures.block_type) or scene_figures.block_type == COMMENT


def clustered(chains: Sequence[ChainFigures]) -> str:
    """Return what the intervals of figures over all tasks are of."""
    over = {figure.over for chain in chains for figure in chain.figures if figure.scene == figure.block_type == ALL}
    return next(_CLUSTERED[name] for name in (ALL_LIKE_THESE, THESE, FILES) if name in over or name == FILES)


def confusion_table(chains: Sequence[ChainFigures]) -> Table:
    """Return how many answers were empty, where something was missing and where not."""
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


def percent(share: float | None) -> str:
    """Return a share as a cell, `-` where it is unknown."""
    return "-" if share is None else f"{100 * share:.1f}"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"


def ends(interval: Interval | None) -> str:
    """Return the ends of an interval as a cell."""
    return "-" if interval is None else f"{100 * interval.low:.0f} to {100 * interval.high:.0f}"
