"""Intervals of rates over cases: attempts at one case are not independent, so the case is the unit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A point estimate and the ends of its 95 % interval."""

    estimate: float
    low: float
    high: float


def rate_over_cases(case_rates: Sequence[float], attempts: int) -> Interval | None:
    """Return the mean of the cases' rates, each in 0..1, and an interval clustered by case; None without cases.

    Cases weigh alike, however many attempts they had; `attempts` is the number in all. The interval is Wilson's
    at the effective number of attempts, p(1-p) divided by the variance between case means, with Student's
    quantile at (cases - 1) degrees of freedom: it stays inside 0..1 and has a width at 0 % and 100 %, where the
    plain clustered interval has none (Korn and Graubard 1998; Franco et al. 2019).
    """
    cases = len(case_rates)
    if cases == 0:
        return None
    mean = math.fsum(case_rates) / cases
    if cases == 1:
        return wilson(mean, attempts, normal_quantile(0.5 + CONFIDENCE / 2))
    variance = math.fsum((rate - mean) ** 2 for rate in case_rates) / (cases - 1) / cases
    return rate_interval(mean, variance, cases, attempts)


def rate_over_clusters(sums: Sequence[float], counts: Sequence[int]) -> Interval | None:
    """Return the mean of values in 0..1 over all clusters, with an interval by cluster; None below two clusters.

    For each cluster the sum and the number of its values, which is 1 at least; unlike in `rate_over_cases`, values
    weigh alike, and not clusters. The interval is made as there, with the linearized variance of a ratio (Cochran
    1977, 6.3).
    """
    clusters, total = len(counts), sum(counts)
    if clusters < 2:
        return None
    mean = min(1.0, max(0.0, math.fsum(sums) / total))
    return rate_interval(mean, ratio_variance(mean, sums, counts), clusters, total)


def ratio_variance(ratio: float, firsts: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the variance of the ratio of two sums over two or more groups, by linearisation (Cochran 1977, 6.3)."""
    groups, total = len(seconds), math.fsum(seconds)
    squares = math.fsum((first - ratio * second) ** 2 for first, second in zip(firsts, seconds, strict=True))
    return squares * groups / (groups - 1) / total**2


def rate_interval(rate: float, variance: float, groups: int, draws: float) -> Interval:
    """Return the interval of a rate whose variance between two or more groups is known; `draws` is the number in all.

    It is Wilson's at the number of draws that would have this variance.
    """
    within = rate * (1 - rate)
    # Where every group gave the same rate the spread says nothing: as many independent draws as groups, no more.
    effective = min(within / variance, draws) if variance > 0 and within > 0 else groups
    return wilson(rate, effective, student_quantile(0.5 + CONFIDENCE / 2, groups - 1))


def wilson(rate: float, n: float, quantile: float) -> Interval:
    """Wilson's score interval of a rate seen in `n` draws (Wilson 1927)."""
    square = quantile * quantile
    centre = (rate + square / (2 * n)) / (1 + square / n)
    half = quantile / (1 + square / n) * math.sqrt(rate * (1 - rate) / n + square / (4 * n * n))
    return Interval(rate, max(0.0, min(centre - half, rate)), min(1.0, max(centre + half, rate)))


def mean_over_cases(values: Sequence[float]) -> Interval | None:
    """Return the mean of one number per case and its Student interval; None without cases."""
    cases = len(values)
    if cases == 0:
        return None
    mean = math.fsum(values) / cases
    if cases == 1:
        return Interval(mean, -math.inf, math.inf)
    error = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (cases - 1) / cases)
    half = student_quantile(0.5 + CONFIDENCE / 2, cases - 1) * error
    return Interval(mean, mean - half, mean + half)


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile, by Newton's method on the error function."""
    x = 0.0
    for _ in range(60):
        error = 0.5 * math.erfc(-x / math.sqrt(2)) - probability
        step = error * math.sqrt(2 * math.pi) * math.exp(min(x * x / 2, 700))
        x -= max(-1.0, min(1.0, step))
        if abs(step) < 1e-15:
            break
    return x


@lru_cache(maxsize=1024)
def student_quantile(probability: float, degrees: int) -> float:
    """Student's t quantile for `probability` in (0.5, 1), by bisection on the distribution function."""
    low, high = 0.0, 2.0
    while student_cdf(high, degrees) < probability:
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in {low, high}:
            break
        if student_cdf(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def student_cdf(t: float, degrees: int) -> float:
    """P(T <= t) for t >= 0: finite sums for whole degrees of freedom (Abramowitz and Stegun 26.7.3-4)."""
    if degrees > 2000:
        # The sums would be long; Wallace's normal approximation (1959) gives quantiles within 1e-7 of themselves there.
        z = (8 * degrees + 1) / (8 * degrees + 3) * math.sqrt(degrees * math.log1p(t * t / degrees))
        return 0.5 * math.erfc(-z / math.sqrt(2))
    theta = math.atan(t / math.sqrt(degrees))
    sine, cosine = math.sin(theta), math.cos(theta)
    odd = degrees % 2
    term = total = cosine if odd else 1.0
    if degrees == 1:
        return 0.5 + theta / math.pi
    for k in range(3 if odd else 2, degrees, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    area = 2 / math.pi * (theta + sine * total) if odd else sine * total
    return (1 + area) / 2
