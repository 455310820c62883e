"""Rates from attempts that stop at a quota are not those of attempts that stop at a number."""

from itertools import combinations
from math import comb
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.quota import pass_at_k, pass_hat_k, valid_rate


def until(quota: int, cap: int, chance: float, random: Random) -> list[bool]:
    """The validity of attempts at one case, which stop at the quota or at the cap."""
    validity: list[bool] = []
    while sum(validity) < quota and len(validity) < cap:
        validity.append(random.random() < chance)
    return validity


@pytest.mark.parametrize("chance", [0.3, 0.6, 0.95])
@pytest.mark.parametrize("quota", [1, 2, 5])
def test_the_estimate_is_unbiased_whatever_the_quota(quota: int, chance: float) -> None:
    random = Random(7)

    found = [valid_rate(until(quota, 1_000, chance, random), quota) for _ in range(8_000)]

    assert fmean(rate for rate in found if rate is not None) == pytest.approx(chance, abs=0.015)


def test_the_plain_share_would_be_too_high() -> None:
    random = Random(7)

    runs = [until(1, 1_000, 0.3, random) for _ in range(8_000)]

    assert fmean(sum(run) / len(run) for run in runs) > 0.45


@pytest.mark.parametrize(
    "validity, quota, expected",
    [
        pytest.param([], 1, None, id="no attempt"),
        pytest.param([True], 1, 1.0, id="the first one"),
        pytest.param([False, True], 1, 0.0, id="not the first one"),
        pytest.param([False, True, True], 2, 1 / 2, id="a larger quota"),
        pytest.param([False] * 10, 1, 0.0, id="capped without any"),
        pytest.param([True] + [False] * 9, 2, 0.1, id="capped with one"),
        pytest.param([True] * 5 + [False, True], 3, 5 / 6, id="a quota that was larger once"),
    ],
)
def test_attempts_in_launch_order_give_a_rate(validity: list[bool], quota: int, expected: float | None) -> None:
    assert valid_rate(validity, quota) == (pytest.approx(expected) if expected is not None else None)


@given(solved=st.lists(st.booleans(), min_size=1, max_size=9), k=st.integers(1, 9))
def test_passing_at_k_is_the_share_of_all_choices_of_k_attempts(solved: list[bool], k: int) -> None:
    k = min(k, len(solved))
    choices = list(combinations(solved, k))

    assert pass_at_k(len(solved), sum(solved), k) == pytest.approx(sum(map(any, choices)) / comb(len(solved), k))
    assert pass_hat_k(len(solved), sum(solved), k) == pytest.approx(sum(map(all, choices)) / comb(len(solved), k))


@pytest.mark.parametrize("k", [0, 4])
def test_more_attempts_than_there_are_cannot_be_chosen(k: int) -> None:
    with pytest.raises(ValueError, match="k must be 1 to 3"):
        pass_at_k(3, 1, k)
    with pytest.raises(ValueError, match="k must be 1 to 3"):
        pass_hat_k(3, 1, k)
