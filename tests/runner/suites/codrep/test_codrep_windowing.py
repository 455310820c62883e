"""Which part of a long program a model is shown, what it is asked, and what its answer is worth."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.records import Outcome
from runner.suites.codrep.dataset import Task
from runner.suites.codrep.question import judge, question, right_answer, system_prompt
from runner.suites.codrep.windowing import Window, choose_window

LINES = tuple(f"line {number}" for number in range(1, 101))


def task(answer: int | None = 50) -> Task:
    return Task("D/1", Path("1.txt"), "new line", LINES, answer)


def one(_: str) -> int:
    return 1


def test_a_program_that_fits_is_shown_whole() -> None:
    window = choose_window(LINES, [50], 100, one)

    assert (window.whole, window.tokens, window.spans) == (True, 100, ((1, 100),))


def test_each_likely_line_is_shown_with_lines_around_it() -> None:
    window = choose_window(LINES, [20, 80], 26, one)

    assert (window.whole, window.spans) == (False, ((14, 26), (74, 86)))


def test_what_is_left_of_the_budget_widens_every_place() -> None:
    window = choose_window(LINES, [20, 80], 42, one)

    assert window.spans == ((10, 30), (70, 90))


def test_likely_lines_come_before_surroundings() -> None:
    window = choose_window(LINES, [20, 80, 50], 4, one)

    assert {20, 80, 50} < set(window.lines)
    assert window.tokens == 4


def test_a_line_too_long_for_the_budget_leaves_room_for_others() -> None:
    window = choose_window(("x" * 50, "short", "y" * 50), [1, 2], 10, len)

    assert window.lines == (2,)


def test_no_likely_lines_show_nothing_of_a_program_that_does_not_fit() -> None:
    assert choose_window(LINES, [], 10, one) == Window((), 0, whole=False)


@given(
    st.lists(st.text(max_size=30), min_size=1, max_size=60),
    st.lists(st.integers(1, 60), max_size=20),
    st.integers(0, 400),
)
def test_a_window_never_costs_more_than_its_budget(lines: list[str], ranked: list[int], budget: int) -> None:
    window = choose_window(lines, [line for line in ranked if line <= len(lines)], budget, len)

    assert window.tokens <= budget
    assert list(window.lines) == sorted(set(window.lines))
    assert all(1 <= line <= len(lines) for line in window.lines)
    assert [line for first, last in window.spans for line in range(first, last + 1)] == list(window.lines)


def test_a_question_shows_the_new_line_and_numbered_lines_with_gaps() -> None:
    asked = question(task(), Window((2, 3, 50), 3, whole=False))

    assert asked == (
        "The new line:\n\nnew line\n\nThe file before the edit, 100 lines:\n\n"
        "...\n2: line 2\n3: line 3\n...\n50: line 50\n...\n"
    )


def test_a_whole_program_is_shown_without_gaps() -> None:
    assert "..." not in question(task(), choose_window(LINES, [], 100, one))


def test_the_prompt_shows_the_form_of_an_answer() -> None:
    assert "<line>123</line>" in system_prompt()


@pytest.mark.parametrize(
    "text, outcome, error",
    [
        pytest.param(right_answer(task()), Outcome.SOLVED, 0.0, id="the right line"),
        pytest.param("<line>51</line>", Outcome.UNSOLVED, 0.7615941559557649, id="one line off"),
        pytest.param("I do not know.", Outcome.NO_ANSWER, 1.0, id="no line"),
        pytest.param("<line>101</line>", Outcome.NO_ANSWER, 1.0, id="past the end"),
        pytest.param("<line>0</line>", Outcome.NO_ANSWER, 1.0, id="line 0"),
    ],
)
def test_an_answer_is_worth_its_distance(text: str, outcome: Outcome, error: float) -> None:
    scoring = judge(task(), text, choose_window(LINES, [50], 20, one))

    assert (scoring.outcome, scoring.scores["line_error"]) == (outcome, error)
    assert scoring.valid == (outcome is not Outcome.NO_ANSWER)


def test_what_was_shown_is_recorded_beside_the_answer() -> None:
    scoring = judge(task(answer=3), "<line>50</line>", choose_window(LINES, [50], 13, one))

    assert orjson.loads(scoring.detail or "") == {
        "line": 50,
        "answer": 3,
        "shown": [[44, 56]],
        "shown_tokens": 13,
        "shown_whole": False,
        "answer_shown": False,
    }


def test_a_task_without_answer_cannot_be_judged() -> None:
    assert right_answer(task(None)) == ""
    with pytest.raises(ValueError, match="no solution"):
        judge(task(None), "1", Window((), 0, whole=False))
