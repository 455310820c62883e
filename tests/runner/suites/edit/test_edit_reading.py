"""What an answer makes of a file, in both forms; whether that is right is for the tests to say."""

import asyncio
import os
from dataclasses import replace

import pytest

from diff_apply import DIFF_ALGORITHMS
from parsers import PARSERS
from prompts import Prompt, load
from runner.pool.processes import Processes
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import SCORED_AT_ONCE
from runner.run.complexity import MOST_ADDED
from runner.run.resolve import Named
from runner.suites.edit.answer_form import PROMPT, AnswerForm, form_of, read_whole_file
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.question import fenced, question

PARSER = Named("xml-tools-v2", PARSERS["xml-tools-v2"], "p")
ALGORITHMS = tuple(Named(name, DIFF_ALGORITHMS[name], "d") for name in ("v1", "v4"))
EDITED = "def double(x):\n    y = x + x\n    return y\n"


def form(prompt: Prompt) -> AnswerForm:
    return form_of(prompt, PARSER, ALGORITHMS)


def read(answer_form: AnswerForm, problem: EditProblem, text: str) -> tuple[Scoring, ...]:
    return asyncio.run(answer_form.scorings(problem, Completion(text)))


def call(search: str, replace_by: str, path: str = "answer.py") -> str:
    diff = f"------- SEARCH\n{search}=======\n{replace_by}+++++++ REPLACE\n"
    return f"<replace_in_file>\n<path>{path}</path>\n<diff>\n{diff}</diff>\n</replace_in_file>"


def test_our_wording_is_answered_by_the_whole_file_and_one_that_names_the_tool_by_a_diff() -> None:
    assert form(load(PROMPT)).whole
    assert form(Prompt("mine", "Answer with the whole file.")).whole
    assert not form(load("basic")).whole


def test_a_form_names_its_parser_and_its_algorithms() -> None:
    assert form(load(PROMPT)).parser[0] == "whole-file"
    assert form(load(PROMPT)).algorithms == (("", ""),)
    assert form(load("basic")).algorithms == (("v1", "d"), ("v4", "d"))


def test_the_file_of_an_answer_is_measured(problem: EditProblem) -> None:
    (scoring,) = read_whole_file(problem, Completion(f"Here:\n```python\n{EDITED}```", answer_id=7))

    assert (scoring.outcome, scoring.valid, scoring.answer_id) == (Outcome.APPLIED, True, 7)
    assert scoring.edited == EDITED
    assert (scoring.lines_added, scoring.lines_removed) == (1, 1)
    assert (scoring.parses_before, scoring.parses_after, scoring.equals_expected) == (True, True, True)
    assert scoring.scores["es-token"] == 1.0


@pytest.mark.parametrize(
    "text, equals", [(EDITED + "\n\n", True), (EDITED.rstrip("\n"), True), (EDITED + "x = 1\n", False)]
)
def test_lines_that_are_empty_at_the_end_make_no_other_file(problem: EditProblem, text: str, equals: bool) -> None:
    (scoring,) = read_whole_file(problem, Completion(f"```python\n{text}\n```"))

    assert scoring.equals_expected is equals


@pytest.mark.parametrize(
    "text, finish, outcome, valid",
    [
        pytest.param("No.", "stop", Outcome.NO_ANSWER, False, id="no block"),
        pytest.param("```\na\n```\n```\nb\n```", "stop", Outcome.SEVERAL_BLOCKS, False, id="two blocks"),
        pytest.param("```python\nx = 1", "length", Outcome.TRUNCATED, True, id="cut off"),
        pytest.param("```python\nx = 1", "stop", Outcome.APPLIED, True, id="never closed"),
        pytest.param("```python\nx = 1\n```", "length", Outcome.APPLIED, True, id="cut off behind the file"),
    ],
)
def test_an_answer_has_the_outcome_of_its_blocks(
    problem: EditProblem, text: str, finish: str, outcome: Outcome, valid: bool
) -> None:
    (scoring,) = read_whole_file(problem, Completion(text, finish_reason=finish))

    assert (scoring.outcome, scoring.valid) == (outcome, valid)


def test_a_block_in_the_file_s_language_is_chosen_by_any_of_its_names(problem: EditProblem) -> None:
    (scoring,) = read_whole_file(problem, Completion(f"```sh\nls\n```\n```py\n{EDITED}```"))

    assert scoring.edited == EDITED


def test_a_file_without_a_last_newline_gets_none(problem: EditProblem) -> None:
    short = replace(problem, origin="x = 1", references=("x = 2",))

    (scoring,) = read_whole_file(short, Completion("```\nx = 2\n```"))

    assert (scoring.edited, scoring.equals_expected) == ("x = 2", True)


def test_blocks_are_applied_by_each_algorithm(problem: EditProblem) -> None:
    scorings = read(form(load("basic")), problem, call("    y = x\n", "    y = x + x\n"))

    assert [(one.diff_algorithm, one.outcome, one.edited) for one in scorings] == [
        ("v1", Outcome.APPLIED, EDITED),
        ("v4", Outcome.APPLIED, EDITED),
    ]


def test_blocks_for_another_file_make_none(problem: EditProblem) -> None:
    scorings = read(form(load("basic")), problem, call("    y = x\n", "", path="other.py"))

    assert {one.outcome for one in scorings} == {Outcome.WRONG_PATH}


def test_the_question_shows_instruction_name_and_file(problem: EditProblem) -> None:
    asked = question(problem)

    assert asked.startswith("Make double(2) 4.\n\nThe file answer.py:\n\n```python\ndef double(x):\n")
    assert asked.endswith("    return y\n```\n")


@pytest.mark.parametrize("text", ["a\n", "```\na\n```\n", "  ````\n", "", "a"])
def test_a_fence_is_longer_than_any_in_the_file(text: str) -> None:
    shown = fenced(text, "python").split("\n")

    assert shown[0] == shown[-1] + "python"
    assert shown[-1] not in [line.strip() for line in shown[1:-1]]


def test_a_file_that_is_far_too_long_is_too_complex(problem: EditProblem) -> None:
    (scoring,) = read_whole_file(problem, Completion("```python\n" + "x = 1\n" * (MOST_ADDED // 5) + "```"))

    assert (scoring.outcome, scoring.valid, scoring.edited) == (Outcome.TOO_COMPLEX, True, None)
    assert "characters; the maximum is" in (scoring.error_text or "")
    assert scoring.scores["es-token"] == 0.0


@pytest.mark.parametrize("wording", [PROMPT, "basic"])
def test_a_large_answer_is_read_in_another_process_in_the_same_way(problem: EditProblem, wording: str) -> None:
    diff = call("    y = x\n", "    y = x + x\n")
    completion = Completion("x" * SCORED_AT_ONCE + f"\n{diff}\n```python\n{EDITED}```", answer_id=7)

    with Processes(1) as pool:
        before = pool.submit(os.getpid).result()
        scorings = asyncio.run(form(load(wording)).scorings(problem, completion, pool))

        assert pool.submit(os.getpid).result() == before
    assert scorings == asyncio.run(form(load(wording)).scorings(problem, completion))


def test_a_large_answer_whose_process_fails_is_crashed(problem: EditProblem) -> None:
    answer = Completion("x" * SCORED_AT_ONCE, answer_id=7)

    with Processes(1, limit_s=0.001) as pool:
        (scoring,) = asyncio.run(form(load(PROMPT)).scorings(problem, answer, pool))

    assert (scoring.outcome, scoring.valid, scoring.answer_id) == (Outcome.CRASHED, False, 7)
    assert "longer than 0.001 s" in (scoring.error_text or "")
