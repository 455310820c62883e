"""How a scoring ended, in one word, by the one view that says it."""

import pytest

from runner.records import Outcome
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run

APPLIED, NOTHING = Outcome.APPLIED, Outcome.APPLIED_NOTHING


def class_of(store: Store, outcome: Outcome, *, valid: bool, equals_expected: bool | None = None) -> str:
    make_run(store)
    made = Made(store)
    made.scoring(made.answer(made.lane("a")), outcome, valid=valid, equals_expected=equals_expected)
    (row,) = store.rows("SELECT class FROM classes")
    return str(row["class"])


@pytest.mark.parametrize(
    "outcome, equals_expected, name",
    [
        pytest.param(APPLIED, True, "right", id="the expected file"),
        pytest.param(APPLIED, False, "wrong", id="another file"),
        pytest.param(APPLIED, None, "applied ?", id="no expected file"),
        pytest.param(NOTHING, False, "failed", id="an edit of nothing"),
        pytest.param(NOTHING, None, "failed", id="an edit of nothing, no expected file"),
        pytest.param(NOTHING, True, "right", id="an edit of nothing where nothing was to be edited"),
        pytest.param(Outcome.SOLVED, False, "right", id="tests or labels come before the expected file"),
        pytest.param(Outcome.UNSOLVED, True, "wrong", id="the same for failed tests"),
        pytest.param(Outcome.UNSOLVED, None, "wrong", id="another line"),
        pytest.param(Outcome.UNTESTED, None, "untested", id="no test decides"),
        *(
            pytest.param(outcome, equals, "failed", id=f"{outcome}, {equals}")
            for outcome in (Outcome.NO_MATCH, Outcome.AMBIGUOUS, Outcome.MALFORMED_DIFF, Outcome.MISSING_DIFF)
            for equals in (False, None)
        ),
        pytest.param(Outcome.TRUNCATED, True, "failed", id="a cut answer, by luck the expected file"),
    ],
)
def test_a_valid_scoring_is_right_wrong_failed_or_undecided(
    store: Store, outcome: Outcome, equals_expected: bool | None, name: str
) -> None:
    assert class_of(store, outcome, valid=True, equals_expected=equals_expected) == name


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if not outcome.valid])
def test_what_is_not_valid_is_invalid_or_infrastructure(store: Store, outcome: Outcome) -> None:
    name = "infrastructure" if outcome in {Outcome.CRASHED, Outcome.INFRA} else "invalid"

    assert class_of(store, outcome, valid=False) == name


@pytest.mark.parametrize("outcome", [Outcome.SEVERAL_CALLS, Outcome.MISSING_PATH])
def test_what_another_rule_counts_as_valid_has_failed(store: Store, outcome: Outcome) -> None:
    assert class_of(store, outcome, valid=True) == "failed"


def test_every_outcome_has_a_class(store: Store) -> None:
    make_run(store)
    made = Made(store)
    for number, outcome in enumerate(Outcome, 1):
        made.attempt("a", number, outcome)

    rows = store.rows("SELECT class FROM classes")

    assert len(rows) == len(Outcome)
    assert {row["class"] for row in rows} <= {
        "right", "wrong", "applied ?", "untested", "failed", "invalid", "infrastructure",
    }  # fmt: skip
