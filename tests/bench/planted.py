"""What is planted: differences between variants, and the runs and cases that have them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FAST = "time=virtual&prose=2"

Run = Callable[[Path, Path, int], object]


@dataclass(frozen=True)
class Planted:
    """A difference: the suite's run with it and without, the dimension, its size in shares, and its cases.

    A run gets a database, a folder of cases and a seed; `copies` writes so many cases into a folder. `pilot` is the
    number of cases of a pilot run; `metric` is the figure that is compared, "" for the headline, and `cluster` groups
    cases.
    """

    by: str
    effect: float
    with_it: Run
    without: Run
    copies: Callable[[Path, int], None]
    pilot: int
    metric: str = ""
    cluster: str = ""


def model(rates: str, other: str) -> str:
    """Two models that never give the same answers by chance of their names: one has a word more of prose."""
    return f"sim/any?{FAST}&{rates},sim/any?time=virtual&prose=3&{other}"
