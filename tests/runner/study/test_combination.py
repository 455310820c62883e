"""A combination of measures wins where two of them know different things, and not by having more freedom to fit."""

import numpy as np
import pytest

from runner.errors import InputError
from runner.stats.correlation import Floats, LabelledRows, pearson
from runner.study.combination import BEST_SINGLE, COMBINATION, held_out
from runner.study.measures import measures_of

PROBLEMS, EACH = 60, 10
CODES = np.repeat(np.arange(PROBLEMS), EACH)
RANDOM = np.random.default_rng(5)
FIRST, SECOND = RANDOM.normal(size=len(CODES)), RANDOM.normal(size=len(CODES))
LABELS = (FIRST + SECOND > 0).astype(np.float64)
ROWS = LabelledRows(LABELS, CODES, np.ones(len(CODES)))


def r(scores: Floats, rows: LabelledRows = ROWS) -> float:
    return float(pearson(scores, rows, np.ones((1, PROBLEMS)))[0])


def test_two_measures_that_each_know_half_are_better_together() -> None:
    found = held_out({"first": FIRST, "second": SECOND}, ROWS, seed=0)

    assert r(found[COMBINATION]) == pytest.approx(r(FIRST + SECOND), abs=0.01)
    assert r(found[COMBINATION]) > r(found[BEST_SINGLE]) + 0.15


def test_noise_wins_nothing_since_no_fit_has_seen_its_problem() -> None:
    # With 200 measures of noise, a fit on the rows themselves would correlate with .57.
    noise = {f"noise{number}": values for number, values in enumerate(RANDOM.normal(size=(200, len(CODES))))}

    found = held_out(noise, ROWS, seed=0)

    assert abs(r(found[COMBINATION])) < 0.15
    assert abs(r(found[BEST_SINGLE])) < 0.15


def test_a_measure_that_repeats_a_problems_label_wins_nothing_on_other_problems() -> None:
    # Each label is that of its problem; the measures are the problems themselves, one column each.
    labels = (np.random.default_rng(7).random(PROBLEMS) < 0.5).astype(np.float64)[CODES]
    columns = {f"is{problem}": np.equal(CODES, problem).astype(np.float64) for problem in range(PROBLEMS)}
    rows = LabelledRows(labels, CODES, np.ones(len(CODES)))

    assert r(held_out(columns, rows, seed=0)[COMBINATION], rows) < 0.1


def test_counts_are_repetitions() -> None:
    counts = 1 + np.arange(len(CODES)) % 4
    scores = {"first": FIRST, "second": SECOND}

    counted = held_out(scores, LabelledRows(LABELS, CODES, counts.astype(np.float64)), seed=1)
    repeated = held_out(
        {name: np.repeat(values, counts) for name, values in scores.items()},
        LabelledRows(np.repeat(LABELS, counts), np.repeat(CODES, counts), np.ones(counts.sum())),
        seed=1,
    )

    for name, values in counted.items():
        assert np.repeat(values, counts) == pytest.approx(repeated[name])


def test_one_problem_leaves_nothing_to_fit() -> None:
    rows = LabelledRows(LABELS[:EACH], CODES[:EACH], np.ones(EACH))

    assert not held_out({"first": FIRST[:EACH]}, rows, seed=0)[COMBINATION].any()


def test_others_are_compared_with_the_best_measure_alone() -> None:
    assert measures_of(["nes", "es-token"], (), "", combine=True).against == BEST_SINGLE
    assert measures_of(["nes", "es-token"], (), "combination", combine=True).against == COMBINATION
    with pytest.raises(InputError, match=r"--against: 'combination' is not measured"):
        measures_of(["nes"], (), "combination")
