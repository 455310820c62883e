"""A replay against the run that it replays: the same answers, what one algorithm solves and the other does not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from runner.stats.intervals import Interval
from runner.stats.paired import Flips, difference_over_cases, flips
from runner.storage.store import Row, Store

_ALGORITHMS = """
SELECT CASE WHEN diff_algorithm = '' THEN parser ELSE diff_algorithm END AS name FROM variants
WHERE run_id = ? GROUP BY name ORDER BY name = '', min(position)"""
_OUTCOMES = """
SELECT answer_id, sut, prompt, case_id, number, outcome, solved FROM attempts
WHERE run_id = ? AND CASE WHEN diff_algorithm = '' THEN parser ELSE diff_algorithm END = ? AND outcome != 'crashed'"""


@dataclass(frozen=True, slots=True)
class Flip:
    """An attempt that one algorithm solved and the other did not."""

    sut: str
    prompt: str
    case_id: str
    number: int
    outcome_before: str
    outcome_after: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """A replayed algorithm against the one of the run that was replayed, on the same answers.

    `difference` is in the share of solved attempts, the mean over cases, with a 95 % interval clustered by case.
    """

    baseline: str
    diff_algorithm: str
    table: Flips
    difference: Interval | None
    flipped: tuple[Flip, ...]


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
    flipped = [
        Flip(new["sut"], new["prompt"], new["case_id"], new["number"], old["outcome"], new["outcome"])
        for old, new in pairs
        if old["solved"] != new["solved"]
    ]
    return Comparison(
        baseline=baseline,
        diff_algorithm=algorithm,
        table=flips((bool(old["solved"]), bool(new["solved"])) for old, new in pairs),
        difference=difference_over_cases(
            _case_rates([old for old, _ in pairs]), _case_rates([new for _, new in pairs])
        ),
        flipped=tuple(flipped),
    )


def _case_rates(rows: Sequence[Row]) -> dict[str, float]:
    solved: dict[str, list[int]] = {}
    for row in rows:
        solved.setdefault(row["case_id"], []).append(row["solved"])
    return {case_id: sum(outcomes) / len(outcomes) for case_id, outcomes in solved.items()}
