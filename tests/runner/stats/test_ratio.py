import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.ratio import ratio_over_cases


def test_large_cases_weigh_more() -> None:
    interval = ratio_over_cases([(1, 1), (0, 9)])

    assert interval is not None
    assert interval.estimate == 0.1


def test_without_a_denominator_there_is_no_ratio() -> None:
    assert ratio_over_cases([]) is None
    assert ratio_over_cases([(0, 0)]) is None


def test_cases_without_a_share_change_nothing() -> None:
    assert ratio_over_cases([(1, 2), (0, 0), (3, 4)]) == ratio_over_cases([(1, 2), (3, 4)])


@given(st.lists(st.integers(0, 20).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), max_size=12))
def test_the_interval_holds_the_estimate_inside_0_and_1(parts: list[tuple[int, int]]) -> None:
    interval = ratio_over_cases(parts)

    if interval is not None:
        assert 0 <= interval.low <= interval.estimate <= interval.high <= 1


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(400):
        rates, sizes = rng.beta(2, 3, size=30), rng.integers(1, 20, size=30)
        interval = ratio_over_cases([(int(rng.binomial(n, p)), int(n)) for p, n in zip(rates, sizes, strict=True)])
        assert interval is not None
        covered += interval.low <= 0.4 <= interval.high

    assert covered / 400 == pytest.approx(0.95, abs=0.04)
