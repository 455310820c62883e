"""Comparing two variants on the same cases: the difference of their means, its interval, and what it could have shown.

The case is the unit, for attempts at one case are not independent. Where cases come in groups that are not independent
either, such as the tasks of one file, the group is.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from runner.stats.intervals import CONFIDENCE, Interval, student_quantile

# Normal quantiles of a two-sided test at 5 % and of a power of 80 %, added: 1.96 + 0.84.
DETECTABLE_ERRORS = 2.8
# With fewer cases that differ, Student's interval is too short: it has no width at all where no case differs.
ENOUGH_DIFFERING = 10


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The mean of (first - second) over cases, with a 95 % interval by clusters of cases, and its standard error.

    `cases` have both variants, `clusters` are the independent groups of them, `differing` the groups that differ.
    """

    interval: Interval
    error: float
    cases: int
    clusters: int
    differing: int

    @property
    def detectable(self) -> float:
        """The least true difference that would be shown in 80 of 100 such comparisons."""
        return DETECTABLE_ERRORS * self.error

    def cases_for(self, effect: float) -> int:
        """Return how many cases would show a true difference of `effect` in 80 of 100 comparisons: n (MDE / effect)^2.

        Raises ValueError for an effect of 0.
        """
        if not effect:
            raise ValueError("an effect of 0 is shown by no number of cases")
        return max(2, math.ceil(self.cases * (self.detectable / effect) ** 2))


def paired_difference(
    clusters: Sequence[Sequence[float]], attempts: float = 1.0, *, shares: bool = True
) -> PairedDifference | None:
    """Return the mean of the differences of all cases, which come by clusters; None below two clusters.

    The interval is Student's, by the variance between clusters. If `shares` are compared, of `attempts` per case, and
    fewer than 10 clusters differ, it is that of Bonett and Price (2012): two cases are added that differ by +c and -c,
    where c is 1 for a single attempt, and its standard deviation, 1 / sqrt(attempts), for the mean of several. Over
    10,000 draws of each of many shapes it then covers 95 to 100 % (see tests/bench/bench_comparisons.py); from
    10 differing clusters on Student's covers 94 to 96 %.
    """
    differing = sum(any(differences) for differences in clusters)
    cases = sum(map(len, clusters))
    if len(clusters) < 2:
        return None
    mean = math.fsum(value for differences in clusters for value in differences) / cases
    few = shares and differing < ENOUGH_DIFFERING
    spread = 1 / math.sqrt(max(1.0, attempts))
    centre, error = _mean_and_error([*clusters, (spread,), (-spread,)] if few else clusters)
    half = student_quantile(0.5 + CONFIDENCE / 2, len(clusters) - 1) * error
    interval = Interval(mean, min(mean, centre - half), max(mean, centre + half))
    return PairedDifference(interval, error, cases, len(clusters), differing)


def _mean_and_error(clusters: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the mean over cases and its standard error, by linearisation of a ratio (Cochran 1977, section 6.3)."""
    sums = [math.fsum(differences) for differences in clusters]
    sizes = [len(differences) for differences in clusters]
    count, cases = len(clusters), sum(sizes)
    mean = math.fsum(sums) / cases
    squares = math.fsum((total - mean * size) ** 2 for total, size in zip(sums, sizes, strict=True))
    return mean, math.sqrt(squares * count / (count - 1)) / cases
