"""Axes of charts: values to pixels, and the ticks that stand beside them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# The sides of a chart's axes and its height, in pixels, as the templates draw them.
LEFT, RIGHT, TOP, BOTTOM = 52, 456, 14, 232
HEIGHT = 280
_STEPS = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Tick:
    """A labelled place on an axis, in pixels."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """Values from `low` to `high` drawn from pixel `start` to `end`; logarithmic ones are above 0."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def at(self, value: float) -> float:
        """Return the pixel of a value, rounded to a tenth; values outside stand at the nearer end."""
        low, high, value = (self._scaled(number) for number in (self.low, self.high, self._within(value)))
        share = (value - low) / (high - low) if high > low else 0.5
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self, values: Sequence[float], form: str = "{:g}") -> tuple[Tick, ...]:
        """Return the ticks at those of the values that are on the axis."""
        return tuple(
            Tick(self.at(value), form.format(value) if value else "0")
            for value in values
            if self.low <= value <= self.high
        )

    def _within(self, value: float) -> float:
        return max(self.low, min(self.high, value))

    def _scaled(self, value: float) -> float:
        return math.log10(value) if self.is_log else value


def log_axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Return a logarithmic axis with room for the values, of which those above 0 count; it has one, if none is."""
    positive = [value for value in values if value > 0] or [1.0]
    return Axis(min(positive) / 1.5, max(positive) * 1.5, start, end, is_log=True)


def linear_axis(values: Sequence[float], start: float, end: float) -> Axis:
    """Return an axis that has 0 and the finite values on it, and ends at round numbers."""
    finite = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    step = _round_step(((high - low) or 1.0) / 5)
    return Axis(math.floor(low / step) * step, math.ceil(high / step) * step or step, start, end)


def log_ticks(axis: Axis) -> tuple[Tick, ...]:
    """Return ticks at 1, 2 and 5 times powers of ten; at powers alone where that would be too many."""
    first, last = math.floor(math.log10(axis.low)), math.ceil(math.log10(axis.high))
    steps = _STEPS if last - first <= 3 else (1,)
    return axis.ticks([step * 10.0**power for power in range(first, last + 1) for step in steps])


def linear_ticks(axis: Axis, form: str = "{:g}") -> tuple[Tick, ...]:
    """Return about five ticks at round numbers."""
    step = _round_step((axis.high - axis.low) / 5)
    first, last = math.ceil(axis.low / step - 1e-9), math.floor(axis.high / step + 1e-9)
    return axis.ticks([number * step for number in range(first, last + 1)], form)


def _round_step(step: float) -> float:
    """Return the least of 1, 2 and 5 times a power of ten that is no smaller."""
    # Of the smallest numbers of all a fifth is 0.
    power = 10.0 ** math.floor(math.log10(max(step, 1e-300)))
    return next((factor * power for factor in (*_STEPS, 10) if factor * power >= step * (1 - 1e-9)), 10 * power)
