"""A replay against the run that it replays: the same answers, what one algorithm solves and the other does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.report.classes import APPLIED, RIGHT, WRONG, question_of, undecided_questions
from runner.stats.flips import Flips, flips
from runner.stats.intervals import Interval
from runner.stats.paired import paired_difference
from runner.storage.store import Row, Store

_ALGORITHMS = """
SELECT CASE WHEN diff_algorithm = '' THEN parser ELSE diff_algorithm END AS name FROM variants
WHERE run_id = ? GROUP BY name ORDER BY name = '', min(position)"""
_OUTCOMES = """
SELECT answer_id, sut, prompt, case_id, number, step, mode, valid, equals_expected,
    outcome, class FROM attempts JOIN classes USING (scoring_id)
WHERE run_id = ? AND CASE WHEN diff_algorithm = '' THEN parser ELSE diff_algorithm END = ?
    AND class != 'infrastructure'"""


@dataclass(frozen=True, slots=True)
class Flip:
    """An attempt that is right by one algorithm and not by the other, with `right`, `wrong` or its outcome."""

    sut: str
    prompt: str
    case_id: str
    number: int
    outcome_before: str
    outcome_after: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A replayed algorithm against the one of the run that was replayed, on the same answers.

    `figure` is what an attempt is or is not: `right`, or `applied` where nothing decides what is right. `difference`
    is in the share of such attempts, the mean over cases, with a 95 % interval clustered by case.
    """

    baseline: str
    diff_algorithm: str
    table: Flips
    difference: Interval | None
    flipped: tuple[Flip, ...]
    figure: str = "right"


def compare(store: Store, source: Row, run_id: str) -> tuple[Comparison, ...]:
    """Each algorithm of a replay against the first algorithm of the run that was replayed.

    Answers that are no diffs are compared by their parsers.
    """
    baseline, *_ = _algorithms(store, source["run_id"])
    before = _outcomes(store, source["run_id"], baseline)
    after = {algorithm: _outcomes(store, run_id, algorithm) for algorithm in _algorithms(store, run_id)}
    return tuple(
        _comparison(baseline, algorithm, before, outcomes)
        for algorithm, outcomes in after.items()
        if not before.keys().isdisjoint(outcomes)
    )


def _algorithms(store: Store, run_id: str) -> list[str]:
    return [row["name"] for row in store.rows(_ALGORITHMS, run_id)]


def _outcomes(store: Store, run_id: str, algorithm: str) -> dict[int, Row]:
    return {row["answer_id"]: row for row in store.rows(_OUTCOMES, run_id, algorithm)}


def _comparison(baseline: str, algorithm: str, before: Mapping[int, Row], after: Mapping[int, Row]) -> Comparison:
    pairs = [(before[answer], row) for answer, row in after.items() if answer in before]
    undecided = undecided_questions(row for pair in pairs for row in pair)
    decided = [(old, new) for old, new in pairs if question_of(new) not in undecided]
    classes = RIGHT if decided else APPLIED
    pairs = decided or pairs
    flipped = [
        Flip(new["sut"], new["prompt"], new["case_id"], new["number"], _ending(old), _ending(new))
        for old, new in pairs
        if (old["class"] in classes) != (new["class"] in classes)
    ]
    return Comparison(
        baseline=baseline,
        diff_algorithm=algorithm,
        table=flips((old["class"] in classes, new["class"] in classes) for old, new in pairs),
        difference=_difference(pairs, classes),
        flipped=tuple(flipped),
        figure="right" if decided else "applied",
    )


def _ending(row: Row) -> str:
    return str(row["class"] if row["class"] in RIGHT | WRONG else row["outcome"])


def _difference(pairs: Sequence[tuple[Row, Row]], classes: frozenset[str]) -> Interval | None:
    cases: dict[str, list[int]] = {}
    for old, new in pairs:
        cases.setdefault(new["case_id"], []).append((new["class"] in classes) - (old["class"] in classes))
    means = [(sum(differences) / len(differences),) for differences in cases.values()]
    difference = paired_difference(means, len(pairs) / max(1, len(cases)))
    if difference is None:
        # What one case has may be anything elsewhere.
        return Interval(means[0][0], -1.0, 1.0) if means else None
    return difference.interval
