"""Synthetic replays: two systems whose true rates of right predictions are known, at commits of many lengths."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from runner.report.case_figures import CaseFigures, VariantName
from runner.report.case_values import CaseKey
from runner.report.pairs import VariantPair, compared_pair
from runner.stats.paired import PairedDifference, paired_difference
from tests.paired_cases import QUANTILES, beta_rates

# The steps of commits with 2 to 60 edits are few in most and many in some: 8 on average.
_STEPS_LOG_MEAN, _STEPS_LOG_SPREAD, _MOST_STEPS = 1.7, 0.9, 59
# The share of commits that are as hard for both systems, and how alike the steps of one are: the correlation in it.
_IN_COMMON, _WITHIN = 0.5, 0.2
_ATTEMPTS = 8.0


@dataclass(frozen=True)
class PlantedSteps:
    """Commits, and the rates at which two systems predict an edit that is right."""

    commits: int
    first: float
    second: float

    def __str__(self) -> str:
        return f"{self.commits} commits, {100 * self.first:g} and {100 * self.second:g} %"


def drawn_shares(planted: PlantedSteps, seed: int) -> NDArray[np.float64]:
    """The share of right steps of each commit, a row for each system."""
    random = np.random.default_rng([seed, planted.commits])
    steps = np.exp(random.normal(_STEPS_LOG_MEAN, _STEPS_LOG_SPREAD, planted.commits)).astype(int)
    steps = np.clip(steps, 1, _MOST_STEPS)
    places = random.integers(0, len(QUANTILES), (2, planted.commits))
    # A commit that is as hard for both stands at the same quantile of their rates.
    places[1] = np.where(random.random(planted.commits) < _IN_COMMON, places[0], places[1])
    rates = [
        beta_rates(rate, _WITHIN)[place] for rate, place in zip((planted.first, planted.second), places, strict=True)
    ]
    return np.array([random.binomial(steps, rate) / steps for rate in rates])


def difference_of_steps(planted: PlantedSteps, seed: int) -> PairedDifference:
    """The difference between the two systems, without a test."""
    first, second = drawn_shares(planted, seed)
    difference = paired_difference([(value,) for value in (first - second).tolist()], _ATTEMPTS)
    assert difference is not None
    return difference


def pair_of_steps(planted: PlantedSteps, seed: int) -> VariantPair:
    """The comparison of the two systems, as `evals compare` makes it."""
    first, second = drawn_shares(planted, seed)
    pair = compared_pair(_figures("first", first), _figures("second", second))
    assert pair is not None
    return pair


def _figures(model: str, shares: NDArray[np.float64]) -> CaseFigures:
    cases: dict[CaseKey, float] = {(f"commit-{at}", ""): share for at, share in enumerate(shares.tolist())}
    variant = VariantName(model, "", "", "", "", "r", simulated=True)
    clusters = {case: case[0] for case in cases}
    return CaseFigures(variant, cases, {}, clusters, attempts=_ATTEMPTS, single=False, binary=False)
