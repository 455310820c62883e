"""Charts that a suite adds to the page of its runs, as data: estimates with intervals, curves, and shares."""

from dataclasses import dataclass

from runner.stats.intervals import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """One figure: the group that it belongs to, what it is of, its interval, and the number of cases or answers."""

    group: str
    label: str
    interval: Interval
    count: int


@dataclass(frozen=True, slots=True)
class Estimates:
    """Shares with 95 % intervals, shown on one axis from 0 to 100 %; `counted` names what `count` counts."""

    title: str
    note: str
    counted: str
    rows: tuple[Estimate, ...]


@dataclass(frozen=True, slots=True)
class Curve:
    """A line: its name and its points, whose y values are shares."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class Curves:
    """Lines over a common axis."""

    title: str
    note: str
    x_label: str
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class ShareRow:
    """The counts of one row, in the order of the parts."""

    label: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shares:
    """Rows of counts that are shown as shares of a whole."""

    title: str
    note: str
    parts: tuple[str, ...]
    rows: tuple[ShareRow, ...]


Chart = Estimates | Curves | Shares
