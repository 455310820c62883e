"""The test of a paired difference, for every command that compares two variants or two scorings of the same answers."""

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from runner.stats.flips import mcnemar
from runner.stats.sign_flips import sign_flip_p

MCNEMAR, SIGN_FLIPS = "McNemar", "sign flips"


class PairedTest(NamedTuple):
    """The name of a test, and its two-sided p-value."""

    name: str
    p_value: float


def paired_test(clusters: Sequence[Sequence[float]], *, single: bool) -> PairedTest:
    """Test the differences of case means, which come by groups of cases that are not independent.

    `single` says that each difference is that of one pair of answers, or of an answer scored twice: -1, 0 or 1. Where
    each group then is one case, the test is McNemar's, else the signs of the groups are flipped. Several answers to one
    case flip together, so that McNemar's test of them all would find differences that are none.
    """
    if single and all(len(differences) == 1 for differences in clusters):
        signs = Counter(differences[0] for differences in clusters)
        return PairedTest(MCNEMAR, mcnemar(signs[1.0], signs[-1.0]))
    return PairedTest(SIGN_FLIPS, sign_flip_p([math.fsum(differences) for differences in clusters]))
