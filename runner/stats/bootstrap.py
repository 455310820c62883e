"""Intervals by resampling whole clusters: rows of one problem are not independent of each other."""

import math

import numpy as np

from runner.stats.correlation import Floats
from runner.stats.intervals import CONFIDENCE, Interval


def resamples(clusters: int, draws: int, seed: int) -> Floats:
    """How often each cluster is drawn, one line for each resample of as many clusters (Efron 1979)."""
    drawn = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)
    return drawn.astype(np.float64)


def percentile_interval(estimate: float, values: Floats) -> Interval | None:
    """The middle 95 % of an estimate's bootstrap values, those that do not exist (nan) left out; None without any."""
    known = values[~np.isnan(values)]
    if math.isnan(estimate) or not len(known):
        return None
    low, high = np.quantile(known, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Interval(estimate, float(low), float(high))


def sign_probability(differences: Floats) -> float:
    """Twice the share of paired bootstrap differences on the rarer side of 0: a two-sided p-value, at most 1.

    With n differences it is never below 2 / (n + 1); without any it is 1.
    """
    known = differences[~np.isnan(differences)]
    rarer = min(int((known <= 0).sum()), int((known >= 0).sum()))
    return min(1.0, 2 * (rarer + 1) / (len(known) + 1))
