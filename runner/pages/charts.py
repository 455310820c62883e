"""The charts that a suite adds to the page of its runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.pages.axes import Tick
from runner.pages.intervals import PERCENT, Whisker, percent_ticks, whisker
from runner.pages.lines import LineChart, curve_chart
from runner.pages.outcomes import Bars, share_bars
from runner.report.charts import Chart, Curves, Estimates
from runner.report.tables import percent


@dataclass(frozen=True, slots=True)
class EstimateRow:
    """A figure with its interval; `group` is "" where it is that of the row above."""

    group: str
    label: str
    whisker: Whisker | None
    figure: str
    count: int


@dataclass(frozen=True, slots=True)
class EstimateTable:
    """Figures on one axis from 0 to 100 %."""

    title: str
    note: str
    counted: str
    ticks: tuple[Tick, ...]
    rows: tuple[EstimateRow, ...]


@dataclass(frozen=True, slots=True)
class SuiteCharts:
    """The charts of a suite by kind, in their order."""

    estimates: tuple[EstimateTable, ...] = ()
    lines: tuple[LineChart, ...] = ()
    bars: tuple[Bars, ...] = ()


def suite_charts(charts: Sequence[Chart]) -> SuiteCharts:
    """Return the drawings of the charts."""
    estimates, lines, bars = list[EstimateTable](), list[LineChart](), list[Bars]()
    for chart in charts:
        if isinstance(chart, Estimates):
            estimates.append(_table(chart))
        elif isinstance(chart, Curves):
            lines.append(curve_chart(chart))
        else:
            bars.append(share_bars(chart))
    return SuiteCharts(tuple(estimates), tuple(lines), tuple(bars))


def _table(estimates: Estimates) -> EstimateTable:
    rows, group = [], None
    for row in estimates.rows:
        figure = percent(row.interval)
        drawn = whisker(row.interval, PERCENT, f"{row.group}, {row.label}: {figure}", filled=True)
        rows.append(EstimateRow("" if row.group == group else row.group, row.label, drawn, figure, row.count))
        group = row.group
    return EstimateTable(estimates.title, estimates.note, estimates.counted, percent_ticks(), tuple(rows))
