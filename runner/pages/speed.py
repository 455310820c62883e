"""The headline against cost and time, and the distribution of the time to the first edit."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.lines import LineChart, distribution
from runner.pages.naming import Headline, NamedVariant, plotted
from runner.pages.scatter import Scatter, cost_scatter, speed_scatter
from runner.report.clock_values import clock_values
from runner.storage.store import Row, Store


@dataclass(frozen=True, slots=True)
class CostAndSpeed:
    """Two plots and a distribution; `note` says which variants are in none of them."""

    scatters: tuple[Scatter, ...]
    distribution: LineChart
    note: str


def cost_and_speed(store: Store, run: Row, named: Sequence[NamedVariant], figure: Headline) -> CostAndSpeed:
    """Return the plots of the first variant of each model and prompt, of real ones where there are any."""
    chosen = plotted(named)
    firsts = [variant for variant in named if variant.first]
    simulated = len(firsts) - len(chosen)
    note = f"Simulated variants, {simulated}, are in none of these plots: they are not compared with real ones."
    return CostAndSpeed(
        (cost_scatter(chosen, figure), speed_scatter(chosen, figure)),
        distribution(chosen, clock_values(store, run, "first_edit_ms")),
        note if simulated else "",
    )
