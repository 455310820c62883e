"""A study finds what was planted in its data, by subset, with differences over the same resamples."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from runner.errors import InputError
from runner.metrics import Sample, TooLargeError
from runner.metrics.labelled_answers import LabelledAnswer
from runner.stats.correlation import Floats
from runner.study.analysis import Study, analyse
from runner.study.scores import score_answers


def made(problem: int, text: str, *, passed: bool) -> LabelledAnswer:
    return LabelledAnswer(f"p{problem:02}", f"m{problem % 3}", Sample("origin", ("reference",), text), passed)


def answers() -> list[LabelledAnswer]:
    """20 problems with an exact, a do-nothing, and 6 other answers each; other ones pass by the luck of their text."""
    random = np.random.default_rng(0)
    rows = []
    for problem in range(20):
        rows += [made(problem, "reference", passed=True), made(problem, "origin", passed=False)]
        rows += [made(problem, f"text {random.random():.4f}", passed=bool(random.random() < 0.5)) for _ in range(6)]
    return rows


def studied(rows: Sequence[LabelledAnswer], scores: dict[str, Floats], against: str = "blind") -> Study:
    return analyse(rows, scores, against=against, draws=400, seed=0)


ROWS = answers()
PASSED = np.array([row.passed for row in ROWS], dtype=np.float64)
NOISE = np.random.default_rng(1).normal(size=len(ROWS))
SCORES = {"oracle": PASSED, "noisy": PASSED + NOISE, "blind": NOISE, "constant": np.zeros(len(ROWS))}


def test_the_rows_are_counted_by_subset_and_model() -> None:
    study = studied(ROWS, SCORES)

    by_text = {"without_exact": 140, "without_nothing": 140, "real_edits": 120}
    assert study.rows == {"all": 160, **by_text, **{f"{name}_by_token": rows for name, rows in by_text.items()}}
    assert {model: rows for model, (rows, _) in study.models.items()} == {"m0": 56, "m1": 56, "m2": 48}
    assert sum(passed for _, passed in study.models.values()) == PASSED.sum()


def test_a_measure_that_knows_the_label_correlates_fully() -> None:
    oracle = studied(ROWS, SCORES).measures["oracle"]

    for name, found in oracle.statistics.items():
        assert found is not None, name
        assert (found.low, found.estimate, found.high) == pytest.approx((1, 1, 1))


def test_a_noisy_measure_has_an_interval_around_its_correlation() -> None:
    r = studied(ROWS, SCORES).measures["noisy"].statistics["pearson"]

    assert r is not None
    assert r.estimate == pytest.approx(np.corrcoef(SCORES["noisy"], PASSED)[0, 1])
    assert 0 < r.low < r.estimate < r.high < 1


def test_a_measure_that_does_not_vary_has_no_correlation() -> None:
    constant = studied(ROWS, SCORES).measures["constant"]

    assert constant.statistics["pearson"] is None
    assert constant.subsets["all"].r is None
    assert constant.subsets["all"].difference is None


def test_differences_are_paired_and_tell_better_from_worse() -> None:
    measures = studied(ROWS, SCORES).measures
    difference = measures["noisy"].subsets["all"].difference

    assert difference is not None
    assert difference.against == "blind"
    assert difference.r.low > 0
    assert difference.p < 0.05
    assert measures["blind"].subsets["all"].difference is None


def test_a_measure_that_only_rejects_doing_nothing_loses_that_among_real_edits() -> None:
    idle = np.array([0.0 if row.nothing else 1.0 for row in ROWS])
    subsets = studied(ROWS, {"idle": idle, "blind": NOISE}).measures["idle"].subsets

    assert subsets["all"].r is not None
    assert subsets["all"].r.estimate > 0.3
    assert subsets["real_edits"].r is None


def test_a_subset_without_rows_has_no_correlation() -> None:
    exact = [made(problem, "reference", passed=problem % 2 == 0) for problem in range(4)]

    measure = studied(exact, {"blind": np.arange(4.0)}).measures["blind"]

    assert measure.subsets["real_edits"].rows == 0
    assert measure.subsets["real_edits"].r is None


def test_the_same_seed_gives_the_same_study() -> None:
    assert studied(ROWS, SCORES) == studied(ROWS, SCORES)


def counting(calls: list[Sample]) -> Callable[[Sample], float]:
    def measure(sample: Sample) -> float:
        calls.append(sample)
        return float(len(sample.hypothesis))

    return measure


def test_answers_that_say_the_same_are_scored_once() -> None:
    calls: list[Sample] = []
    ticks: list[None] = []
    rows = [made(0, text, passed=True) for text in ("a", "bb", "a")]

    scores = score_answers(rows, {"length": counting(calls)}, lambda: ticks.append(None))

    assert list(scores["length"]) == [1, 2, 1]
    assert len(calls) == 2
    assert len(ticks) == 3


def test_an_answer_too_large_to_align_is_named() -> None:
    def refuse(_sample: Sample) -> float:
        raise TooLargeError("9 and 9 tokens")

    with pytest.raises(InputError, match=r"^p00, answer of 'm0': es: 9 and 9 tokens; leave the problem or the metric"):
        score_answers([made(0, "a", passed=True)], {"es": refuse})


def test_an_answer_with_a_count_is_so_many_answers() -> None:
    counts = [1 + number % 3 for number in range(len(ROWS))]
    counted = [replace(row, count=count) for row, count in zip(ROWS, counts, strict=True)]
    repeated = [row for row, count in zip(ROWS, counts, strict=True) for _ in range(count)]

    once = studied(counted, SCORES)
    often = studied(repeated, {name: np.repeat(values, counts) for name, values in SCORES.items()})

    assert (once.rows, once.models) == (often.rows, often.models)
    assert once.passed == pytest.approx(often.passed)
    assert estimates(once) == pytest.approx(estimates(often))


def estimates(study: Study) -> list[float]:
    found = [measure.statistics for measure in study.measures.values()]
    return [value for statistics in found for r in statistics.values() if r for value in (r.low, r.estimate, r.high)]
