"""A point with its interval on a small axis, as a cell of a table has it."""

from dataclasses import dataclass

from runner.pages.axes import Axis, Tick
from runner.stats.intervals import Interval

WIDTH = 200
PERCENT = Axis(0.0, 1.0, 8, WIDTH - 8)


@dataclass(frozen=True, slots=True)
class Whisker:
    """The pixels of a point and of the ends of its interval; hollow ones are not the headline, or show nothing."""

    at: float
    low: float
    high: float
    filled: bool
    label: str


def whisker(interval: Interval | None, axis: Axis, label: str, *, filled: bool) -> Whisker | None:
    """Return the drawing of an interval; None without one."""
    if interval is None:
        return None
    return Whisker(axis.at(interval.estimate), axis.at(interval.low), axis.at(interval.high), filled, label)


def percent_ticks() -> tuple[Tick, ...]:
    """Return the ticks of the axis from 0 to 100 %."""
    return tuple(Tick(PERCENT.at(share / 100), str(share)) for share in (0, 25, 50, 75, 100))
