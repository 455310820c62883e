from typing import Any

import pytest

from runner.errors import InputError
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.editor import Suggestion
from runner.suites.nextedit.judging import judge_predictions
from runner.suites.nextedit.mispredictions import misprediction_lines
from runner.suites.nextedit.state import State
from tests.nextedit import commit_of

COMMIT = commit_of(
    {"a.py": ("a\nkeep\nb\nkeep\nkeep\nc\n", "A\nkeep\nB\nkeep\nkeep\nC\n"), "z.py": ("z = 1\n", "z = 2\n")}
)
ALLOWED = (1,)


def detail_of(commit: Commit, suggestions: list[Suggestion], *, nothing_more: bool = False) -> dict[str, Any]:
    """A judged step after edit 0, as it is on record."""
    judged = judge_predictions(suggestions, State(commit, (0,)), ALLOWED, ())
    return {
        "applied": [0],
        "allowed": list(ALLOWED),
        "new_island": False,
        "nothing_more": nothing_more,
        "flow": [str(flow) for flow in judged.metrics.flows],
        "matches": [{"prediction": match.suggestion, "edit": match.target} for match in judged.matches],
        "predictions": [
            {"path": row.path, "start": row.start, "before": list(row.before), "after": list(row.after)}
            for row in judged.suggestions
        ],
    }


def lines_of(*suggestions: Suggestion, nothing_more: bool = False) -> list[str]:
    return list(misprediction_lines(detail_of(COMMIT, list(suggestions), nothing_more=nothing_more), COMMIT))


@pytest.mark.parametrize(
    "suggestion, nearest",
    [
        pytest.param(
            Suggestion("a.py", 3, ("keep\n",), ("kept\n",)),
            ["  prediction 1 of 1, breaking: a.py line 4", "    - keep", "    + kept",
             "  nearest edit that remains (may come next): a.py line 3", "    - b", "    + B"],
            id="the-fewest-lines-away",
        ),
        pytest.param(
            Suggestion("a.py", 5, ("c\n",), ("C\n",)),
            ["  prediction 1 of 1, jumping: a.py line 6", "    - c", "    + C",
             "  nearest edit that remains (comes later): a.py line 6", "    - c", "    + C"],
            id="the-edit-that-it-is",
        ),
        pytest.param(
            Suggestion("other.py", 0, (), ("z = 2\n",)),
            ["  prediction 1 of 1, breaking: other.py line 1", "    + z = 2",
             "  nearest edit that remains (comes later): z.py line 1", "    - z = 1", "    + z = 2"],
            id="in-another-file-the-most-similar",
        ),
    ],
)  # fmt: skip
def test_a_wrong_prediction_stands_beside_the_nearest_edit(suggestion: Suggestion, nearest: list[str]) -> None:
    assert lines_of(suggestion) == ["  1 edits made; 1 of 3 that remain may come next", *nearest]


def test_a_right_prediction_is_not_shown() -> None:
    assert lines_of(Suggestion("a.py", 2, ("b\n",), ("B\n",))) == ["  1 edits made; 1 of 3 that remain may come next"]


def test_an_answer_that_nothing_is_left_stands_beside_what_may_come_next() -> None:
    assert lines_of(nothing_more=True)[1:] == [
        "  stated that nothing is left to do; may come next:", "  a.py line 3", "    - b", "    + B",
    ]  # fmt: skip


def test_long_and_many_predictions_are_cut() -> None:
    long = Suggestion("a.py", 3, ("keep\n",), tuple(f"{number}\n" for number in range(20)))
    lines = lines_of(long, *(Suggestion(f"{number}.py", 0, (), ("x\n",)) for number in range(4)))

    assert "    ... 15 more lines" in lines
    assert lines[-1] == "  ... 2 more wrong predictions: --json"


def test_control_characters_are_made_visible() -> None:
    assert "    + \\x1b[31m" in lines_of(Suggestion("a.py", 3, ("keep\n",), ("\x1b[31m\n",)))


@pytest.mark.parametrize(
    "damage",
    [
        {"matches": [{"pretiction": 0, "edit": 1}]},
        {"predictions": [{"path": "a.py", "start": -1, "before": [], "after": []}]},
        {"predictions": []},
        {"applied": [0, 0]},
        {"applied": [9]},
        {"applied": [0, 1, 2, 3]},
        {"allowed": [7]},
        {"flow": "jumping"},
    ],
    ids=str,
)
def test_a_damaged_record_is_one_line(damage: dict[str, Any]) -> None:
    detail = detail_of(COMMIT, [Suggestion("a.py", 5, ("c\n",), ("C\n",))]) | damage

    with pytest.raises(InputError, match=r"column detail of a scoring: .*the database is damaged; restore it"):
        list(misprediction_lines(detail, COMMIT))
