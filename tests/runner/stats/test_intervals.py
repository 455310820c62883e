"""Intervals agree with SciPy and statsmodels where these have them, and cover what they promise to."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from runner.stats.intervals import (
    mean_over_cases,
    normal_quantile,
    rate_over_cases,
    student_cdf,
    student_quantile,
    wilson,
)

probabilities = st.floats(min_value=0.5001, max_value=0.9999)


@given(probability=st.floats(min_value=1e-6, max_value=1 - 1e-6))
def test_the_normal_quantile_is_scipys(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-9)


@given(probability=probabilities, degrees=st.integers(1, 3_000))
def test_students_quantile_is_scipys(probability: float, degrees: int) -> None:
    assert student_quantile(probability, degrees) == pytest.approx(
        stats.t.ppf(probability, degrees), rel=1e-6, abs=1e-6
    )


@given(t=st.floats(0, 50), degrees=st.integers(1, 3_000))
def test_students_distribution_is_scipys(t: float, degrees: int) -> None:
    assert student_cdf(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), abs=1e-7)


@given(count=st.integers(1, 5_000), share=st.floats(0, 1))
def test_wilsons_interval_is_that_of_statsmodels(count: int, share: float) -> None:
    solved = round(share * count)

    ours = wilson(solved / count, count, normal_quantile(0.975))

    low, high = proportion_confint(solved, count, alpha=0.05, method="wilson")
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-9)


@given(values=st.lists(st.floats(-100, 100), min_size=2, max_size=40))
def test_the_interval_of_a_mean_is_scipys(values: list[float]) -> None:
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
