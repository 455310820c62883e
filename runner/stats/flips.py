"""The same answers judged twice: a table of pairs, and the exact test of McNemar."""

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Flips:
    """A 2x2 table of pairs: `both` and `neither` agree; `first_only` and `second_only` are the flips."""

    both: int
    first_only: int
    second_only: int
    neither: int


def flips(pairs: Iterable[tuple[bool, bool]]) -> Flips:
    """Count pairs of (first solved, second solved)."""
    counts = {(a, b): 0 for a in (False, True) for b in (False, True)}
    for a, b in pairs:
        counts[a, b] += 1
    return Flips(counts[True, True], counts[True, False], counts[False, True], counts[False, False])


def mcnemar(first_only: int, second_only: int) -> float:
    """Return the exact two-sided p-value of McNemar (1947): are flips either way equally likely; 1 without flips.

    It is twice the smaller tail of Binomial(flips, 1/2), at most 1.
    """
    n, k = first_only + second_only, min(first_only, second_only)
    if n == 0:
        return 1.0
    return min(1.0, 2 * math.fsum(math.comb(n, i) / 2**n for i in range(k + 1)))
