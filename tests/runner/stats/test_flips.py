"""The same answers judged twice: the table of flips and its exact test."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.flips import Flips, flips, mcnemar


@given(first=st.integers(0, 400), second=st.integers(0, 400))
def test_the_exact_test_is_that_of_statsmodels(first: int, second: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar

    theirs = their_mcnemar([[0, first], [second, 0]], exact=True).pvalue if first + second else 1.0

    assert mcnemar(first, second) == pytest.approx(theirs, rel=1e-9)


@given(first=st.integers(0, 60), second=st.integers(0, 60))
def test_the_direction_of_the_flips_does_not_matter(first: int, second: int) -> None:
    assert mcnemar(first, second) == mcnemar(second, first) <= 1


def test_thousands_of_flips_can_be_tested() -> None:
    from scipy import stats

    assert mcnemar(2_000, 2_100) == pytest.approx(stats.binomtest(2_000, 4_100).pvalue)


@pytest.mark.parametrize(
    "pairs, expected",
    [
        pytest.param([], Flips(0, 0, 0, 0), id="nothing"),
        pytest.param([(True, True)] * 3 + [(False, False)], Flips(3, 0, 0, 1), id="agreement"),
        pytest.param([(True, False)] * 2 + [(False, True)], Flips(0, 2, 1, 0), id="flips"),
    ],
)
def test_pairs_are_counted(pairs: list[tuple[bool, bool]], expected: Flips) -> None:
    assert flips(pairs) == expected


def test_the_p_value_is_that_of_the_flips_alone() -> None:
    assert mcnemar(1, 9) == pytest.approx(0.021484375)
