"""Intervals by resampling whole clusters: rows of one problem are not independent of each other."""

import math
from collections.abc import Sequence

import numpy as np

from runner.stats.correlation import Floats
from runner.stats.intervals import CONFIDENCE, Interval


def resamples(clusters: int, draws: int, seed: int) -> Floats:
    """Return how often each cluster is drawn, one line for each resample of as many clusters (Efron 1979)."""
    drawn = np.random.default_rng(seed).multinomial(clusters, np.full(clusters, 1 / clusters), size=draws)
    return drawn.astype(np.float64)


def mean_interval(values: Sequence[float], draws: int = 2000, seed: int = 0) -> Interval | None:
    """Return the mean of one value per cluster and its percentile interval; None without values."""
    return ratio_interval(values, [1] * len(values), draws, seed)


def ratio_interval(sums: Sequence[float], counts: Sequence[int], draws: int = 2000, seed: int = 0) -> Interval | None:
    """Return the mean of all values and its percentile interval by cluster; None without values.

    For each cluster the sum and the number of its values, which is 1 at least: values weigh alike, and not clusters.
    """
    if not sums:
        return None
    return percentile_interval(math.fsum(sums) / sum(counts), resampled_means(sums, counts, draws, seed))


def resampled_means(sums: Sequence[float], counts: Sequence[int], draws: int, seed: int) -> Floats:
    """Return the mean of all values in each resample of as many clusters.

    Equal clusters are drawn together from a multinomial, which is the same draw and much faster.
    """
    pairs = np.stack([np.asarray(sums, np.float64), np.asarray(counts, np.float64)], axis=1)
    distinct, times = np.unique(pairs, axis=0, return_counts=True)
    drawn = np.random.default_rng(seed).multinomial(len(pairs), times / len(pairs), size=draws)
    means: Floats = (drawn @ distinct[:, 0]) / (drawn @ distinct[:, 1])
    return means


def percentile_interval(estimate: float, values: Floats) -> Interval | None:
    """Return the middle 95 % of an estimate's bootstrap values, without undefined ones (nan); None without any."""
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
