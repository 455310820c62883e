"""Rates from attempts that stop at a quota are not those of attempts that stop at a number."""

from random import Random
from statistics import fmean

import pytest

from runner.stats.quota import valid_rate


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
