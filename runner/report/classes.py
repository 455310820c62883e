"""The classes of the view `classes`, and the questions about which nothing decides what is right."""

from collections.abc import Iterable

from runner.records import Outcome
from runner.storage.store import Row

RIGHT = frozenset({"right"})
WRONG = frozenset({"wrong"})
UNDECIDED = frozenset({"applied ?", "untested"})
APPLIED = RIGHT | WRONG | UNDECIDED

# What tests or labels give, instead of an expected file.
_JUDGED = frozenset({Outcome.SOLVED, Outcome.UNSOLVED, Outcome.UNTESTED})

# A case, and the step and the mode of a question about it.
Question = tuple[str, int, str]


def question_of(row: Row) -> Question:
    """Return what a row of `attempts` answers."""
    return row["case_id"], row["step"], row["mode"]


def undecided_questions(rows: Iterable[Row]) -> frozenset[Question]:
    """Return the questions of a run, by all its rows, for which no file is expected and no test or label is known.

    No answer to them counts as right or wrong, a failed one neither: else variants would be compared by what only
    failures can have.
    """
    valid = [row for row in rows if row["valid"]]
    judged = any(row["outcome"] in _JUDGED for row in valid)
    return frozenset(
        question_of(row)
        for row in valid
        if row["class"] in UNDECIDED or (not judged and row["equals_expected"] is None)
    )
