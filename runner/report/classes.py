"""The classes of the view `classes`, and the questions about which nothing decides what is right."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from runner.records import Outcome
from runner.report.attempt_stream import EDITS
from runner.stats.quota import valid_rate
from runner.storage.store import Row, Store

RIGHT = frozenset({"right"})
WRONG = frozenset({"wrong"})
UNDECIDED = frozenset({"applied ?", "untested"})
APPLIED = RIGHT | WRONG | UNDECIDED

# What tests or labels give, instead of an expected file.
_JUDGED = frozenset({Outcome.SOLVED, Outcome.UNSOLVED, Outcome.UNTESTED})

_KINDS = """
SELECT DISTINCT t.case_id, t.step, t.mode, t.valid, t.outcome, t.equals_expected, c.class
FROM attempts t JOIN classes c USING (scoring_id) WHERE t.run_id = ?"""

# A case, and the step and the mode of a question about it.
Question = tuple[str, int, str]


def question_of(row: Row) -> Question:
    """Return what a row of `attempts` answers."""
    return row["case_id"], row["step"], row["mode"]


def never_valid(rows: Iterable[Row]) -> list[Row]:
    """Return a row of each lane that settled without a valid answer: it counts as one that is neither right nor wrong.

    Every further answer would have been the same invalid one. To leave such lanes out, as those that reached their cap
    with various invalid answers, would favour models that fail in the same way each time.
    """
    settled: dict[int, Row] = {}
    valid: set[int] = set()
    for row in rows:
        if row["valid"]:
            valid.add(row["lane_id"])
        elif row["settled_at"] is not None:
            settled.setdefault(row["lane_id"], row)
    return [row for lane_id, row in settled.items() if lane_id not in valid]


def decides(rows: Iterable[Row]) -> bool:
    """Return whether any of these rows is known to be right or wrong."""
    return any(row["class"] in RIGHT | WRONG for row in rows)


def question_rate(validity: Sequence[int], before: int | None, quota: int) -> float:
    """Return how often an answer to one question is valid, from the validity of each in launch order.

    `before` counts those before the answer that settled the lane, None where none did; see `valid_rate`.
    """
    counting = validity if before is None else validity[:before] or validity
    return valid_rate(counting, quota, settled=before is not None) or 0.0


@dataclass(frozen=True, slots=True)
class Decisions:
    """The questions of a run that nothing decides, and whether any attempt is known to be right or wrong."""

    undecided: frozenset[Question]
    decided: bool


def decisions_of(store: Store, run_id: str, edits: str = "") -> Decisions:
    """Return what decides about the attempts of a run, all or those of so many `edits`."""
    kinds = store.rows(f"{_KINDS}{EDITS[edits]}", run_id)
    return Decisions(undecided_questions(kinds), decides(kinds))


class ScoredKind(NamedTuple):
    """What of a scoring says whether something decides about its question."""

    question: Question
    valid: bool
    class_: str
    outcome: str
    compared: bool


def undecided_questions(rows: Iterable[Row]) -> frozenset[Question]:
    """Return the questions of a run that nothing decides, by all its rows; see `undecided_by`."""
    return undecided_by(
        ScoredKind(question_of(row), row["valid"], row["class"], row["outcome"], row["equals_expected"] is not None)
        for row in rows
    )


def undecided_by(kinds: Iterable[ScoredKind]) -> frozenset[Question]:
    """Return the questions for which no file is expected and no test or label is known, by all scorings.

    No answer to them counts as right or wrong, a failed one neither: else variants would be compared by what only
    failures can have.
    """
    valid = [kind for kind in kinds if kind.valid]
    judged = any(kind.outcome in _JUDGED for kind in valid)
    return frozenset(kind.question for kind in valid if kind.class_ in UNDECIDED or (not judged and not kind.compared))
