"""Tests decide what a mutant is worth, and nothing a mutant does escapes them."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.study import judge
from runner.study.answers import Problem, read_problems
from runner.study.judge import judged_mutants, passes

PROBLEM = Problem(
    "double",
    "python",
    "def double(x):\n    y = x\n    return y\n",
    ("def double(x):\n    y = x + x\n    return y\n",),
    "assert double(2) == 4\nassert double(0) == 0\n",
)
TEST = PROBLEM.test or ""


@pytest.mark.parametrize(
    "program, expected",
    [
        pytest.param("def double(x):\n    return 2 * x\n", True, id="right"),
        pytest.param("def double(x):\n    return x\n", False, id="wrong"),
        pytest.param("def double(x:\n", False, id="broken"),
        pytest.param("import os; os._exit(1)", False, id="gone"),
        pytest.param("raise SystemExit(3)", False, id="given up"),
    ],
)
def test_a_program_passes_by_its_test(program: str, expected: bool) -> None:
    assert passes(program, TEST) is expected


def test_a_program_that_does_not_end_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "LIMITS", replace(judge.LIMITS, wall_s=0.3))

    assert not passes("while True: pass", TEST)


def test_mutants_are_labelled_both_ways() -> None:
    answers = judged_mutants([PROBLEM], rounds=4, seed=0, workers=2)

    assert {answer.passed for answer in answers} == {True, False}
    assert not next(answer for answer in answers if answer.model == "nothing").passed
    assert any(answer.passed for answer in answers if answer.model == "renamed")


def test_labels_do_not_depend_on_the_number_of_workers() -> None:
    one = judged_mutants([PROBLEM], rounds=2, seed=0, workers=1)

    assert judged_mutants([PROBLEM], rounds=2, seed=0, workers=3) == one


@pytest.mark.parametrize(
    "problem, told",
    [
        pytest.param(replace(PROBLEM, language="java"), "field 'lang' must be python", id="not Python"),
        pytest.param(replace(PROBLEM, test=None), "field 'test' is missing", id="no test"),
        pytest.param(
            replace(PROBLEM, test="assert double(2) == 5"), "reference fails its test (AssertionError)", id="bad"
        ),
        pytest.param(replace(PROBLEM, test="double(2)"), "its origin passes its test", id="a test of nothing"),
    ],
)
def test_a_problem_that_cannot_be_judged_is_refused(problem: Problem, told: str) -> None:
    with pytest.raises(InputError) as refused:
        judged_mutants([problem], rounds=1, seed=0, workers=1)

    assert told in str(refused.value)
    assert str(refused.value).startswith("problem 'double': ")


def test_a_reference_that_does_not_end_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "LIMITS", replace(judge.LIMITS, wall_s=0.3))

    with pytest.raises(InputError, match=r"its reference fails its test \(no end after 0.3 s\)"):
        judged_mutants([replace(PROBLEM, test="while True: pass")], rounds=1, seed=0, workers=1)


def test_a_shipped_problem_is_judged() -> None:
    problems = list(read_problems(Path(__file__).parents[3] / "cases/mutants").values())

    answers = judged_mutants(problems[:2], rounds=1, seed=0, workers=2)

    assert {answer.passed for answer in answers} == {True, False}
