"""Tests decide what a mutant is worth."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.execution.isolation import strongest
from runner.execution.script_judge import LIMITS, ScriptJudge
from runner.metrics.labelled_answers import Problem, read_problems
from runner.study.judge import judged_mutants

PROBLEM = Problem(
    "double",
    "python",
    "def double(x):\n    y = x\n    return y\n",
    ("def double(x):\n    y = x + x\n    return y\n",),
    "assert double(2) == 4\nassert double(0) == 0\n",
)


@pytest.fixture
def judge() -> ScriptJudge:
    return ScriptJudge(os.environ["PATH"])


def test_mutants_are_labelled_both_ways(judge: ScriptJudge) -> None:
    answers = judged_mutants([PROBLEM], judge, rounds=4, seed=0, workers=2)

    assert {answer.passed for answer in answers} == {True, False}
    assert not next(answer for answer in answers if answer.model == "nothing").passed
    assert any(answer.passed for answer in answers if answer.model == "renamed")


def test_labels_do_not_depend_on_the_number_of_workers_nor_on_the_cell(judge: ScriptJudge) -> None:
    one = judged_mutants([PROBLEM], judge, rounds=2, seed=0, workers=1)
    shut_in = ScriptJudge(os.environ["PATH"], strongest())

    assert judged_mutants([PROBLEM], shut_in, rounds=2, seed=0, workers=3) == one


@pytest.mark.parametrize(
    "problem, told",
    [
        pytest.param(replace(PROBLEM, language="java"), "field 'lang' must be python", id="not Python"),
        pytest.param(replace(PROBLEM, test=None), "field 'test' is missing", id="no test"),
        pytest.param(
            replace(PROBLEM, test="assert double(2) == 5"), "reference fails its test (AssertionError", id="bad"
        ),
        pytest.param(replace(PROBLEM, test="double(2)"), "its origin passes its test", id="a test of nothing"),
    ],
)
def test_a_problem_that_cannot_be_judged_is_refused(judge: ScriptJudge, problem: Problem, told: str) -> None:
    with pytest.raises(InputError) as refused:
        judged_mutants([problem], judge, rounds=1, seed=0, workers=1)

    assert told in str(refused.value)
    assert str(refused.value).startswith("problem 'double': ")


def test_a_reference_that_does_not_end_is_told_as_that() -> None:
    hasty = ScriptJudge(os.environ["PATH"], limits=replace(LIMITS, wall_s=0.3))

    with pytest.raises(InputError, match=r"its reference fails its test \(no end within its limits\)"):
        judged_mutants([replace(PROBLEM, test="while True: pass")], hasty, rounds=1, seed=0, workers=1)


def test_a_shipped_problem_is_judged(judge: ScriptJudge) -> None:
    problems = list(read_problems(Path(__file__).parents[3] / "cases/mutants").values())

    answers = judged_mutants(problems[:2], judge, rounds=1, seed=0, workers=2)

    assert {answer.passed for answer in answers} == {True, False}
