"""Estimating rates from attempts that were repeated until a quota of valid ones was reached."""

from collections.abc import Sequence


def valid_rate(validity: Sequence[int], quota: int, *, settled: bool = False) -> float | None:
    """Return the unbiased estimate of how often an attempt at one case is valid, from attempts in launch order.

    Stopping at the quota makes valid/attempts too high (inverse sampling, Haldane 1945): with a quota of 1 the
    first attempt alone is unbiased, with a larger one (valid - 1)/(attempts - 1), whether or not it was larger still
    in an earlier session. A case that hit the cap was stopped by the number of attempts, and its plain share is
    unbiased. So is, at a case that `settled` by an answer which repeats an invalid one, the share of the attempts
    before that answer: give these alone. None without attempts.
    """
    attempts, valid = len(validity), sum(validity)
    if attempts == 0:
        return None
    if settled or valid < quota:
        return valid / attempts
    if quota == 1:
        return float(validity[0])
    return (valid - 1) / (attempts - 1)
