"""The runs of a database, newest first, with what became of their attempts."""

from collections import Counter, defaultdict
from dataclasses import dataclass

from runner.storage.store import Store
from runner.view.filters import Query, address

_RUNS = """
SELECT r.run_id, r.suite, r.created_at, r.state, r.replay_of, r.name,
    (SELECT max(simulated) FROM variants v WHERE v.run_id = r.run_id) AS simulated,
    (SELECT group_concat(sut, ', ') FROM (SELECT DISTINCT sut FROM variants v WHERE v.run_id = r.run_id)) AS models
FROM runs r ORDER BY r.created_at DESC, r.rowid DESC"""
_CLASSES = "SELECT run_id, class, sum(n) AS n FROM scoring_tallies GROUP BY run_id, class"
PAGE = 200
KEYS = ("suite", "state", "model")


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run: what it is, and how many of its scorings ended in which class."""

    run_id: str
    link: str
    name: str
    suite: str
    created_at: str
    state: str
    replay_of: str
    models: str
    simulated: bool
    scorings: int
    right: int
    wrong: int
    failed: int
    invalid: int


@dataclass(frozen=True, slots=True)
class RunList:
    """The runs that an address chooses; `notes` say what of it is not known."""

    runs: tuple[ListedRun, ...]
    total: int
    notes: tuple[str, ...]


def run_list(store: Store, query: Query) -> RunList:
    """Return the runs of the suites, states and models that an address names."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for row in store.rows(_CLASSES):
        counts[row["run_id"]][row["class"]] = row["n"]
    chosen: defaultdict[str, list[str]] = defaultdict(list)
    for key, value in query:
        chosen[key].append(value)
    notes = tuple(f"{key}: no such filter; there are {', '.join(KEYS)}" for key in chosen if key not in KEYS)
    runs = []
    for row in store.rows(_RUNS):
        models = row["models"] or ""
        known = {"suite": [row["suite"]], "state": [row["state"]], "model": models.split(", ")}
        if any(key in known and not set(values) & set(known[key]) for key, values in chosen.items()):
            continue
        classes = counts[row["run_id"]]
        runs.append(
            ListedRun(
                row["run_id"],
                address(("run", row["run_id"])),
                row["name"] or "",
                row["suite"],
                row["created_at"][:19],
                row["state"],
                row["replay_of"] or "",
                models,
                bool(row["simulated"]),
                classes.total(),
                classes["right"],
                classes["wrong"],
                classes["failed"],
                classes["invalid"],
            )
        )
    return RunList(tuple(runs[:PAGE]), len(runs), notes)
