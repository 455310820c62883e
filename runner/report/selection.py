"""Finds the attempts that `evals show` shows, by case, model, outcome, failure, or a flip between two algorithms."""

from collections.abc import Generator
from dataclasses import dataclass, field

from runner.errors import InputError
from runner.report.classes import RIGHT
from runner.report.export import Record, records
from runner.storage.attempt_filter import AttemptFilter
from runner.storage.store import Row, Store

# What identifies a record of a case.
Key = tuple[str, str, int, str, int, int, str | None, str | None]

_SCORED = """
SELECT t.sut, t.prompt, t.case_id, t.step, t.mode, t.number, t.try, t.parser, t.diff_algorithm
FROM attempts t JOIN classes c USING (scoring_id)
WHERE t.run_id = ?{condition} ORDER BY t.case_id, t.sut, t.prompt"""
_UNSCORED = """
SELECT t.sut, t.prompt, t.case_id, t.step, t.mode, t.number, t.try, NULL AS parser, NULL AS diff_algorithm
FROM infrastructure t WHERE t.run_id = ?{condition} ORDER BY t.case_id, t.sut, t.prompt"""
_CLASSES = """
SELECT t.answer_id, c.class FROM attempts t JOIN classes c USING (scoring_id)
WHERE t.run_id IN (?, ?) AND t.diff_algorithm = ?"""
# An edit whose expected result is unknown is as good as it can be.
_GOOD = RIGHT | {"applied ?"}
_FAILED = " AND c.class NOT IN ('right', 'applied ?', 'untested')"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which attempts of a run are shown; what is not given chooses all.

    `flip` names two diff algorithms: only answers that are right under one of them and not under the other.
    """

    filter: AttemptFilter = field(default_factory=AttemptFilter)
    number: int | None = None
    failed: bool = False
    flip: tuple[str, str] | None = None


def selected(store: Store, run: Row, selection: Selection) -> Generator[Record, None, None]:
    """Yield the records of the chosen attempts, case by case. Raises InputError if there is none."""
    run_id: str = run["run_id"]
    chosen = keys(store, run, selection)
    if not chosen:
        raise InputError(f"run {run_id}: has no {_described(selection)}; see `evals report {run_id}`")
    for case_id, requested in chosen.items():
        for record in records(store, run_id, case_id):
            # A failure of the infrastructure has no algorithm; the parser of its record is that of the variant.
            scored = record["diff_algorithm"] is not None
            rule = (record["parser"], record["diff_algorithm"]) if scored else (None, None)
            question = (record["model_id"], record["prompt"], record["step"], record["mode"])
            if (*question, record["number"], record["try"], *rule) in requested:
                yield record


def keys(store: Store, run: Row, selection: Selection) -> dict[str, set[Key]]:
    """Return the keys of the chosen attempts by case, in the order of the cases' ids."""
    selection.filter.check(store, run["run_id"])
    condition, values = selection.filter.sql()
    if selection.number is not None:
        condition, values = f"{condition} AND t.number = ?", [*values, selection.number]
    scored = condition + (_FAILED if selection.failed else "")
    rows = store.rows(_SCORED.format(condition=_of_answers(store, run, selection, scored)), run["run_id"], *values)
    if not (selection.failed or selection.flip or selection.filter.diffs):
        rows += store.rows(_UNSCORED.format(condition=condition), run["run_id"], *values)
    chosen = dict[str, set[Key]]()
    for row in rows:
        sut, prompt, case_id, *rest = row
        chosen.setdefault(case_id, set()).add((sut, prompt, *rest))
    return dict(sorted(chosen.items()))


def _of_answers(store: Store, run: Row, selection: Selection, condition: str) -> str:
    """Return the condition with that of the answers that flip; their ids are whole numbers of the database."""
    if selection.flip is None:
        return condition
    first, second = (_classes(store, run, name) for name in selection.flip)
    flipped = [answer for answer in first if (first[answer] in _GOOD) != (second.get(answer, "") in _GOOD)]
    ids = ", ".join(str(int(answer)) for answer in flipped if answer in second)
    return f"{condition} AND t.answer_id IN ({ids})"


def _classes(store: Store, run: Row, algorithm: str) -> dict[int, str]:
    """Return the class of each answer under an algorithm, in the run or in the one that it replays."""
    rows = store.rows(_CLASSES, run["run_id"], run["replay_of"] or run["run_id"], algorithm)
    if not rows:
        raise InputError(f"--flip: no answer of run {run['run_id']} was scored by {algorithm!r}; replay it first")
    return {row["answer_id"]: row["class"] for row in rows}


def _described(selection: Selection) -> str:
    failed = "failed " if selection.failed else ""
    attempt = "attempt" if selection.number is None else f"attempt {selection.number}"
    cases = ", ".join(map(repr, selection.filter.cases))
    return f"{failed}{attempt}{f' at case {cases}' if cases else ' that matches'}"
