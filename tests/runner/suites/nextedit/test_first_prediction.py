"""What an editor gains that shows one prediction: planted predictions give the numbers that were counted by hand."""

import pytest

from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.first_prediction import FirstPrediction, first_prediction
from runner.suites.nextedit.judging import judge_predictions
from runner.suites.nextedit.keystrokes import keystrokes
from runner.suites.nextedit.state import State
from tests.nextedit import commit_of

# Edit 0 is made; edit 1 puts five lines in place of two, edit 2 takes a line out, edit 3 is a new file.
COMMIT = commit_of(
    {
        "a.py": (
            "top\nkeep\nold 1\nold 2\nkeep\nkeep\ngone\nend\n",
            "TOP\nkeep\nnew 1\nnew 2\nnew 3\nnew 4\nnew 5\nkeep\nkeep\nend\n",
        ),
        "b.py": (None, "x = 1\n"),
    }
)
STATE = State(COMMIT, (0,))
NEW = tuple(f"new {number}\n" for number in range(1, 6))
OLD = ("old 1\n", "old 2\n")
RIGHT = Suggestion("a.py", 2, OLD, NEW)
WRONG = Suggestion("a.py", 0, ("TOP\n",), ("TIP\n",))
KEYS = keystrokes("".join(OLD), "".join(NEW))


def of(accepted: int, lines: int, kept: int, keys_saved: int) -> FirstPrediction:
    """A prediction that is shown, at the step at which edit 1 is made."""
    return FirstPrediction(
        visible=True, accepted=bool(accepted), lines=lines, kept=kept, keys=KEYS, keys_saved=keys_saved
    )


def shown(*suggestions: Suggestion, made: int = 1, allowed: tuple[int, ...] = (1, 2, 3)) -> FirstPrediction:
    """The figures of a step with these predictions."""
    judged = judge_predictions(suggestions, STATE, allowed, ())
    return first_prediction(STATE, judged.suggestions, judged.matches, allowed, made)


@pytest.mark.parametrize(
    "before, after, keys",
    [
        pytest.param("same", "same", 0, id="nothing"),
        pytest.param("", "abc", 3, id="typed"),
        pytest.param("abc", "", 1, id="one-run-taken-out"),
        pytest.param("max_row = 1\n", "max_rows = 1\n", 1, id="a-letter"),
        pytest.param("a = old(1)\n", "a = new(1)\n", 4, id="a-word"),
        pytest.param("1a2b3", "123", 2, id="two-runs"),
        pytest.param("x" * 9000, "y" * 9000, 9001, id="too-long-to-align"),
    ],
)
def test_keystrokes_are_characters_typed_and_runs_taken_out(before: str, after: str, keys: int) -> None:
    assert keystrokes(before, after) == keys


@pytest.mark.parametrize(
    "suggestion, figures",
    [
        # Two lines out and five in; one key accepts it.
        pytest.param(RIGHT, of(1, 7, 7, KEYS - 1), id="the-very-edit"),
        # Four of the five lines are right and both taken out; the last five characters are to be typed again.
        pytest.param(
            Suggestion("a.py", 2, OLD, (*NEW[:4], "other\n")),
            of(0, 7, 6, KEYS - 1 - keystrokes("other", "new 5")),
            id="one-line-of-seven-is-wrong",
        ),
        # A line that stays is no changed line.
        pytest.param(
            Suggestion("a.py", 1, ("keep\n", *OLD), ("keep\n", *NEW)),
            of(1, 7, 7, KEYS - 1),
            id="unchanged-lines-do-not-count",
        ),
        # One of the lines that go, and none of those that come: of two changed lines one is kept, nothing is accepted.
        pytest.param(
            Suggestion("a.py", 3, OLD[1:], ("something else\n",)),
            of(0, 2, 1, 0),
            id="half-of-its-lines",
        ),
        pytest.param(WRONG, of(0, 2, 0, 0), id="a-line-that-stays"),
        pytest.param(Suggestion("c.py", 0, (), ("y\n",)), of(0, 1, 0, 0), id="another-file"),
        pytest.param(Suggestion("a.py", 2, ("no such\n",), NEW), of(0, 6, 0, 0), id="not-there"),
    ],
)
def test_a_planted_prediction_gives_its_numbers(suggestion: Suggestion, figures: FirstPrediction) -> None:
    assert shown(suggestion) == figures


def test_only_the_prediction_that_is_ranked_first_is_shown() -> None:
    wrong_first = shown(WRONG, RIGHT)
    right_first = shown(WRONG, Suggestion("a.py", 2, OLD, NEW, confidence=0.5))

    assert (wrong_first.accepted, wrong_first.keys_saved) == (False, 0)
    assert (right_first.accepted, right_first.keys_saved) == (True, KEYS - 1)


def test_silence_shows_nothing_and_saves_nothing() -> None:
    assert shown() == FirstPrediction(keys=KEYS)


def test_an_edit_that_may_not_come_yet_is_not_accepted_but_its_lines_are_kept() -> None:
    later = shown(RIGHT, made=2, allowed=(2,))

    assert (later.accepted, later.lines, later.kept, later.keys_saved) == (False, 7, 7, 0)


def test_a_new_file_and_a_line_that_goes_are_accepted_too() -> None:
    new_file = shown(Suggestion("b.py", 0, (), ("x = 1\n",)), made=3)
    gone = shown(Suggestion("a.py", 6, ("gone\n",), ()), made=2)

    assert (new_file.accepted, new_file.lines, new_file.keys, new_file.keys_saved) == (True, 1, 6, 5)
    # Taking a line out is one key by hand as well.
    assert (gone.accepted, gone.lines, gone.keys, gone.keys_saved) == (True, 1, 1, 0)
