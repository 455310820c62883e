"""Intervals agree with SciPy and statsmodels where these have them, and cover what they promise to."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from runner.stats.intervals import (
    mean_over_cases,
    normal_quantile,
    rate_over_cases,
    rate_over_clusters,
    student_cdf,
    student_quantile,
    wilson,
)

probabilities = st.floats(min_value=0.5001, max_value=0.9999)


@given(probability=st.floats(min_value=1e-6, max_value=1 - 1e-6))
def test_the_normal_quantile_is_scipys(probability: float) -> None:
    from scipy import stats

    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-9)


@given(probability=probabilities, degrees=st.integers(1, 3_000))
@example(probability=0.9998999999999999, degrees=2001)
def test_students_quantile_is_scipys(probability: float, degrees: int) -> None:
    from scipy import stats

    assert student_quantile(probability, degrees) == pytest.approx(
        stats.t.ppf(probability, degrees), rel=1e-6, abs=1e-6
    )


@given(t=st.floats(0, 50), degrees=st.integers(1, 3_000))
def test_students_distribution_is_scipys(t: float, degrees: int) -> None:
    from scipy import stats

    assert student_cdf(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), abs=1e-7)


@given(count=st.integers(1, 5_000), share=st.floats(0, 1))
def test_wilsons_interval_is_that_of_statsmodels(count: int, share: float) -> None:
    from statsmodels.stats.proportion import proportion_confint

    solved = round(share * count)

    ours = wilson(solved / count, count, normal_quantile(0.975))

    low, high = proportion_confint(solved, count, alpha=0.05, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9)


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=40))
def test_the_interval_of_a_mean_is_scipys(values: list[float]) -> None:
    from scipy import stats

    ours = mean_over_cases(values)

    error = stats.sem(values)
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), error) if error > 0 else (values[0], values[0])
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-6)


@given(rates=st.lists(st.floats(0, 1), min_size=1, max_size=60), attempts=st.integers(1, 10))
def test_an_interval_of_a_rate_holds_its_estimate_and_stays_between_0_and_1(rates: list[float], attempts: int) -> None:
    found = rate_over_cases(rates, attempts * len(rates))

    assert found is not None
    assert found.estimate == pytest.approx(np.mean(rates))
    assert 0 <= found.low <= found.estimate <= found.high <= 1
    assert found.low < found.high


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_never_and_always_have_a_width_that_more_cases_narrow(rate: float) -> None:
    widths = []
    for cases in (2, 10, 100):
        found = rate_over_cases([rate] * cases, 5 * cases)
        assert found is not None
        widths.append(found.high - found.low)

    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.05 < widths[0]


def test_attempts_at_one_case_are_not_as_many_cases() -> None:
    alike = rate_over_cases([0.0, 1.0] * 10, 1_000)
    apart = rate_over_cases([0.5] * 20, 20)

    assert alike is not None
    assert apart is not None
    assert alike.high - alike.low > 0.4
    assert alike.estimate == apart.estimate


def test_cases_weigh_alike() -> None:
    found = rate_over_cases([1.0, 0.0], attempts=101)

    assert found is not None
    assert found.estimate == 0.5


@pytest.mark.parametrize("spread", [0.0, 0.2, 0.4])
@pytest.mark.parametrize("rate", [0.3, 0.5, 0.9])
def test_nineteen_of_twenty_intervals_hold_the_true_rate(rate: float, spread: float) -> None:
    random = np.random.default_rng(1)
    held, runs, cases, attempts = 0, 1_500, 50, 5
    width = min(spread, 1 - rate, rate)

    for _ in range(runs):
        own = random.uniform(rate - width, rate + width, cases)
        shares = random.binomial(attempts, own) / attempts
        found = rate_over_cases([float(share) for share in shares], cases * attempts)
        held += found is not None and found.low <= rate <= found.high

    assert 0.92 <= held / runs <= 0.98


def test_one_case_has_wilsons_interval_of_its_attempts() -> None:
    assert rate_over_cases([0.25], 40) == wilson(0.25, 40, normal_quantile(0.975))


def test_one_case_says_nothing_of_the_spread_of_a_mean() -> None:
    found = mean_over_cases([3.0])

    assert found is not None
    assert (found.estimate, found.low, found.high) == (3.0, -math.inf, math.inf)


def test_without_cases_there_is_no_interval() -> None:
    assert rate_over_cases([], 0) is None
    assert mean_over_cases([]) is None


@given(rates=st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_clusters_of_one_value_each_are_cases(rates: list[float]) -> None:
    ours, theirs = rate_over_clusters(rates, [1] * len(rates)), rate_over_cases(rates, len(rates))

    assert ours is not None
    assert theirs is not None
    for one, other in zip(
        (ours.estimate, ours.low, ours.high), (theirs.estimate, theirs.low, theirs.high), strict=True
    ):
        assert one == pytest.approx(other, abs=1e-9)


@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=9), min_size=2, max_size=12))
def test_the_interval_of_clusters_holds_their_mean_and_stays_within_bounds(clusters: list[list[float]]) -> None:
    found = rate_over_clusters([math.fsum(one) for one in clusters], [len(one) for one in clusters])

    assert found is not None
    assert 0 <= found.low <= found.estimate <= found.high <= 1


def test_intervals_of_few_clusters_cover_what_they_promise_to() -> None:
    draw = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        rates = draw.beta(6, 4, size=3)
        counts = [int(count) for count in draw.integers(5, 30, size=3)]
        found = rate_over_clusters(
            [float(draw.binomial(n, rate)) for n, rate in zip(counts, rates, strict=True)], counts
        )
        assert found is not None
        covered += found.low <= 0.6 <= found.high

    assert covered / 400 >= 0.93


def test_a_single_cluster_tells_nothing_of_others() -> None:
    assert rate_over_clusters([3.0], [4]) is None
