"""The headline against what it takes: cost, or time to the first edit; the frontier is what nothing beats on both."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from runner.pages.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, Axis, Tick, linear_ticks, log_axis, log_ticks
from runner.pages.intervals import Whisker, whisker
from runner.pages.naming import Headline, NamedVariant
from runner.report.summary import VariantSummary
from runner.stats.intervals import Interval

# Labels that are nearer to each other than this overlap.
_LINE, _NEAR = 13, 130


@dataclass(frozen=True, slots=True)
class ScatterPoint:
    """A variant: where it stands, and where its label does."""

    x: float
    y: Whisker
    label: str
    label_x: float
    label_y: float
    before: bool
    title: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """The plot; `frontier` is a path of steps, `sentence` says who is on it."""

    title: str
    x_label: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    points: tuple[ScatterPoint, ...]
    frontier: str
    sentence: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Placed:
    variant: NamedVariant
    x: float
    interval: Interval
    on_frontier: bool = False


def cost_scatter(named: Sequence[NamedVariant], figure: Headline) -> Scatter:
    """Return the headline against the cost of a valid attempt; simulated models cost nothing, their tokens stand in."""
    simulated = all(variant.summary.simulated for variant in named)
    what = "output tokens per valid attempt" if simulated else "USD per valid attempt"
    placed = [
        _Placed(variant, amount, interval)
        for variant in named
        if (amount := _cost(variant.summary, simulated=simulated)) and (interval := figure.of(variant.summary))
    ]
    reason = f"No variant has both a rate and its {what}."
    return _scatter(f"{figure.name} against cost", what, placed, len(named), reason)


def speed_scatter(named: Sequence[NamedVariant], figure: Headline) -> Scatter:
    """Return the headline against the median time to the first edit."""
    placed = [
        _Placed(variant, clock.median, interval)
        for variant in named
        if (clock := variant.summary.clocks.get("first_edit_ms")) and (interval := figure.of(variant.summary))
    ]
    reason = "No answer has a time to its first edit."
    return _scatter(f"{figure.name} against time to first edit", "ms to first edit, median", placed, len(named), reason)


def _cost(summary: VariantSummary, *, simulated: bool) -> float | None:
    if not simulated:
        return summary.usd_per_valid
    total = summary.tokens["output_tokens"]
    return total / summary.valid if total and summary.valid else None


def _scatter(title: str, x_label: str, placed: Sequence[_Placed], count: int, reason: str) -> Scatter:
    if not placed:
        return Scatter(title, x_label, (), (), (), "", "", reason)
    simulated = any(place.variant.summary.simulated for place in placed)
    marked = _with_frontier(placed)
    x = log_axis([place.x for place in marked], LEFT, RIGHT)
    lowest = min(place.interval.low for place in marked)
    y = Axis(min(75, 25 * int(4 * lowest)), 100, BOTTOM, TOP)
    names = ", ".join(place.variant.label for place in marked if place.on_frontier)
    left_out = f" Of {count} variants {count - len(placed)} have no such figure." if count > len(placed) else ""
    return Scatter(
        title=title,
        x_label=f"{x_label}, log{' (simulated)' if simulated else ''}",
        x_ticks=log_ticks(x),
        y_ticks=linear_ticks(y, "{:g} %"),
        points=_labelled([_point(place, x, y) for place in marked]),
        frontier=_steps([place for place in marked if place.on_frontier], x, y),
        sentence=(
            f"On the frontier: {names}. Hollow points: another takes no more and is at least as good. "
            f"Bars: 95 % intervals.{left_out}"
        ),
    )


def _with_frontier(placed: Sequence[_Placed]) -> list[_Placed]:
    """Return the points by what they take, each with whether no other takes no more and is at least as good."""
    marked = list[_Placed]()
    best, best_x = -1.0, 0.0
    for place in sorted(placed, key=lambda place: (place.x, -place.interval.estimate)):
        estimate = place.interval.estimate
        marked.append(replace(place, on_frontier=estimate > best or (estimate, place.x) == (best, best_x)))
        if estimate > best:
            best, best_x = estimate, place.x
    return marked


def _point(place: _Placed, x: Axis, y: Axis) -> ScatterPoint:
    interval = Interval(*(100 * end for end in (place.interval.estimate, place.interval.low, place.interval.high)))
    at = x.at(place.x)
    before = at > (LEFT + 2 * RIGHT) / 3
    title = (
        f"{place.variant.label}: {interval.estimate:.1f} % [{interval.low:.1f}, {interval.high:.1f}] at {place.x:.4g}"
    )
    drawn = whisker(interval, y, title, filled=place.on_frontier)
    assert drawn is not None
    label_x = at - 9 if before else at + 9
    return ScatterPoint(at, drawn, place.variant.label, label_x, drawn.at + 4, before, title)


def _labelled(points: Sequence[ScatterPoint]) -> tuple[ScatterPoint, ...]:
    """Return the points from the top down, with labels moved down where they would overlap."""
    moved: list[ScatterPoint] = []
    for point in sorted(points, key=lambda point: point.label_y):
        taken = [other.label_y for other in moved if abs(other.label_x - point.label_x) < _NEAR]
        y = max([point.label_y, *(other + _LINE for other in taken if point.label_y - other < _LINE)])
        moved.append(replace(point, label_y=min(y, HEIGHT - 4)))
    return tuple(moved)


def _steps(places: Sequence[_Placed], x: Axis, y: Axis) -> str:
    """Return a path that rises at each point of the frontier."""
    path = ""
    for place in places:
        at, height = x.at(place.x), y.at(100 * place.interval.estimate)
        path += f"H{at}V{height}" if path else f"M{at} {BOTTOM}V{height}"
    return f"{path}H{RIGHT}"
