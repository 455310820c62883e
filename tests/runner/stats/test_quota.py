"""Rates from attempts that stop at a quota are not those of attempts that stop at a number."""

from collections.abc import Iterator
from fractions import Fraction
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


# Valid, and two texts of invalid answers, with their chances.
CHANCES = {"V": Fraction(1, 2), "x": Fraction(3, 8), "y": Fraction(1, 8)}


def ends(quota: int, cap: int, texts: str = "", chance: Fraction = Fraction(1)) -> Iterator[tuple[str, Fraction]]:
    """Every way in which a lane at temperature 0 ends, with its chance: at the quota, the cap, or a repeated text."""
    invalid = texts.replace("V", "")
    if texts.count("V") == quota or len(texts) == cap or len(set(invalid)) < len(invalid):
        yield texts, chance
        return
    for text, share in CHANCES.items():
        yield from ends(quota, cap, texts + text, chance * share)


@pytest.mark.parametrize("quota, cap", [(1, 2), (1, 10), (2, 3), (2, 10), (3, 4), (5, 9)])
def test_the_estimate_is_unbiased_where_a_repeated_answer_ends_a_lane(quota: int, cap: int) -> None:
    mean = 0.0
    for texts, chance in ends(quota, cap):
        invalid = texts.replace("V", "")
        settled = len(set(invalid)) < len(invalid)
        attempts = texts[:-1] if settled else texts
        mean += float(chance) * (valid_rate([text == "V" for text in attempts], quota, settled=settled) or 0.0)

    assert mean == pytest.approx(float(CHANCES["V"]))
