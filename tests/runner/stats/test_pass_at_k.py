"""pass@k against its definition: the share of all choices of k answers that hold a right one."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.stats.pass_at_k import mean_pass_at_k, pass_at_k


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_share_of_choices_with_a_right_answer(drawn: tuple[int, int, int]) -> None:
    answers, right, k = drawn
    choices = list(combinations([True] * right + [False] * (answers - right), k))

    assert pass_at_k(answers, right, k) == pytest.approx(sum(map(any, choices)) / len(choices))


@given(st.integers(1, 50).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n))))
def test_pass_at_1_is_the_plain_share(drawn: tuple[int, int]) -> None:
    answers, right = drawn

    assert pass_at_k(answers, right, 1) == pytest.approx(right / answers)


@pytest.mark.parametrize(
    "answers, right, k",
    [
        pytest.param(2, 1, 3, id="fewer answers than k"),
        pytest.param(2, 3, 1, id="more right than answers"),
        pytest.param(2, 1, 0, id="k of 0"),
        pytest.param(2, -1, 1, id="right below 0"),
    ],
)
def test_what_cannot_be_estimated_is_refused(answers: int, right: int, k: int) -> None:
    with pytest.raises(ValueError, match="needs 1 <= k"):
        pass_at_k(answers, right, k)


def test_many_answers_do_not_overflow() -> None:
    assert pass_at_k(10_000, 1, 100) == pytest.approx(0.01)


def test_the_mean_leaves_out_tasks_with_too_few_answers() -> None:
    assert mean_pass_at_k([(4, 2), (1, 1)], 2) == pytest.approx(1 - 1 / 6)
    assert mean_pass_at_k([(1, 1)], 2) is None
