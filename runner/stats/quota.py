"""Estimating rates from attempts that were repeated until a quota of valid ones was reached."""

import math
from collections.abc import Sequence


def valid_rate(validity: Sequence[bool], quota: int) -> float | None:
    """The unbiased estimate of how often an attempt at one case is valid, from attempts in launch order.

    Stopping at the quota makes valid/attempts too high (inverse sampling, Haldane 1945): with a quota of 1 the
    first attempt alone is unbiased, with a larger one (valid - 1)/(attempts - 1), whether or not it was larger still
    in an earlier session. A case that hit the cap was stopped by the number of attempts, and its plain share is
    unbiased. None without attempts.
    """
    attempts, valid = len(validity), sum(validity)
    if attempts == 0:
        return None
    if valid < quota:
        return valid / attempts
    if quota == 1:
        return float(validity[0])
    return (valid - 1) / (attempts - 1)


def pass_at_k(attempts: int, solved: int, k: int) -> float:
    """The chance that at least one of k attempts solves, unbiased: 1 - C(n-c,k)/C(n,k) (Chen et al. 2021).

    Raises ValueError when there are fewer than k attempts.
    """
    _enough(attempts, k)
    return 1 - math.comb(attempts - solved, k) / math.comb(attempts, k)


def pass_hat_k(attempts: int, solved: int, k: int) -> float:
    """The chance that all of k attempts solve: C(c,k)/C(n,k). Raises ValueError as `pass_at_k` does."""
    _enough(attempts, k)
    return math.comb(solved, k) / math.comb(attempts, k)


def _enough(attempts: int, k: int) -> None:
    if not 1 <= k <= attempts:
        raise ValueError(f"k must be 1 to {attempts}, not {k}")
