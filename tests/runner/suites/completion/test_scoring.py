"""Answers: what is taken from a text, and how it is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.suites.completion.answers import from_fence, within_block, without_overlap
from runner.suites.completion.chains import Around, choose_chains, taken
from runner.suites.completion.collected_answers import CollectedAnswer, judgements, read_answers
from runner.suites.completion.dataset import ByteSpan, Dataset, DatasetOrigin, Task
from runner.suites.completion.score import scores_of
from tests.completion import CODE

START = CODE.index("return x + x")
TASK = Task(
    task_id="1.1/STATEMENT/pair.py:1-2",
    file="pair.py",
    scene="1.1",
    with_evidence=False,
    block_type="STATEMENT",
    span=ByteSpan(START, START + len("return x + x"), 5, 5),
    function="double",
    function_end=START + len("return x + x"),
    tests=("tests/test_pair.py::test_double",),
    tests_total=1,
    seconds=1,
)
DATASET = Dataset(DatasetOrigin("repo", "", "3.11", (), 3, 0), {"pair.py": CODE}, (TASK,))


@pytest.mark.parametrize(
    "text, taken",
    [
        pytest.param("a\n```python\nx = 1\n```\nb", "x = 1", id="fence"),
        pytest.param("```\n  x\n    y\n```", "  x\n    y", id="indentation stays"),
        pytest.param("```\nx\n```\nor\n```\ny\n```\n", "y", id="the last one"),
        pytest.param("```py\nx = 1\ny = ", "x = 1\ny = ", id="cut off"),
        pytest.param("```\nx\n```\n```\ny", "x", id="a closed one before an open one"),
        pytest.param("```\n```", "", id="empty fence"),
        pytest.param("x = '<br>'", "x = '<br>'", id="no fence"),
        pytest.param("", "", id="nothing"),
        pytest.param("x = '```'", "x = '```'", id="marks within a line"),
        pytest.param("````py\n```\nx\n```\n````", "```\nx\n```", id="a longer fence holds a shorter one"),
    ],
)
def test_code_is_taken_from_a_fence(text: str, taken: str) -> None:
    assert from_fence(text) == taken


@pytest.mark.parametrize(
    "answer, suffix, kept",
    [
        pytest.param("return 1\n\ndef g():", "\n\ndef g():\n    pass", "return 1", id="the next lines"),
        pytest.param("f(x)", ")", "f(x)", id="a bracket may be chance"),
        pytest.param("x = y(a", "y(a, b)", "x = y(a", id="three characters, too"),
        pytest.param("x = y (ab", "y (ab, b)", "x = ", id="four are none, white space aside"),
        pytest.param("x", "", "x", id="nothing behind"),
        pytest.param("", "abc", "", id="nothing given"),
    ],
)
def test_what_stands_behind_the_hole_is_not_said_twice(answer: str, suffix: str, kept: str) -> None:
    assert without_overlap(answer, suffix) == kept


@pytest.mark.parametrize(
    "answer, prefix, kept",
    [
        pytest.param("return 1\n\ndef g():\n    pass", "def f():\n    ", "return 1", id="leaves the function"),
        pytest.param("if x:\n        y\n    z", "def f():\n    ", "if x:\n        y\n    z", id="stays"),
        pytest.param("x\n\n", "    ", "x\n\n", id="blank lines are no end"),
        pytest.param("+ 1\nz", "    y = x ", "+ 1", id="in the middle of a line"),
        pytest.param("x\ny", "", "x\ny", id="at the margin"),
    ],
)
def test_an_answer_ends_with_its_block(answer: str, prefix: str, kept: str) -> None:
    assert within_block(answer, prefix) == kept


@given(st.text(), st.text(), st.text())
def test_repairing_only_cuts_at_the_end(answer: str, prefix: str, suffix: str) -> None:
    (chain,) = choose_chains(["repaired"], "")

    assert answer.startswith(taken(chain, answer, Around(prefix, suffix, fenced=False)))


CHAINS = choose_chains(["raw", "repaired"], "")


@dataclass(frozen=True)
class Scored:
    verdict: str | None
    scores: Mapping[str, float]


def scored(text: str, judge: Judge, task: Task = TASK) -> dict[str, Scored]:
    (judged,) = judgements({"": judge}, DATASET, [CollectedAnswer(task, text)], CHAINS, 1)
    return {
        name: Scored(None if result.verdict is None else str(result.verdict.outcome), scores_of(name, judged))
        for name, result in judged.items()
    }


def test_the_truth_scores_full(judge: Judge) -> None:
    one = scored("```python\nreturn x + x\n```", judge)["raw"]

    assert one.verdict == "pass"
    assert one.scores == {
        "pass": 1, "exact": 1, "first_line": 1, "similarity": 100, "es-token": 1, "empty": 0, "over_run": 0,
    }  # fmt: skip


def test_another_right_answer_passes_and_is_not_exact(judge: Judge) -> None:
    one = scored("return 2 * x", judge)["raw"]

    assert (one.scores["pass"], one.scores["exact"]) == (1, 0)
    assert 50 < one.scores["similarity"] < 100
    assert 0 < one.scores["es-token"] < 1


def test_an_answer_that_does_not_stop_passes_when_it_is_repaired(judge: Judge) -> None:
    found = scored("return x + x\n\n\ndef clamp(x, low, hi", judge)

    assert (found["raw"].verdict, found["repaired"].verdict) == ("syntax", "pass")
    assert (found["raw"].scores["over_run"], found["repaired"].scores["over_run"]) == (1, 0)
    assert found["raw"].scores["first_line"] == 1


def test_an_answer_that_is_saved_by_being_cut_ran_over_though_it_has_not_the_truth(judge: Judge) -> None:
    found = scored("return 2 * x\n\n\ndef clamp(x, low, hi", judge)

    assert (found["raw"].scores["over_run"], found["repaired"].scores["over_run"]) == (1, 0)


def test_an_empty_answer_is_told(judge: Judge) -> None:
    one = scored("", judge)["raw"]

    assert one.verdict == "syntax"
    assert (one.scores["empty"], one.scores["similarity"]) == (1, 0)


def test_a_task_without_tests_is_measured_and_not_judged(judge: Judge) -> None:
    untested = replace(TASK, tests=(), block_type="COMMENT")
    one = scored("return 2 * x", judge, untested)["raw"]

    assert one.verdict is None
    assert "pass" not in one.scores
    assert one.scores["exact"] == 0


@pytest.mark.parametrize(
    "text, told",
    [
        ('{"task_id": "x", "text": ""}', "names no task"),
        ('{"task_id": 5, "text": ""}', "field 'task_id' is a number; make it a string"),
        ('{"task_id": "1.1/STATEMENT/pair.py:1-2"}', "field 'text' is missing"),
        ("", "no answers"),
    ],
)
def test_answers_that_cannot_be_read_are_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "a.jsonl").write_text(text)

    with pytest.raises(InputError, match=told):
        read_answers(tmp_path / "a.jsonl", DATASET)
