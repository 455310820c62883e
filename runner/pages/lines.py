"""Lines over an axis: distributions of a clock, and curves that a suite gives."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.pages.axes import BOTTOM, LEFT, RIGHT, TOP, Axis, Tick, linear_axis, linear_ticks, log_axis, log_ticks
from runner.pages.naming import LONGEST_LABEL, NamedVariant
from runner.report.charts import Curves
from runner.report.clock_values import ClockValues
from runner.table_layout import shortened

# More lines than this are drawn alike: their dashes would look the same.
_DISTINCT = 4
_MOST_POINTS = 160
_SHARES = Axis(0, 1, BOTTOM, TOP)


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line: its label, its path, and the number of its dashes, which is 0 for lines that are drawn alike."""

    label: str
    path: str
    dash: int


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines with axes; `note` stands in place of them where there is none."""

    title: str
    x_label: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    lines: tuple[DrawnLine, ...]
    sentence: str
    note: str = ""


def distribution(named: Sequence[NamedVariant], clocks: Mapping[tuple[str, str], ClockValues]) -> LineChart:
    """Return the share of answers whose first edit has come by each time; answers without one keep it below 100 %."""
    title = "Time to first edit"
    known = [(variant, clocks[variant.request_key]) for variant in named if variant.request_key in clocks]
    filled = [(variant, values) for variant, values in known if values.values]
    if not filled:
        return LineChart(title, "", (), (), (), "", "No answer has a time to its first edit.")
    axis = log_axis([end for _, values in filled for end in (values.values[0], values.values[-1])], LEFT, RIGHT)
    simulated = any(variant.summary.simulated for variant, _ in filled)
    counts = ", ".join(f"{variant.label} {values.count}" for variant, values in filled)
    without = sum(values.without for _, values in filled)
    plateau = f" {without} answers have no edit, which keeps their lines below 100 %." if without else ""
    return LineChart(
        title=title,
        x_label=f"ms to first edit, log{' (simulated)' if simulated else ''}",
        x_ticks=log_ticks(axis),
        y_ticks=_share_ticks(0, 50, 90, 100),
        lines=_drawn((variant.label, _rising(values, axis)) for variant, values in filled),
        sentence=f"Read across at 50 % for the median, at 90 % for the slow tenth. Answers: {counts}.{plateau}",
    )


def curve_chart(curves: Curves) -> LineChart:
    """Return the curves that a suite gives, over shares from 0 to 100 %."""
    axis = linear_axis([x for curve in curves.curves for x, _ in curve.points], LEFT, RIGHT)
    labels = shortened([curve.name for curve in curves.curves], LONGEST_LABEL)
    paths = (_polyline([(axis.at(x), _SHARES.at(y)) for x, y in curve.points]) for curve in curves.curves)
    lines = _drawn(zip(labels, paths, strict=True))
    return LineChart(
        curves.title, curves.x_label, linear_ticks(axis), _share_ticks(0, 25, 50, 75, 100), lines, curves.note
    )


def _share_ticks(*shares: int) -> tuple[Tick, ...]:
    """Return the ticks at these shares in per cent."""
    return tuple(Tick(_SHARES.at(share / 100), f"{share} %") for share in shares)


def _drawn(paths: Iterable[tuple[str, str]]) -> tuple[DrawnLine, ...]:
    """Return lines with these labels and paths, the first ones with dashes of their own."""
    return tuple(
        DrawnLine(label, path, number if number <= _DISTINCT else 0) for number, (label, path) in enumerate(paths, 1)
    )


def _rising(values: ClockValues, axis: Axis) -> str:
    """Return the path of a cumulative share, by at most so many of its steps."""
    known = len(values.values)
    step = -(-known // _MOST_POINTS)
    path = f"M{axis.at(values.values[0])} {_SHARES.at(0)}"
    for index in [*range(0, known - 1, step), known - 1]:
        path += f"H{axis.at(values.values[index])}V{_SHARES.at((index + 1) / values.count)}"
    return f"{path}H{RIGHT}"


def _polyline(points: Sequence[tuple[float, float]]) -> str:
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    # A single point is a dash: a path without a length is not drawn.
    return path if len(points) > 1 else f"{path}h3"
