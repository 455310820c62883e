"""Codev-Bench's rules as they are, each defect by a test of its own."""

from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.completion.codev.rules import (
    Checks,
    Scored,
    assembled,
    in_order,
    passed_by_last_line,
    question_of,
    ratio,
    response_of,
    scores_of,
    table_row,
)
from runner.suites.completion.codev.tasks import CodevTask, read_tasks
from tests.codev import TASKS, cut, task, write_rows


@pytest.fixture
def tasks(tmp_path: Path) -> list[CodevTask]:
    found, findings = read_tasks(write_rows(tmp_path / "mode.jsonl", TASKS), "mode")
    assert findings == []
    return found


@pytest.mark.parametrize(
    "text, response",
    [
        pytest.param("```python\nreturn 1\n```", "return 1", id="one fence"),
        pytest.param("```\n    a\n    b\n```\n", "    a\n    b", id="indentation stays, the last newline goes"),
        pytest.param("```\na\n```\nor\n```\nb\n```", "b", id="the last of two"),
        pytest.param("```python\n\n```", "", id="an empty block"),
    ],
)
def test_a_response_is_the_last_closed_fence(text: str, response: str) -> None:
    assert response_of(text) == response


@pytest.mark.parametrize(
    "text, response",
    [
        pytest.param("return 1", "", id="defect: an answer without a fence is an empty one"),
        pytest.param("```python\nreturn 1", "", id="defect: a fence that was cut off is lost"),
        pytest.param("```\nx = '<br>'\n```", "x = '\n'", id="defect: <br> in code becomes a line's end"),
        pytest.param("```py\n```\nand\n```\na\n```", "```\nand", id="defect: a block without a line swallows more"),
    ],
)
def test_defects_of_parsing_are_kept(text: str, response: str) -> None:
    assert response_of(text) == response


def test_defect_a_marker_in_the_code_cuts_the_question() -> None:
    assert question_of("<fim_prefix>x = '<fim_middle>'<fim_suffix><fim_middle>") == "<fim_prefix>x = '"


def test_defect_what_is_tested_is_what_the_model_saw(tmp_path: Path) -> None:
    shown, _ = read_tasks(write_rows(tmp_path / "m.jsonl", [TASKS[0], cut(TASKS[0])]), "m")

    whole, short = (assembled(one, "return 2 * x") for one in shown)

    assert whole.endswith("    return x\n")
    assert short.endswith("return 2 * x")


def test_defect_loops_by_while_and_others_are_never_asked(tasks: list[CodevTask]) -> None:
    assert {one.block_type for one in in_order(tasks)} == {"STATEMENT", "IF"}


def test_tasks_are_asked_type_by_type_in_an_order_that_is_always_the_same(tasks: list[CodevTask]) -> None:
    many = [replace(one, case_id=f"{one.case_id}/{at}") for at in range(9) for one in tasks]

    ordered = in_order(many)

    assert [one.block_type for one in ordered] == ["STATEMENT"] * 18 + ["IF"] * 9
    assert ordered == in_order(many)
    assert ordered != [one for kind in ("STATEMENT", "IF") for one in many if one.block_type == kind]


