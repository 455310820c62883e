"""Which attempts of a run an address chooses; the same condition counts them and lists them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from runner.diagnosis.causes import Relaxation, Unforgivable
from runner.pages.outcomes import CLASSES
from runner.storage.store import Row, Store, Value

# The keys of an address, and the columns of the counts, of the lanes and of the cases that they choose.
_COLUMNS = {
    "model": "l.sut",
    "prompt": "l.prompt",
    "diff": "t.diff_algorithm",
    "parser": "t.parser",
    "case": "l.case_id",
    "language": "k.language",
    "edits": "t.edits",
}
OUTCOME, CAUSE = "outcome", "cause"
# What failed: it gave no edit, or another result than the expected one.
FAILED = ("failed", "wrong", "invalid")
_EDITS = {"1": 1, "2": 2, "3+": 3}
KEYS = (*_COLUMNS, OUTCOME, CAUSE)
Query = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class ViewFilter:
    """The values that are chosen by key: one of each key, all keys; `notes` say what of an address is not known."""

    chosen: Mapping[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()

    @property
    def causes(self) -> tuple[str, ...]:
        """The causes, which no condition of the database can choose."""
        return self.chosen.get(CAUSE, ())

    def pairs(self) -> list[tuple[str, str]]:
        """Return the filter as the keys and values of an address."""
        return [(key, value) for key, values in self.chosen.items() for value in values]

    def without(self, key: str, value: str) -> "ViewFilter":
        """Return the filter without one value."""
        left = {
            name: tuple(own for own in values if (name, own) != (key, value)) for name, values in self.chosen.items()
        }
        return ViewFilter({name: values for name, values in left.items() if values})

    def condition(self) -> tuple[str, list[Value]]:
        """Return a condition on counts or scorings `t`, lanes `l` and cases `k`, and its values."""
        parts, values = ["true"], list[Value]()
        for key, chosen in self.chosen.items():
            numbers: list[Value] = [_EDITS[value] if key == "edits" else value for value in chosen]
            marks = ", ".join("?" * len(numbers))
            if key in _COLUMNS:
                parts.append(f"{_COLUMNS[key]} IN ({marks})")
                values += numbers
            elif key == OUTCOME:
                parts.append(f"(t.outcome IN ({marks}) OR t.class IN ({marks}))")
                values += [*numbers, *numbers]
        return " AND ".join(parts), values


def filter_of(query: Query, known: Mapping[str, Sequence[str]], others: Iterable[str] = ()) -> ViewFilter:
    """Return the filter of an address. `known` are the values by key; `others` are keys that are no filters.

    A key or value that is not known becomes a note; the rest still filters.
    """
    chosen, notes = dict[str, tuple[str, ...]](), list[str]()
    for key, value in query:
        if key in others or not value:
            continue
        if key not in KEYS:
            notes.append(f"{key}: no such filter; there are {', '.join(KEYS)}")
        elif key in known and not _is_known(key, value, known[key]):
            notes.append(f"{key}: this run has no {value!r}; it has {', '.join(known[key][:8]) or 'none'}")
        elif value not in chosen.get(key, ()):
            chosen[key] = (*chosen.get(key, ()), value)
    return ViewFilter(chosen, tuple(notes))


def _is_known(key: str, value: str, known: Sequence[str]) -> bool:
    """Return whether a run has a value; a cause may join several."""
    return all(part in known for part in (value.split(" + ") if key == CAUSE else (value,)))


def known_values(store: Store, run: Row) -> dict[str, list[str]]:
    """Return the values that an address can choose in a run, by key."""
    answers_of = run["replay_of"] or run["run_id"]
    variants = store.rows("SELECT * FROM variants WHERE run_id = ? ORDER BY position", run["run_id"])
    columns = {"model": "sut", "prompt": "prompt", "diff": "diff_algorithm", "parser": "parser"}
    known = {key: list(dict.fromkeys(str(row[column]) for row in variants)) for key, column in columns.items()}
    languages = "SELECT DISTINCT language FROM cases WHERE run_id = ? AND language IS NOT NULL ORDER BY 1"
    known["language"] = [row["language"] for row in store.rows(languages, answers_of)]
    ended = "SELECT DISTINCT outcome FROM scoring_tallies WHERE run_id = ? AND n > 0 ORDER BY 1"
    endings = store.rows(ended, run["run_id"])
    known[OUTCOME] = list(dict.fromkeys([*CLASSES, "infrastructure", *(row["outcome"] for row in endings)]))
    known["edits"] = list(_EDITS)
    known[CAUSE] = [str(cause) for cause in (*Relaxation, *Unforgivable)] if any(known["diff"]) else []
    return known


def address(path: Sequence[str], pairs: Iterable[tuple[str, str]] = ()) -> str:
    """Return an address of this server: whatever stands in a part or a value stays within it."""
    query = urlencode(list(pairs), errors="replace")
    return "/" + "/".join(quote(part, safe="", errors="replace") for part in path) + (f"?{query}" if query else "")
