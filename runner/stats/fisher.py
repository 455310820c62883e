"""Fisher's exact test: whether two groups have the same share of something, from counts, however small."""

from collections.abc import Iterator
from dataclasses import dataclass

# Tables that are as probable as the one that was found may differ from it by rounding.
_NOISE = 1e-7
# Beside the most probable table, those below this share add nothing.
_NOTHING = 1e-300


@dataclass(frozen=True, slots=True)
class Share:
    """So many of a group: `count` of `total`."""

    count: int
    total: int


def fisher_p(first: Share, other: Share) -> float:
    """Return the two-sided p-value of Fisher's exact test of a 2 x 2 table (Fisher 1935, section 21.02).

    Both margins are given; the p-value is the probability of all tables that are at most as probable as the one found,
    as in R's `fisher.test`. 1 where a group is empty. Takes time in proportion to the root of the counts.
    """
    count, total = first.count + other.count, first.total + other.total
    most = min(first.total, count)
    least = max(0, count - other.total)
    if least == most:
        return 1.0
    mode = min(most, max(least, (count + 1) * (first.total + 1) // (total + 2)))
    weights = {mode: 1.0}
    weights.update(_weights(mode, most, +1, first.total, other.total, count))
    weights.update(_weights(mode, least, -1, first.total, other.total, count))
    bound = weights.get(first.count, 0.0) * (1 + _NOISE)
    return min(1.0, sum(weight for weight in weights.values() if weight <= bound) / sum(weights.values()))


def _weights(mode: int, end: int, step: int, first: int, other: int, count: int) -> Iterator[tuple[int, float]]:
    """Yield the tables from beside the mode to `end`, with their probability by that of the mode, while it is any."""
    weight, at = 1.0, mode
    while at != end and weight > _NOTHING:
        low = at if step > 0 else at - 1
        ratio = (first - low) * (count - low) / ((low + 1) * (other - count + low + 1))
        weight *= ratio if step > 0 else 1 / ratio
        at += step
        yield at, weight
