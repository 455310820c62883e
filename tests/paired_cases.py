"""Synthetic paired cases: two variants whose true rates are known, at cases that are alike or very different."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

# Quantiles of the rates over cases, precomputed: a draw of a case is a draw of one of them.
QUANTILES = (np.arange(4000) + 0.5) / 4000


@dataclass(frozen=True)
class Shape:
    """Cases, attempts per case, the two true rates, and how much cases differ (the correlation within a case)."""

    cases: int
    attempts: int
    first: float
    second: float
    within: float

    @property
    def difference(self) -> float:
        return self.first - self.second

    def __str__(self) -> str:
        rates = f"{100 * self.first:g} and {100 * self.second:g} %"
        return f"{self.cases} cases x {self.attempts}, {rates}, within {self.within:g}"


def drawn(shape: Shape, draws: int, seed: int = 0) -> NDArray[np.float64]:
    """The differences of case means, a row for each draw.

    A case's rates have a beta distribution; for about half of the cases what is hard for one variant is as hard for the
    other, for the rest it is another case altogether.
    """
    random = np.random.default_rng(seed)
    size = draws, shape.cases
    mine = random.integers(0, len(QUANTILES), size)
    others = np.where(random.random(size) < 0.5, mine, random.integers(0, len(QUANTILES), size))
    means = [
        random.binomial(shape.attempts, beta_rates(rate, shape.within)[place]) / shape.attempts
        for rate, place in ((shape.first, mine), (shape.second, others))
    ]
    return means[0] - means[1]


@lru_cache(maxsize=8)
def beta_rates(mean: float, within: float) -> NDArray[np.float64]:
    """The rates of as many cases as there are quantiles, in a beta distribution; `within` is the correlation in one."""
    from scipy import stats

    weight = 1 / within - 1
    rates: NDArray[np.float64] = stats.beta.ppf(QUANTILES, mean * weight, (1 - mean) * weight)
    return rates


NULL = [(rate, rate) for rate in (0.02, 0.5, 0.98)]
GAPS = [(0.02, 0.12), (0.4, 0.6), (0.8, 0.9), (0.98, 0.88), (0.98, 0.995)]


def shapes(rates: list[tuple[float, float]], attempts: tuple[int, ...] = (1, 5)) -> Iterator[Shape]:
    """Every combination of 10, 29 or 125 cases, these attempts, these rates, and cases that are alike or differ."""
    for cases in (10, 29, 125):
        for count in attempts:
            for first, second in rates:
                for within in (0.1, 0.5):
                    yield Shape(cases, count, first, second, within)
