"""The randomisation test of paired differences."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.flips import mcnemar
from runner.stats.sign_flips import EXACT_UP_TO, sign_flip_p


@given(st.lists(st.integers(-5, 5), max_size=8))
def test_few_differences_are_tested_by_all_signs(fifths: list[int]) -> None:
    values = [number / 5 for number in fifths]
    total = abs(sum(fifths))

    sums = [
        abs(sum(s * n for s, n in zip(signs, fifths, strict=True))) for signs in product((1, -1), repeat=len(fifths))
    ]

    assert sign_flip_p(values) == pytest.approx(sum(one >= total for one in sums) / len(sums))


@given(plus=st.integers(0, 8), minus=st.integers(0, 8), same=st.integers(0, 30))
def test_of_single_attempts_it_is_the_test_of_mcnemar(plus: int, minus: int, same: int) -> None:
    assert sign_flip_p([1.0] * plus + [-1.0] * minus + [0.0] * same) == pytest.approx(mcnemar(plus, minus))


def test_many_differences_are_tested_by_random_signs_which_are_the_same_each_time() -> None:
    from scipy import stats

    values = [0.2 * ((7 * n) % 11) - 0.8 for n in range(EXACT_UP_TO + 30)]

    found = sign_flip_p(values)

    theirs = stats.permutation_test((values,), lambda v, axis: v.sum(axis), permutation_type="samples", vectorized=True,
                                    n_resamples=20_000, rng=5).pvalue  # fmt: skip
    assert found == sign_flip_p(values) != sign_flip_p(values, seed=1)
    assert found == pytest.approx(theirs, abs=0.02)


def test_the_order_of_the_differences_does_not_matter() -> None:
    values = [0.2 * ((7 * n) % 11) - 0.8 for n in range(EXACT_UP_TO + 30)]

    assert sign_flip_p(values) == sign_flip_p(values[::-1]) == sign_flip_p(sorted(values, key=abs))


def test_a_probability_by_random_signs_is_never_0() -> None:
    assert sign_flip_p([1.0] * 100) == pytest.approx(1 / 20_001)


@pytest.mark.parametrize("values", [[], [0.0, 0.0]])
def test_without_a_difference_there_is_nothing_to_find(values: list[float]) -> None:
    assert sign_flip_p(values) == 1.0


def test_choices_of_signs_do_not_depend_on_how_many_are_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [(-1.0) ** at * (1 + at % 7) for at in range(101)]
    p_value = sign_flip_p(differences)
    assert 0.01 < p_value < 1

    monkeypatch.setattr("runner.stats.sign_flips._MOST_SIGNS", 101 * 1_300)

    assert sign_flip_p(differences) == p_value
