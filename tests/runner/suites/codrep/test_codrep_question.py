"""What a model is asked about a task, and what its answer is worth."""

from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import PARSERS
from parsers.blocks import Text, ToolCall
from prompts import load
from runner.digests import parser_digest
from runner.records import Completion, Outcome, Scoring
from runner.run.resolve import Named
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask
from runner.suites.codrep.options import PARSER, PROMPT
from runner.suites.codrep.question import question, right_answer, wording_digest
from runner.suites.codrep.score import judge, named_line
from runner.suites.codrep.windowing import LONGEST, Window

LINES = tuple(f"line {number}" for number in range(1, 101))
TASK = CodrepTask("D/1", Path("1.txt"), "new {line}", LINES)
CASE = CodrepCase(
    "D/1",
    CodrepDataset("D", Path(), None),
    Path("1.txt"),
    lines=100,
    answer=50,
    digest="",
    least_bytes=0,
    whole_tokens=0,
)
NAMED = Named(PARSER, PARSERS[PARSER], parser_digest(PARSER))
WINDOW = Window(((2, 3), (50, 50)), 9, whole=False)


def judged(text: str) -> Scoring:
    return judge(CASE.target, Completion(text, answer_id=7), NAMED, WINDOW)


def test_a_question_shows_the_new_line_and_numbered_lines_with_gaps() -> None:
    assert question(TASK, WINDOW) == (
        "The new line:\n\nnew {line}\n\nThe file before the edit, 100 lines:\n\n"
        "...\n2: line 2\n3: line 3\n...\n50: line 50\n...\n"
    )


def test_of_a_very_long_new_line_the_beginning_is_shown() -> None:
    asked = question(replace(TASK, new_line="x" * LONGEST + "y"), WINDOW)

    assert asked.startswith(f"The new line:\n\n{'x' * LONGEST} ...\n\nThe file before")


def test_a_whole_program_is_shown_without_gaps() -> None:
    asked = question(TASK, Window(((1, 100),), 100, whole=True))

    assert "..." not in asked
    assert asked.endswith("99: line 99\n100: line 100\n")


def test_the_prompt_shows_the_form_of_an_answer_and_of_a_gap() -> None:
    wording = load(PROMPT).wording

    assert "<line>123</line>" in wording
    assert "`...`" in wording


def test_the_wording_of_questions_has_a_digest() -> None:
    assert len(wording_digest()) == 8


@pytest.mark.parametrize(
    "text, outcome, loss",
    [
        pytest.param(right_answer(50), Outcome.SOLVED, 0.0, id="the right line"),
        pytest.param("<line>51</line>", Outcome.UNSOLVED, 0.7615941559557649, id="one line off"),
        pytest.param("<line>49</line>", Outcome.UNSOLVED, 0.7615941559557649, id="one line off before it"),
        pytest.param("<line>100</line>", Outcome.UNSOLVED, 1.0, id="the last line"),
        pytest.param("I do not know.", Outcome.NO_ANSWER, 1.0, id="no line"),
        pytest.param("", Outcome.NO_ANSWER, 1.0, id="nothing"),
        pytest.param("<line>101</line>", Outcome.OUT_OF_RANGE, 1.0, id="past the end"),
        pytest.param("<line>0</line>", Outcome.OUT_OF_RANGE, 1.0, id="line 0"),
        pytest.param("<line>-3</line>", Outcome.NO_ANSWER, 1.0, id="a negative number"),
        pytest.param("50 or 51", Outcome.NO_ANSWER, 1.0, id="two numbers"),
    ],
)
def test_an_answer_is_worth_its_distance(text: str, outcome: Outcome, loss: float) -> None:
    scoring = judged(text)

    assert (scoring.outcome, scoring.scores["loss"]) == (outcome, loss)
    assert scoring.scores["exact"] == float(outcome is Outcome.SOLVED)
    assert scoring.valid == (outcome in {Outcome.SOLVED, Outcome.UNSOLVED}) == ("distance" in scoring.scores)
    assert (scoring.error_text is None) == scoring.valid
    assert (scoring.parser, scoring.answer_id) == (PARSER, 7)


def test_what_is_wrong_with_an_answer_is_said() -> None:
    assert judged("?").error_text == "names no line"
    assert judged("<line>101</line>").error_text == "names line 101 of a file of 100 lines"


def test_what_was_shown_is_recorded_beside_the_answer() -> None:
    assert orjson.loads(judged("<line>3</line>").detail or "") == {
        "line": 3,
        "answer": 50,
        "lines": 100,
        "file": None,
        "shown": [[2, 3], [50, 50]],
        "shown_tokens": 9,
        "shown_whole": False,
        "answer_shown": True,
    }


@pytest.mark.parametrize(
    "blocks, line",
    [
        pytest.param((), None, id="no block"),
        pytest.param((Text("12"),), None, id="words"),
        pytest.param((ToolCall("line", {"number": "12"}), ToolCall("line", {"number": "3"})), 3, id="the last call"),
        pytest.param((ToolCall("read_file", {"number": "12"}),), None, id="another tool"),
        pytest.param((ToolCall("line", {}),), None, id="no number"),
        pytest.param((ToolCall("line", {"number": "many"}),), None, id="no digits"),
    ],
)
def test_any_parser_may_name_a_line(blocks: tuple[Text | ToolCall, ...], line: int | None) -> None:
    assert named_line(blocks) == line


@given(st.text())
def test_no_answer_raises(text: str) -> None:
    assert judged(text).scores["loss"] <= 1
