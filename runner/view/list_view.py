"""The attempts of a run that a filter chooses, a hundred on a page; of those with a cause, as many as time allows."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from runner.diagnosis.attempts import FileOfCase, diagnosis_of, is_failed
from runner.diagnosis.counts import cause_name
from runner.diagnosis.failure import Diagnosis, FailedDiff
from runner.errors import InputError
from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.storage.store import Row, Store
from runner.view.attempt_rows import ChosenAttempts, chosen_attempts, scoring_row
from runner.view.filters import FAILED, OUTCOME, ViewFilter, address

PAGE = 100
# A diagnosis takes milliseconds: a page that looks for a cause stops after so long, and says where.
PATIENCE_S = 0.15


@dataclass(frozen=True, slots=True)
class ListedAttempt:
    """A row of the list."""

    link: str
    case_id: str
    number: str
    model: str
    prompt: str
    diff: str
    mark: ClassMark
    kind: str
    outcome: str
    edits: str
    first_edit: str
    closed: str
    cause: str


@dataclass(frozen=True, slots=True)
class AttemptList:
    """A page of the list; `total` counts all that are chosen, `sentence` says what is shown of them."""

    rows: tuple[ListedAttempt, ...]
    total: int
    sentence: str
    previous: str
    following: str


def attempt_link(run_id: str, scoring_id: int, chosen: ViewFilter) -> str:
    """Return the address of an attempt, in the list of a filter."""
    return address(("run", run_id, "attempt", str(scoring_id)), chosen.pairs())


def list_link(run_id: str, chosen: ViewFilter, start: int = 0) -> str:
    """Return the address of a list, from a place on."""
    return address(("run", run_id, "attempts"), [*chosen.pairs(), *([("start", str(start))] if start else [])])


def attempt_list(store: Store, run: Row, chosen: ViewFilter, start: int) -> AttemptList:
    """Return the page of the list that begins at a place, counted from 0."""
    attempts = listed_attempts(store, run, chosen)
    start = max(0, min(start, attempts.total - 1))
    run_id = run["run_id"]
    if chosen.causes:
        rows, looked = _with_causes(attempts, start, attempts.total)
        left = attempts.total - looked
        sentence = f"{len(rows)} found among {looked - start:,} of {attempts.total:,} attempts from {start + 1:,} on."
        following = list_link(run_id, chosen, looked) if left else ""
    else:
        rows = [(row, "") for row in attempts.between(start, start + PAGE)]
        sentence = f"{start + 1:,} to {start + len(rows):,} of {attempts.total:,} attempts." if rows else ""
        following = list_link(run_id, chosen, start + PAGE) if start + PAGE < attempts.total else ""
    return AttemptList(
        tuple(_listed(run_id, row, cause, chosen) for row, cause in rows),
        attempts.total,
        sentence,
        list_link(run_id, chosen, max(0, start - PAGE)) if start else "",
        following,
    )


def _with_causes(attempts: ChosenAttempts, start: int, end: int, most: int = PAGE) -> tuple[list[tuple[Row, str]], int]:
    """Return the attempts between two places with a cause of the filter, and the place where looking ended."""
    until, rows, looked = time.monotonic() + PATIENCE_S, list[tuple[Row, str]](), start
    for place, row, cause in _causes(attempts, start, end):
        looked = place + 1
        if _is_wanted(cause, attempts.filter):
            rows.append((row, cause))
        if len(rows) >= most or time.monotonic() > until:
            break
    return rows, looked


def _causes(attempts: ChosenAttempts, start: int, end: int) -> Iterator[tuple[int, Row, str]]:
    """Yield the places and the attempts of a list with the cause of each, "" where it did not fail."""
    run, file, known = attempts.run, None, dict[FailedDiff, Diagnosis]()
    for place, row in attempts.from_place(start, end):
        if not (row["diff_algorithm"] and is_failed(row) and row["outcome"] != "crashed"):
            yield place, row, ""
            continue
        if file is None or file.case_id != row["case_id"]:
            file, known = FileOfCase(attempts.store, run["replay_of"] or run["run_id"], row["case_id"]), {}
        try:
            yield place, row, cause_name(diagnosis_of(attempts.store, row, file, known).cause)
        except InputError:
            yield place, row, ""


def _is_wanted(cause: str, chosen: ViewFilter) -> bool:
    """Return whether a cause, or one of the differences that it joins, is chosen."""
    return bool(cause) and any(name in {cause, *cause.split(" + ")} for name in chosen.causes)


def _listed(run_id: str, row: Row, cause: str, chosen: ViewFilter) -> ListedAttempt:
    step = f" step {row['step']} {row['mode']}" if row["mode"] else ""
    again = f" try {row['try']}" if row["try"] > 1 else ""
    return ListedAttempt(
        attempt_link(run_id, row["scoring_id"], chosen),
        row["case_id"],
        f"{row['number']}{step}{again}",
        row["sut"],
        row["prompt"],
        row["diff_algorithm"] or row["parser"] or "",
        CLASSES.get(row["class"], INFRASTRUCTURE),
        row["class"],
        row["outcome"],
        "-" if row["num_edits"] is None else str(row["num_edits"]),
        _ms(row["first_edit_ms"]),
        _ms(row["closed_ms"]),
        cause,
    )


def _ms(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def failures_filter(chosen: ViewFilter) -> ViewFilter:
    """Return a filter for the failures among what is chosen; its own outcomes stay where they are failures."""
    own = [
        value for value in chosen.chosen.get(OUTCOME, ()) if value not in {"right", "applied", "applied ?", "untested"}
    ]
    return ViewFilter({**chosen.chosen, OUTCOME: tuple(own) or FAILED})


def listed_attempts(store: Store, run: Row, chosen: ViewFilter) -> ChosenAttempts:
    """Return the attempts among which a list looks: with causes failures alone."""
    return chosen_attempts(store, run, failures_filter(chosen) if chosen.causes else chosen)


def neighbours(attempts: ChosenAttempts, row: Row) -> tuple[Row | None, Row | None]:
    """Return the attempts of a list before and behind one; with causes those with one, as far as time allows."""
    place = attempts.before(row)
    behind = place + attempts.has(row, place)
    if attempts.filter.causes:
        earlier = [row for row, _ in _with_causes(attempts, max(0, place - PAGE // 4), place)[0]]
        later = [row for row, _ in _with_causes(attempts, behind, attempts.total, most=1)[0]]
    else:
        earlier, later = attempts.between(place - 1, place), attempts.between(behind, behind + 1)
    return (earlier[-1] if earlier else None), (later[0] if later else None)


def recent_attempts(store: Store, run: Row) -> tuple[ListedAttempt, ...]:
    """Return the attempts that were scored last, the newest first."""
    sql = "SELECT scoring_id FROM scorings WHERE run_id = ? ORDER BY scoring_id DESC LIMIT 8"
    everything = ViewFilter({})
    ids = [row["scoring_id"] for row in store.rows(sql, run["run_id"])]
    rows = [row for row in (scoring_row(store, scoring_id) for scoring_id in ids) if row]
    return tuple(_listed(run["run_id"], row, "", everything) for row in rows)
