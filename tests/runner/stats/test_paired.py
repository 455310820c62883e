"""Two variants on the same cases: the difference, its interval, and what it could have shown."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.paired import PairedDifference, paired_difference

DIFFERENCES = [0.2, -0.4, 0.6, 1.0, 0.2, 0.4, -0.2, 0.8, -0.6, 0.6, 0.0, 0.0]


def by_case(differences: list[float], attempts: float = 1.0, *, shares: bool = True) -> PairedDifference:
    found = paired_difference([(value,) for value in differences], attempts, shares=shares)
    assert found is not None
    return found


def test_where_ten_cases_are_unlike_the_others_the_interval_is_student_s() -> None:
    from scipy import stats

    found = by_case(DIFFERENCES, 5)

    theirs = stats.ttest_1samp(DIFFERENCES, 0).confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high))
    assert found.interval.estimate == pytest.approx(np.mean(DIFFERENCES))
    assert (found.cases, found.clusters, found.differing) == (12, 12, 10)


def test_any_figure_but_a_share_has_student_s_interval_however_few_cases_differ() -> None:
    from scipy import stats

    found = by_case([120.0, -3.5, 0.0], shares=False)

    theirs = stats.ttest_1samp([120.0, -3.5, 0.0], 0).confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("attempts, added", [(1, 1.0), (4, 0.5)])
def test_where_fewer_differ_two_cases_are_added_as_bonett_and_price_do(attempts: float, added: float) -> None:
    from scipy import stats

    differences = [1.0, 1.0, -1.0, *[0.0] * 17]

    found = by_case(differences, attempts)

    longer = [*differences, added, -added]
    error = np.std(longer, ddof=1) / math.sqrt(len(longer))
    half = stats.t.ppf(0.975, 19) * error
    assert found.error == pytest.approx(error)
    assert (found.interval.low, found.interval.high) == pytest.approx((np.mean(longer) - half, np.mean(longer) + half))
    assert found.interval.estimate == pytest.approx(0.05)


def test_where_no_case_differs_the_interval_has_a_width_and_something_could_have_been_seen() -> None:
    found = by_case([0.0] * 29)

    assert found.interval.low == -found.interval.high < 0
    assert 0.1 < found.detectable < 0.2


def test_where_every_case_differs_alike_the_interval_has_a_width_as_well() -> None:
    found = by_case([1.0] * 29)

    assert (found.interval.estimate, found.interval.high) == (1.0, 1.0)
    assert 0.7 < found.interval.low < 0.95


def test_cases_of_one_cluster_are_taken_together() -> None:
    from statsmodels.api import OLS

    clusters = [[0.2, 0.4, 0.1], [-0.5], [1.0, 0.3], [0.2], *[[0.1 * n, -0.05 * n] for n in range(1, 10)]]

    found = paired_difference(clusters)

    values = [value for cluster in clusters for value in cluster]
    groups = [number for number, cluster in enumerate(clusters) for _ in cluster]
    theirs = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(groups), "use_correction": False}
    )
    assert found is not None
    assert found.interval.estimate == pytest.approx(theirs.params[0])
    # Ours has the factor clusters / (clusters - 1).
    assert found.error == pytest.approx(theirs.bse[0] * math.sqrt(len(clusters) / (len(clusters) - 1)))
    assert (found.cases, found.clusters) == (25, 13)


@pytest.mark.parametrize("clusters", [[], [[0.5]], [[0.5, 0.1]]], ids=["nothing", "one case", "one cluster"])
def test_below_two_clusters_nothing_is_known_of_others(clusters: list[list[float]]) -> None:
    assert paired_difference(clusters) is None


@given(st.lists(st.sampled_from([-1.0, -0.4, 0.0, 0.2, 1.0]), min_size=2, max_size=40))
def test_swapping_the_two_turns_the_interval_round(differences: list[float]) -> None:
    found, swapped = by_case(differences, 5), by_case([-value for value in differences], 5)

    assert swapped.interval.estimate == pytest.approx(-found.interval.estimate)
    assert (swapped.interval.low, swapped.interval.high) == pytest.approx((-found.interval.high, -found.interval.low))
    assert found.interval.low <= found.interval.estimate <= found.interval.high


def test_the_detectable_difference_has_the_power_of_80_percent_of_statsmodels() -> None:
    from statsmodels.stats.power import TTestPower

    found = by_case(DIFFERENCES)

    spread = found.error * math.sqrt(12)
    theirs = TTestPower().solve_power(nobs=12, alpha=0.05, power=0.8)
    assert found.detectable / spread == pytest.approx(theirs, rel=0.02)


@pytest.mark.parametrize("effect", [0.05, 0.1, 0.2, 0.3])
def test_the_number_of_cases_is_that_of_statsmodels_for_the_upper_end_of_the_variance(effect: float) -> None:
    from scipy import stats
    from statsmodels.stats.power import TTestPower

    found = by_case(DIFFERENCES)

    spread = found.error * math.sqrt(12) * math.sqrt(11 / stats.chi2.ppf(0.2, 11))
    theirs = TTestPower().solve_power(effect_size=effect / spread, alpha=0.05, power=0.8)
    assert found.cases_for(effect) == pytest.approx(theirs, rel=0.02, abs=1)


def test_many_cases_detect_2_8_standard_errors() -> None:
    found = by_case([0.5, -0.5, 0.25, 0.0] * 1000)

    assert found.detectable / found.error == pytest.approx(2.8, abs=0.01)
    assert found.cases_for(100.0) == 2
    with pytest.raises(ValueError, match="effect of 0"):
        found.cases_for(0)
