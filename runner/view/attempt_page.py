"""The page of an attempt: the attempt itself, its place in the list that led to it, and others at its case."""

from collections.abc import Iterator
from dataclasses import dataclass

from runner.pages.outcomes import CLASSES, INFRASTRUCTURE, ClassMark
from runner.storage.store import Row, Store
from runner.view.attempt_rows import attempts_at, scoring_row
from runner.view.attempt_view import AttemptView, attempt_view
from runner.view.compare_view import beside_link
from runner.view.filters import ViewFilter, address
from runner.view.list_view import attempt_link, failures_filter, list_link, listed_attempts, neighbours

MOST_OTHERS = 40
# The name of a step, its key, and the address, "" where there is none.
Step = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class OtherAttempt:
    """Another attempt at the same case: how it ended, its page, and the page of both side by side."""

    name: str
    mark: ClassMark
    kind: str
    link: str
    beside: str


@dataclass(frozen=True, slots=True)
class AttemptPage:
    """An attempt with the links around it; `place` is 0 where its list does not have it."""

    attempt: AttemptView
    run_link: str
    list_link: str
    list_name: str
    place: int
    total: int
    steps: tuple[Step, ...]
    whole: str
    others: tuple[OtherAttempt, ...]


def attempt_page(store: Store, run: Row, scoring_id: int, chosen: ViewFilter, *, whole: bool) -> AttemptPage | None:
    """Return the page of a scoring of a run, in the list of a filter; None where the run has none of this id."""
    row = scoring_row(store, scoring_id)
    if row is None or row["run_id"] != run["run_id"]:
        return None
    run_id = run["run_id"]
    attempts = listed_attempts(store, run, chosen)
    place = attempts.before(row)
    return AttemptPage(
        attempt=attempt_view(store, run, row, whole=whole),
        run_link=address(("run", run_id)),
        list_link=list_link(run_id, chosen),
        list_name=", ".join(value for _, value in chosen.pairs()) or "all attempts",
        place=place + 1 if attempts.has(row, place) else 0,
        total=attempts.total,
        steps=_steps(store, run, row, chosen),
        whole=address(("run", run_id, "attempt", str(scoring_id)), [*chosen.pairs(), ("whole", "1")]),
        others=tuple(_others(store, run, row)),
    )


def _steps(store: Store, run: Row, row: Row, chosen: ViewFilter) -> tuple[Step, ...]:
    """Return the steps in the list, and to the failures in it that stand before and behind the attempt."""
    failing = failures_filter(chosen)
    before, behind = neighbours(listed_attempts(store, run, chosen), row)
    failed_before, failed_behind = neighbours(listed_attempts(store, run, failing), row)
    steps = (
        ("previous", "k", before, chosen),
        ("next", "j", behind, chosen),
        ("previous failure", "p", failed_before, failing),
        ("next failure", "n", failed_behind, failing),
    )
    return tuple(
        (name, key, attempt_link(run["run_id"], other["scoring_id"], where) if other else "")
        for name, key, other, where in steps
    )


def _others(store: Store, run: Row, row: Row) -> Iterator[OtherAttempt]:
    """Yield other attempts of the run at the same case, by the same algorithm."""
    rule = (row["parser"], row["diff_algorithm"])
    rows = [
        other
        for other in attempts_at(store, run, row["case_id"])
        if (other["parser"], other["diff_algorithm"]) == rule and other["scoring_id"] != row["scoring_id"]
    ]
    for other in rows[:MOST_OTHERS]:
        name = " ".join(filter(None, (other["sut"], other["prompt"], other["mode"], str(other["number"]))))
        link = attempt_link(run["run_id"], other["scoring_id"], ViewFilter({}))
        mark = CLASSES.get(other["class"], INFRASTRUCTURE)
        yield OtherAttempt(name, mark, other["class"], link, beside_link(row, other))
