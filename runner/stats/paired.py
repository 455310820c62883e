"""Comparing two variants on the same answers or the same cases."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runner.stats.intervals import Interval, mean_over_cases


@dataclass(frozen=True, slots=True)
class Flips:
    """A 2x2 table of pairs: `both` and `neither` agree; `first_only` and `second_only` are the flips."""

    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def p_value(self) -> float:
        """The exact two-sided McNemar test: are flips either way equally likely (McNemar 1947)."""
        return mcnemar(self.first_only, self.second_only)


def flips(pairs: Iterable[tuple[bool, bool]]) -> Flips:
    """Count pairs of (first solved, second solved)."""
    counts = {(a, b): 0 for a in (False, True) for b in (False, True)}
    for a, b in pairs:
        counts[a, b] += 1
    return Flips(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def mcnemar(first_only: int, second_only: int) -> float:
    """Twice the smaller tail of Binomial(flips, 1/2), at most 1; 1 without flips."""
    n, k = first_only + second_only, min(first_only, second_only)
    if n == 0:
        return 1.0
    return min(1.0, 2 * math.fsum(math.comb(n, i) / 2**n for i in range(k + 1)))


def difference_over_cases(first: Mapping[str, float], second: Mapping[str, float]) -> Interval | None:
    """Return the mean over the shared cases of (second - first), with an interval clustered by case."""
    return mean_over_cases([second[case] - first[case] for case in first if case in second])
