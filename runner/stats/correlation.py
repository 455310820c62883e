"""How well a score goes with a label: Pearson, Spearman, AUC, and Pearson within groups, under weights.

Every function takes rows, of which each may stand for several equal ones (`counts`), their clusters (`codes`, integers
from 0), and a matrix of cluster weights, one line for each resample. It gives one value for each line: with a line of
ones the plain statistic, with the lines of `bootstrap.resamples` its bootstrap distribution. A statistic that does not
exist (nothing varies) is nan.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Rows x resamples held at once by `spearman`: 32 MB in each of a few arrays.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """What scores are correlated with: each row's label, its cluster, and how many equal rows it stands for."""

    labels: Floats
    codes: Integers
    counts: Floats


# (scores, rows, weights) -> one value for each line of weights.
Statistic = Callable[[Floats, LabelledRows, Floats], Floats]


def pearson(scores: Floats, rows: LabelledRows, weights: Floats) -> Floats:
    """Return the product-moment correlation."""
    x, y = _standard(scores), _standard(rows.labels)
    sums = _by_cluster(np.stack([np.ones_like(x), x, y, x * x, y * y, x * y]), rows, weights.shape[1])
    n, sx, sy, sxx, syy, sxy = (weights @ sums.T).T
    return _ratio(n * sxy - sx * sy, n * sxx - sx * sx, n * syy - sy * sy, noise=1e-10 * n * n)


def within(scores: Floats, rows: LabelledRows, weights: Floats) -> Floats:
    """Pearson's correlation of what is left when each cluster's own means are taken off (fixed effects).

    Clusters in which every label is the same say nothing of order and are left out.
    """
    clusters = weights.shape[1]
    sizes = np.bincount(rows.codes, rows.counts, minlength=clusters)
    x, y = (
        v - (np.bincount(rows.codes, v * rows.counts, clusters) / np.maximum(sizes, 1))[rows.codes]
        for v in (_standard(scores), _standard(rows.labels))
    )
    sxx, syy, sxy = _by_cluster(np.stack([x * x, y * y, x * y]), rows, clusters)
    mixed = _mixed(rows, clusters)
    return _ratio(weights @ (sxy * mixed), weights @ (sxx * mixed), weights @ (syy * mixed), noise=np.float64(1e-10))


def spearman(scores: Floats, rows: LabelledRows, weights: Floats) -> Floats:
    """Pearson's correlation of the ranks, ties sharing their mean rank; ranks are computed again in each resample."""
    lines = max(1, _AT_ONCE // len(scores))
    parts = [
        _spearman(scores, rows.labels, weights[start : start + lines][:, rows.codes] * rows.counts)
        for start in range(0, len(weights), lines)
    ]
    return np.concatenate(parts)


def auc(scores: Floats, rows: LabelledRows, weights: Floats) -> Floats:
    """Return the probability that a row labelled 1 scores higher than one labelled 0; a tie is 1/2 (Mann-Whitney)."""
    clusters = weights.shape[1]
    wins = _wins(scores, rows, clusters)
    positive, negative = (
        np.bincount(rows.codes[those], rows.counts[those], clusters) for those in (rows.labels > 0, rows.labels <= 0)
    )
    won = np.einsum("bp,bp->b", weights @ wins, weights)
    pairs = (weights @ positive) * (weights @ negative)
    areas: Floats = np.full(len(weights), np.nan)
    np.divide(won, pairs, out=areas, where=pairs > 0)
    return areas


STATISTICS: dict[str, Statistic] = {"pearson": pearson, "spearman": spearman, "auc": auc, "within": within}


def _by_cluster(terms: Floats, rows: LabelledRows, clusters: int) -> Floats:
    return np.stack([np.bincount(rows.codes, term * rows.counts, clusters) for term in terms])


def _mixed(rows: LabelledRows, clusters: int) -> Floats:
    """Return 1 for each cluster in which labels differ, else 0."""
    present = rows.counts > 0
    low, high = np.full(clusters, np.inf), np.full(clusters, -np.inf)
    np.minimum.at(low, rows.codes[present], rows.labels[present])
    np.maximum.at(high, rows.codes[present], rows.labels[present])
    return (high > low).astype(np.float64)


def _standard(values: Floats) -> Floats:
    """With mean 0 and variance 1, which no correlation sees: sums of squares do not cancel, and noise has a size."""
    spread = values.std()
    standard: Floats = (values - values.mean()) / (spread if spread > 1e-12 * np.abs(values).max() else np.inf)
    return standard


def _ratio(covariance: Floats, of_x: Floats, of_y: Floats, *, noise: Floats | np.float64) -> Floats:
    """Covariance by the root of both variances; nan where one is no more than the noise of its subtraction."""
    exists = (of_x > noise) & (of_y > noise)
    ratios: Floats = np.full(len(covariance), np.nan)
    np.divide(covariance, np.sqrt(of_x * of_y, where=exists, out=np.ones_like(of_x)), out=ratios, where=exists)
    return ratios


def _spearman(scores: Floats, labels: Floats, weights: Floats) -> Floats:
    x, y = _midranks(scores, weights), _midranks(labels, weights)
    n = weights.sum(axis=1, keepdims=True)
    # Ranks of n rows always have the mean (n + 1) / 2.
    x -= (n + 1) / 2
    y -= (n + 1) / 2
    xy, xx, yy = ((weights * a * b).sum(axis=1) for a, b in ((x, y), (x, x), (y, y)))
    return _ratio(xy, xx, yy, noise=np.float64(0))


def _midranks(values: Floats, weights: Floats) -> Floats:
    """Return each row's mean rank among rows of which row i is there `weights[:, i]` times."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=-np.inf))
    tied = np.add.reduceat(weights[:, order], starts, axis=1)
    ranks = np.cumsum(tied, axis=1) - tied / 2 + 0.5
    place = np.empty(len(values), dtype=np.int64)
    place[order] = np.searchsorted(starts, np.arange(len(values)), side="right") - 1
    return ranks[:, place]


def _wins(scores: Floats, rows: LabelledRows, clusters: int) -> Floats:
    """Return how often a positive row of one cluster (line) beats a negative row of another (column)."""
    positive = rows.labels > 0
    mine = scores[positive]
    wins = np.zeros((clusters, clusters))
    for cluster in np.unique(rows.codes[~positive]):
        negative = np.flatnonzero(~positive & (rows.codes == cluster))
        negative = negative[np.argsort(scores[negative])]
        lower = np.concatenate([[0.0], np.cumsum(rows.counts[negative])])
        theirs = scores[negative]
        beaten = (lower[np.searchsorted(theirs, mine, "left")] + lower[np.searchsorted(theirs, mine, "right")]) / 2
        wins[:, cluster] = np.bincount(rows.codes[positive], beaten * rows.counts[positive], clusters)
    return wins
