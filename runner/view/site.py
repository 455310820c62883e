"""The addresses of the server: which page each one is, drawn from one state of the database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runner.errors import InputError
from runner.pages.drawing import drawing
from runner.storage.runs import find_run
from runner.storage.store import Row, Store
from runner.view.attempt_page import attempt_page
from runner.view.case_view import PAGE, case_runs, cases_health
from runner.view.compare_view import compared
from runner.view.filters import CAUSE, KEYS, Query, ViewFilter, address, filter_of, known_values
from runner.view.list_view import attempt_list, list_link
from runner.view.run_view import run_view
from runner.view.runs_view import run_list
from runner.view.whole_report import whole_report

if TYPE_CHECKING:
    from jinja2 import Environment

# No text on a page is longer; views cut earlier, and say how much they leave out.
_LONGEST_TEXT = 2_500_000
_HINT = "Runs are at /, cases at /cases, comparisons at /compare."
# Ids of the database have fewer.
_DIGITS = 19
_PACKAGES = ("runner.view", "runner.pages")


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page and the status of its answer."""

    status: int
    html: str


class UnknownPageError(Exception):
    """There is no page of this address; the message says what could be meant."""


def draw(store: Store, parts: Sequence[str], query: Query) -> Drawn:
    """Return the page of an address, by its parts between slashes."""
    try:
        with store.snapshot():
            return Drawn(200, _page(store, parts, query))
    except UnknownPageError as error:
        return Drawn(404, _rendered("error.html", title="There is no such page", words=str(error)))
    except InputError as error:
        return Drawn(404, _rendered("error.html", title="This cannot be shown", words=str(error)))


def _page(store: Store, parts: Sequence[str], query: Query) -> str:
    match parts:
        case []:
            return _rendered("runs.html", title="Runs", list=run_list(store, query), db=str(store.path))
        case ["run", run_id, *below]:
            return _of_run(store, _known_run(store, run_id), below, query)
        case ["compare"]:
            runs = run_list(store, ()).runs
            return _rendered("compare.html", title="Compare", view=compared(store, dict(query)), runs=runs)
        case ["cases"]:
            return _cases(store, query)
        case ["case", digest]:
            return _case(store, dict(query).get("id", ""), digest)
        case _:
            raise UnknownPageError(_HINT)


def _of_run(store: Store, run: Row, below: Sequence[str], query: Query) -> str:
    match below:
        case []:
            return _run(store, run, query)
        case ["attempts"]:
            return _list(store, run, query)
        case ["report"]:
            return _report(store, run)
        case ["attempt", scoring]:
            return _attempt(store, run, scoring, query)
        case _:
            raise UnknownPageError(_HINT)


def _report(store: Store, run: Row) -> str:
    run_id: str = run["run_id"]
    page = whole_report(store, run)
    link = address(("run", run_id))
    return _rendered("whole.html", title=f"Report of run {run_id}", page=page, run_id=run_id, run_link=link)


def _attempt(store: Store, run: Row, scoring: str, query: Query) -> str:
    chosen = filter_of(query, known_values(store, run), ("whole",))
    scoring_id = int(scoring) if scoring.isascii() and scoring.isdigit() and len(scoring) < _DIGITS else 0
    view = attempt_page(store, run, scoring_id, chosen, whole=("whole", "1") in query)
    if view is None:
        raise UnknownPageError(f"Run {run['run_id']} has no attempt {scoring}. {_HINT}")
    title = f"{view.attempt.case_id} {view.attempt.number}"
    return _rendered("attempt.html", title=title, view=view, notes=chosen.notes)


def _case(store: Store, case_id: str, digest: str) -> str:
    health, runs = case_runs(store, case_id, digest)
    if health is None:
        raise UnknownPageError(f"No run has case {case_id!r} of digest {digest}. {_HINT}")
    return _rendered("case.html", title=f"Case {case_id}", case=health, runs=runs)


def _known_run(store: Store, run_id: str) -> Row:
    rows = store.rows("SELECT * FROM runs WHERE run_id = ?", run_id)
    return rows[0] if rows else find_run(store, run_id)


def _run(store: Store, run: Row, query: Query) -> str:
    known = known_values(store, run)
    # A cause is matches attempt by attempt: it chooses from the list alone.
    del known[CAUSE]
    chosen = filter_of([pair for pair in query if pair[0] != CAUSE], known)
    view = run_view(store, run, chosen)
    return _rendered("run_live.html", title=f"Run {run['run_id']}", view=view, **_filtering(run, chosen, known, ()))


def _list(store: Store, run: Row, query: Query) -> str:
    known = known_values(store, run)
    chosen = filter_of(query, known, ("start",))
    start = dict(query).get("start", "")
    view = attempt_list(store, run, chosen, int(start[:12]) if start.isascii() and start.isdigit() else 0)
    words = _filtering(run, chosen, known, ("attempts",))
    return _rendered(
        "attempts.html", title=f"Attempts of run {run['run_id']}", view=view, run_id=run["run_id"], **words
    )


def _filtering(
    run: Row, chosen: ViewFilter, known: Mapping[str, Sequence[str]], below: Sequence[str]
) -> dict[str, Any]:
    """Return what the filters of a page are drawn from: choices, and the address without each of them."""
    path = ("run", run["run_id"], *below)
    chips = [(key, value, address(path, chosen.without(key, value).pairs())) for key, value in chosen.pairs()]
    choices = [(key, known[key], chosen.chosen.get(key, ())) for key in KEYS if len(known.get(key, ())) > 1]
    kept = [(key, value) for key, value in chosen.pairs() if key not in {name for name, _, _ in choices}]
    here = address(path)
    return {
        "choices": choices, "chips": chips, "notes": chosen.notes, "here": here, "kept": kept,
        "run_link": address(("run", run["run_id"])), "list_link": list_link(run["run_id"], chosen),
    }  # fmt: skip


def _cases(store: Store, query: Query) -> str:
    health, words = cases_health(store), dict(query).get("find", "").casefold()
    matches = [case for case in health if words in case.case_id.casefold()]
    return _rendered("cases.html", title="Cases", cases=matches[:PAGE], total=len(matches), find=words)


def page_templates() -> "Environment":
    """Return what draws the pages."""
    return drawing(_PACKAGES, _LONGEST_TEXT)


def _rendered(name: str, **values: object) -> str:
    return page_templates().get_template(name).render(**{"notes": (), **values})


def no_database(db: Path) -> Drawn:
    """Return the page of a database that is not there yet."""
    words = f"{db}: there is no database yet; `evals diff` makes one, and this page shows it when it is loaded again"
    return Drawn(404, _rendered("error.html", title="No run yet", words=words))
