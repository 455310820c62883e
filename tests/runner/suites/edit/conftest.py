"""What the tests of the edit suite share: a small problem, and a judge of it."""

import os

import pytest

from runner.execution.script_judge import ScriptJudge
from runner.suites.edit.problems import EditProblem

PROBLEM = EditProblem(
    case_id="double",
    language="python",
    origin="def double(x):\n    y = x\n    return y\n",
    instruction="Make double(2) 4.",
    references=("def double(x):\n    y = x + x\n    return y\n",),
    test="assert double(2) == 4\nassert double(0) == 0\n",
    where="problems.jsonl:1",
)


@pytest.fixture
def problem() -> EditProblem:
    return PROBLEM


@pytest.fixture
def judge() -> ScriptJudge:
    return ScriptJudge(os.environ["PATH"])
