"""The decision: of the candidates the one with the least expected loss, by trying them all."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.codrep.ranker.decide import best_line, likelihoods

SCORES = st.floats(-30, 30, allow_subnormal=False)
CANDIDATES = st.lists(st.tuples(st.integers(1, 60), SCORES), min_size=1, max_size=12, unique_by=lambda pair: pair[0])


def expected_loss(line: int, candidates: list[tuple[int, float]]) -> float:
    """What a line costs on average, one candidate after the other."""
    weights = [math.exp(score) for _, score in candidates]
    losses = [math.tanh(abs(line - other)) for other, _ in candidates]
    return sum(weight * loss for weight, loss in zip(weights, losses, strict=True)) / sum(weights)


def decided(candidates: list[tuple[int, float]]) -> int:
    lines, scores = zip(*candidates, strict=True)
    return best_line(np.array(lines), np.array(scores))


@given(CANDIDATES)
def test_no_candidate_costs_less_than_the_one_chosen(candidates: list[tuple[int, float]]) -> None:
    chosen = decided(candidates)

    least = min(expected_loss(line, candidates) for line, _ in candidates)
    assert chosen in {line for line, _ in candidates}
    assert expected_loss(chosen, candidates) == pytest.approx(least, abs=1e-9)


@given(CANDIDATES, st.floats(-100, 100))
def test_scores_count_by_their_differences_alone(candidates: list[tuple[int, float]], shift: float) -> None:
    shifted = decided([(line, score + shift) for line, score in candidates])

    assert expected_loss(shifted, candidates) == pytest.approx(expected_loss(decided(candidates), candidates), abs=1e-9)


@given(CANDIDATES, st.integers(0, 1000))
def test_the_decision_moves_with_the_lines(candidates: list[tuple[int, float]], shift: int) -> None:
    assert decided([(line + shift, score) for line, score in candidates]) == decided(candidates) + shift


@given(CANDIDATES)
def test_a_candidate_that_is_all_but_sure_is_chosen(candidates: list[tuple[int, float]]) -> None:
    best = candidates[0][0]

    assert decided([(best, 60.0), *candidates[1:]]) == best


@given(st.lists(SCORES, min_size=1, max_size=20))
def test_likelihoods_are_shares_in_the_order_of_the_scores(scores: list[float]) -> None:
    shares = likelihoods(np.array(scores))

    assert shares.sum() == pytest.approx(1)
    assert (shares >= 0).all()
    order = np.argsort(scores)
    assert (np.diff(shares[order]) >= 0).all()


@pytest.mark.parametrize(
    "scores, shares",
    [
        pytest.param([0.0, 0.0], [0.5, 0.5], id="equal"),
        pytest.param([math.log(3), 0.0], [0.75, 0.25], id="three times as likely"),
        pytest.param([1e300, 0.0], [1.0, 0.0], id="scores that no exponential could have"),
        pytest.param([-1e5, -1e5], [0.5, 0.5], id="scores whose exponentials are all zero"),
    ],
)
def test_a_score_is_a_logarithm_of_a_likelihood(scores: list[float], shares: list[float]) -> None:
    assert likelihoods(np.array(scores)).tolist() == pytest.approx(shares)


@pytest.mark.parametrize(
    "middle, expected",
    [
        pytest.param(0.0, 20, id="a likely one in the middle of three neighbours"),
        pytest.param(-0.3, 20, id="one that is less likely than either beside it, but near to both"),
        pytest.param(-0.32, 19, id="one that is a little less likely still"),
    ],
)
def test_a_line_between_two_likely_ones_may_be_the_better_bet(middle: float, expected: int) -> None:
    assert decided([(19, 0.0), (20, middle), (21, 0.0)]) == expected