@pytest.mark.parametrize(
    "line, passed",
    [
        pytest.param("===== 1 passed in 0.01s =====", True, id="one"),
        pytest.param("============ 12 passed, 1 warning in 3.20s ============", True, id="a warning"),
        pytest.param("==== 2 passed, 3 warnings in 0.1s ====", True, id="warnings"),
        pytest.param("===== 0 passed in 0.01s =====", False, id="none"),
        pytest.param("===== 1 failed, 1 passed in 0.01s =====", False, id="a failure"),
        pytest.param("===== 1 passed, 1 skipped in 0.01s =====", False, id="defect: one skipped"),
        pytest.param("===== 1 passed, 1 xfailed in 0.01s =====", False, id="defect: an expected failure"),
        pytest.param("===== 1 passed, 2 deselected in 0.01s =====", False, id="defect: others deselected"),
        pytest.param("1 passed in 0.01s", False, id="defect: told quietly"),
        pytest.param("===== 1 passed in 0.01s =====\ncoverage: 90 %", False, id="defect: a plug-in has the last word"),
        pytest.param("===== 1 passed in 0.01s =====\n\n  \n", True, id="blank lines behind"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_a_run_passes_by_its_last_line(line: str, passed: bool) -> None:
    assert passed_by_last_line(f"collected 1 item\n{line}") is passed


@pytest.mark.parametrize(
    "checks, response, passes",
    [
        pytest.param(Checks(), "whatever", True, id="none"),
        pytest.param(Checks(empty=True), "", True, id="empty"),
        pytest.param(Checks(empty=True), " ", False, id="not empty"),
        pytest.param(Checks(cross_line=True), "a = 1", True, id="one line"),
        pytest.param(Checks(cross_line=True), "a = 1\n", False, id="another line"),
        pytest.param(Checks(indent=True), "x\n    y\n        z", True, id="indented"),
        pytest.param(Checks(indent=True), "x\n  y", False, id="indented less"),
        pytest.param(Checks(indent=True), "x", True, id="the first line does not matter"),
        pytest.param(Checks(indent=True), "x\n\n    y", False, id="defect: an empty line fails"),
        pytest.param(Checks(indent=True, cross_line=True), "x\n    y", False, id="both have to be stood"),
    ],
)
def test_a_response_has_to_stand_every_check_that_runs_no_test(
    tasks: list[CodevTask], checks: Checks, response: str, passes: bool
) -> None:
    assert tasks[1].first_line == "    if x < low:"
    assert checks.gates(tasks[1], response) is passes


def test_the_block_s_first_line_is_where_its_key_says_even_if_the_hole_begins_later(tmp_path: Path) -> None:
    row = task("x + x", block_key="/m/Source_Code/pair/pair.py#L5-L5")

    ((found,), _) = read_tasks(write_rows(tmp_path / "m.jsonl", [row]), "m")

    assert found.first_line == "    return x + x"
    assert replace(found, first=99).first_line == ""


def test_defect_edit_similarity_is_one_of_two_numbers() -> None:
    one, other = "for item in items: total += item", "total = sum(items)  # for item in items"

    assert ratio(one, other, indel=False) == round(100 * SequenceMatcher(None, one, other).ratio())
    assert ratio(one, other, indel=False) != ratio(one, other, indel=True)


@pytest.mark.parametrize("indel", [True, False])
@pytest.mark.parametrize(
    "response, middle, expected", [("", "", 100), ("a", "", 0), ("", "a", 0), ("ab", "ab", 100), ("ab", "cd", 0)]
)
def test_edit_similarity_of_the_empty_and_the_equal(response: str, middle: str, expected: int, indel: bool) -> None:
    assert ratio(response, middle, indel=indel) == expected


@given(st.text(max_size=30), st.text(max_size=30), st.booleans())
def test_edit_similarity_is_a_whole_number_of_per_cent(one: str, other: str, indel: bool) -> None:
    found = ratio(one, other, indel=indel)

    assert 0 <= found <= 100
    assert (found == 100) >= (one == other)


SCORED = [
    Scored("METHOD", response="a", middle="a", passed=True, latency=1.0),
    Scored("FOR", response="a\nb", middle="a", passed=False, latency=2.0),
    Scored("WHILE", response="", middle="a", passed=True, latency=None),
    Scored("CATCH", response="", middle="", passed=True, latency=3.0),
    Scored("WITH", response="b", middle="b", passed=True, latency=4.0),
]


def test_scores_are_counted_by_group_and_in_all() -> None:
    scores = scores_of(SCORED)

    assert list(scores) == ["function", "conditional", "loop", "exception", "statement", "TOTAL"]
    assert scores["loop"] == {"n_all": 2, "n_pass": 1}
    assert scores["conditional"] == {"n_all": 0, "n_pass": 0}
    assert scores["TOTAL"] == {"n_all": 5, "n_pass": 4}


def test_the_average_is_that_of_tasks_and_not_of_groups() -> None:
    assert table_row(SCORED, "pass_rate") == [100.0, None, 50.0, 100.0, None, 80.0]
    assert table_row(SCORED, "line_length") == [1.0, None, 1.5, 1.0, None, 1.2]
    assert table_row(SCORED, "latency") == [1.0, None, 2.0, 3.0, None, 2.5]
    assert table_row(SCORED, "edit_sim")[-1] == 70.0


@given(st.text(alphabet="`a\n <br>", max_size=40))
def test_any_answer_has_a_response(text: str) -> None:
    assert len(response_of(text)) <= len(text)
