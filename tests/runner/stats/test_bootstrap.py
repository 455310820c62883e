"""Resampling problems gives honest intervals, and the same ones for the same seed."""

import numpy as np
import pytest

from runner.stats.bootstrap import mean_interval, percentile_interval, resamples, sign_probability
from runner.stats.correlation import LabelledRows, pearson
from runner.stats.intervals import Interval


def test_a_resample_has_as_many_clusters_as_there_are() -> None:
    drawn = resamples(5, 100, seed=0)

    assert drawn.shape == (100, 5)
    assert (drawn.sum(axis=1) == 5).all()
    assert drawn.min() == 0


def test_a_seed_fixes_the_resamples() -> None:
    assert (resamples(5, 10, seed=1) == resamples(5, 10, seed=1)).all()
    assert (resamples(5, 10, seed=1) != resamples(5, 10, seed=2)).any()


def test_an_interval_is_the_middle_of_the_values_that_exist() -> None:
    found = percentile_interval(0.5, np.array([*np.linspace(0, 1, 1001), np.nan]))

    assert found is not None
    assert (found.estimate, found.low, found.high) == pytest.approx((0.5, 0.025, 0.975))


def test_without_values_there_is_no_interval() -> None:
    assert percentile_interval(0.5, np.array([np.nan])) is None
    assert percentile_interval(float("nan"), np.array([0.5])) is None


def test_rows_that_are_their_own_clusters_give_scipys_bootstrap() -> None:
    from scipy import stats

    random = np.random.default_rng(3)
    labels = (random.random(80) < 0.5).astype(np.float64)
    scores = labels + random.normal(size=80)
    ours = pearson(scores, LabelledRows(labels, np.arange(80), np.ones(80)), resamples(80, 4000, seed=0))

    theirs = stats.bootstrap(
        (scores, labels),
        lambda x, y: stats.pearsonr(x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=1,
    ).confidence_interval

    found = percentile_interval(0.0, ours)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_rows_that_repeat_each_other_do_not_make_an_interval_narrower() -> None:
    random = np.random.default_rng(4)
    labels = (random.random(30) < 0.5).astype(np.float64)
    scores = labels + random.normal(size=30)
    weights = resamples(30, 1000, seed=0)

    once = pearson(scores, LabelledRows(labels, np.arange(30), np.ones(30)), weights)
    repeated = LabelledRows(np.repeat(labels, 9), np.repeat(np.arange(30), 9), np.ones(270))
    often = pearson(np.repeat(scores, 9), repeated, weights)

    assert often == pytest.approx(once)


@pytest.mark.parametrize(
    "differences, expected",
    [
        pytest.param([0.1] * 99, 2 / 100, id="always above zero"),
        pytest.param([0.1, -0.1] * 50, 1.0, id="as often below as above"),
        pytest.param([0.0] * 10, 1.0, id="no difference at all"),
        pytest.param([float("nan")], 1.0, id="nothing known"),
        pytest.param([0.1] * 90 + [-0.1] * 9, 2 * 10 / 100, id="rarely below"),
    ],
)
def test_the_probability_of_a_sign_counts_the_rarer_side(differences: list[float], expected: float) -> None:
    assert sign_probability(np.array(differences)) == pytest.approx(expected)


def test_the_interval_of_a_mean_is_that_of_its_resamples() -> None:
    from scipy import stats

    values = [0.0] * 60 + [0.76] * 10 + [1.0] * 30

    found = mean_interval(values)

    error = stats.sem(values)
    assert found is not None
    assert found.estimate == pytest.approx(0.376)
    assert (found.low, found.high) == pytest.approx((0.376 - 1.96 * error, 0.376 + 1.96 * error), abs=0.01)
    assert mean_interval(values) == found != mean_interval(values, seed=1)


def test_the_mean_of_equal_values_is_certain_and_that_of_none_unknown() -> None:
    assert mean_interval([0.5, 0.5]) == Interval(0.5, 0.5, 0.5)
    assert mean_interval([]) is None
