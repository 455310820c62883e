import pytest

from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.matching import Target
from runner.suites.nextedit.whole_edits import with_whole_edits

TEXTS = {"a": "1\nkeep\n2\nrest\n", "b": "same\n" * 4}
TARGET = Target(0, "a", 0, ("1\n", "keep\n", "2\n"), ("one\n", "keep\n", "two\n"))
FIRST, SECOND = Suggestion("a", 0, ("1\n",), ("one\n",), 0.2), Suggestion("a", 2, ("2\n",), ("two\n",), 0.9)
WRONG = Suggestion("a", 2, ("2\n",), ("something else altogether\n", "and more of it\n"))
OTHER = Suggestion("b", 0, ("same\n",), ("x\n",))
WHOLE = Suggestion("a", 0, TARGET.before, TARGET.after, 0.9)


@pytest.mark.parametrize(
    "given, joined",
    [
        pytest.param([FIRST, SECOND], [WHOLE], id="the-pieces-of-one-edit"),
        pytest.param([SECOND, OTHER, FIRST], [WHOLE, OTHER], id="it-stands-where-the-first-of-them-stood"),
        pytest.param([FIRST, OTHER], [FIRST, OTHER], id="one-piece-is-no-edit"),
        pytest.param([WHOLE, FIRST], [WHOLE, FIRST], id="the-edit-itself-takes-no-piece"),
        pytest.param([FIRST, WRONG], [FIRST, WRONG], id="pieces-that-lead-to-another-text"),
        pytest.param([FIRST, FIRST, SECOND], [FIRST, FIRST, SECOND], id="pieces-of-the-same-lines"),
    ],
)
def test_predictions_that_are_one_edit_together_are_one(given: list[Suggestion], joined: list[Suggestion]) -> None:
    assert list(with_whole_edits(given, [TARGET], TEXTS)) == joined


def test_pieces_of_an_edit_that_is_much_alike_are_one_with_their_own_words() -> None:
    target = Target(0, "a", 0, TARGET.before, ("one\n", "keep\n", "total = sum(values, start=0)\n"))
    piece = Suggestion("a", 2, ("2\n",), ("total = sum(values, start=1)\n",), 0.1)

    joined = Suggestion("a", 0, TARGET.before, ("one\n", "keep\n", *piece.after), 0.2)
    assert with_whole_edits([FIRST, piece], [target], TEXTS) == (joined,)


def test_lines_that_are_alike_may_be_inserted_at_any_of_them() -> None:
    target = Target(0, "b", 4, (), ("same\n", "same\n"))
    pieces = [Suggestion("b", 0, (), ("same\n",)), Suggestion("b", 2, (), ("same\n",))]

    assert with_whole_edits(pieces, [target], TEXTS) == (Suggestion("b", 4, (), target.after),)


def test_edits_that_are_predicted_as_they_are_stay_apart_whatever_they_are_together() -> None:
    targets = [
        Target(0, "b", 1, (), ("same\n", "x\n")),
        Target(1, "b", 0, ("same\n",), ("y\n",)),
        Target(2, "b", 0, ("same\n", "same\n"), ("y\n", "same\n", "x\n", "same\n")),
    ]
    edits = [Suggestion("b", target.start, target.before, target.after) for target in targets[:2]]

    assert list(with_whole_edits(edits, targets, TEXTS)) == edits


def test_a_prediction_of_lines_that_are_not_there_is_no_piece() -> None:
    wrong = Suggestion("a", 1, ("2\n",), ("two\n",))

    assert with_whole_edits([FIRST, wrong], [TARGET], TEXTS) == (FIRST, wrong)
