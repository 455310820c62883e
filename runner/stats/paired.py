"""Comparing two variants on the same cases: the difference of their means, its interval, and what it could have shown.

The case is the unit, for attempts at one case are not independent. Where cases come in groups that are not independent
either, such as the tasks of one file, the group is.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

from runner.stats.intervals import CONFIDENCE, Interval, normal_quantile, ratio_variance, student_quantile

Case = TypeVar("Case", bound=Hashable)

POWER = 0.8
# With fewer cases that are unlike the others, Student's interval is too short: it has no width where all are alike.
ENOUGH_UNLIKE = 8
# The number of cases decides the quantiles by which it is computed: so often is it computed again.
_ROUNDS = 4


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
        """The least true difference that would be shown in 80 of 100 such comparisons.

        It is 2.8 standard errors, 1.96 of them for a two-sided test at 5 % and 0.84 for the power (Cohen 1988); more
        with few clusters, by Student's quantiles in place of the normal ones.
        """
        return _detectable_errors(self.clusters) * self.error

    def cases_for(self, effect: float) -> int:
        """Return how many cases would show a true difference of `effect` in 80 of 100 comparisons.

        The standard error falls with the root of the cases; clusters keep their mean size. As it is itself estimated,
        the upper end of its one-sided 80 % interval is taken, so that in four of five cases the power is reached
        (Browne 1995). Raises ValueError for an effect of 0.
        """
        if not effect:
            raise ValueError("an effect of 0 is shown by no number of cases")
        errors = _detectable_errors(self.clusters)
        for _ in range(_ROUNDS):
            needed = self.cases * _upper_variance(self.clusters - 1) * (errors * self.error / effect) ** 2
            errors = _detectable_errors(round(needed * self.clusters / self.cases))
        return max(2, math.ceil(needed - 1e-9))


def case_means(values: Iterable[tuple[Case, float]]) -> dict[Case, float]:
    """Return the mean of the values of each case, in the order of the cases' first values."""
    groups: defaultdict[Case, array[float]] = defaultdict(lambda: array("d"))
    for case, value in values:
        groups[case].append(value)
    return {case: fmean(numbers) for case, numbers in groups.items()}


def clustered_means(values: Iterable[tuple[str, Case, float]]) -> list[list[float]]:
    """Return the mean of the values of each case, by clusters; a value comes with its cluster and its case."""
    means = case_means(((cluster, case), value) for cluster, case, value in values)
    clusters: defaultdict[str, list[float]] = defaultdict(list)
    for (cluster, _), mean in means.items():
        clusters[cluster].append(mean)
    return list(clusters.values())


def _detectable_errors(clusters: int) -> float:
    degrees = max(1, clusters - 1)
    return student_quantile(0.5 + CONFIDENCE / 2, degrees) + student_quantile(POWER, degrees)


def _upper_variance(degrees: int) -> float:
    """Return the upper end of the one-sided 80 % interval of a variance that is estimated as 1.

    The quantile of chi-squared is that of Wilson and Hilferty (1931).
    """
    part = 2 / (9 * degrees)
    return 1.0 / max(0.05, 1 - part - normal_quantile(POWER) * math.sqrt(part)) ** 3


def paired_difference(
    clusters: Sequence[Sequence[float]], attempts: float = 1.0, *, shares: bool = True
) -> PairedDifference | None:
    """Return the mean of the differences of all cases, which come by clusters; None below two clusters.

    The interval is Student's, by the variance between clusters. If `shares` are compared, of `attempts` per case, and
    fewer than 8 clusters have another difference than the commonest, mostly 0, it is that of Bonett and Price (2012):
    two cases are added that differ by +c and -c, where c is 1 for a single attempt, and its standard deviation,
    1 / sqrt(attempts), for the mean of several. `docs/comparing.md` says how often it covers the true difference.
    """
    differing = sum(any(differences) for differences in clusters)
    cases = sum(map(len, clusters))
    if len(clusters) < 2:
        return None
    mean = math.fsum(value for differences in clusters for value in differences) / cases
    alike = Counter(math.fsum(differences) for differences in clusters).most_common(1)[0][1]
    few = shares and len(clusters) - alike < ENOUGH_UNLIKE
    spread = 1 / math.sqrt(max(1.0, attempts))
    centre, error = _mean_and_error([*clusters, (spread,), (-spread,)] if few else clusters)
    half = student_quantile(0.5 + CONFIDENCE / 2, len(clusters) - 1) * error
    most = 1.0 if shares else math.inf
    interval = Interval(mean, max(-most, min(mean, centre - half)), min(most, max(mean, centre + half)))
    return PairedDifference(interval, error, cases, len(clusters), differing)


def _mean_and_error(clusters: Sequence[Sequence[float]]) -> tuple[float, float]:
    """Return the mean over cases and its standard error by clusters."""
    sums = [math.fsum(differences) for differences in clusters]
    sizes = [len(differences) for differences in clusters]
    mean = math.fsum(sums) / sum(sizes)
    return mean, math.sqrt(ratio_variance(mean, sums, sizes))
