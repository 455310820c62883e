"""Completion by scene as a chart: what passes the tests of each scene, for each model and chain."""

from collections.abc import Sequence

from runner.report.charts import Estimate, Estimates
from runner.suites.completion.figure_tables import clustered
from runner.suites.completion.rates import ALL, ChainFigures, Figures


def scene_charts(chains: Sequence[ChainFigures]) -> tuple[Estimates, ...]:
    """Return pass@1 by scene; nothing where no answer was judged."""
    rows = tuple(
        Estimate(f"{chain.sut} {chain.prompt} {chain.chain}", _scene(figure), figure.interval, figure.judged)
        for chain in chains
        for figure in chain.figures
        if figure.block_type == ALL and figure.interval is not None
    )
    note = f"Share of tasks that pass their tests at the first answer, 95 % interval {clustered(chains)}."
    return (Estimates("Completion by scene", note, "judged answers", rows),) if rows else ()


def _scene(figure: Figures) -> str:
    return "all scenes" if figure.scene == ALL else figure.scene
