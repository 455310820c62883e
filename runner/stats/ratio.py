"""Ratios of totals over cases, such as hits per prediction: the case is the unit, and large cases weigh more."""

import math
from collections.abc import Sequence

from runner.stats.intervals import CONFIDENCE, Interval, normal_quantile, rate_interval, ratio_variance, wilson


def ratio_over_cases(parts: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the sum of the parts' first numbers over the sum of their second, and an interval clustered by part.

    Every part has 0 <= first <= second, so that the ratio is a rate; None where the second numbers sum to 0. The
    variance is the ratio estimator's, by linearisation (Cochran 1977, section 6.3); the interval is Wilson's at the
    number of draws that would have it, as for `rate_over_cases`.
    """
    cases = [(part, whole) for part, whole in parts if whole]
    total = math.fsum(whole for _, whole in cases)
    if not total:
        return None
    ratio = math.fsum(part for part, _ in cases) / total
    if len(cases) == 1:
        return wilson(ratio, total, normal_quantile(0.5 + CONFIDENCE / 2))
    variance = ratio_variance(ratio, *zip(*cases, strict=True))
    return rate_interval(ratio, variance, len(cases), total)
