"""Which attempts of a run a command is about: those of some models, prompts, algorithms, cases or outcomes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

from runner.errors import InputError
from runner.storage.store import Store, Value

_COLUMNS = {
    "models": "sut",
    "prompts": "prompt",
    "diffs": "diff_algorithm",
    "cases": "case_id",
    "outcomes": "outcome",
}
_SHOWN = 8


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """The values that are chosen; no value of a kind means all of them."""

    models: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    diffs: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()

    def sql(self) -> tuple[str, list[Value]]:
        """Return a condition on a row of the view `attempts` called `t`, beginning with AND, and its values."""
        condition, values = "", list[Value]()
        for name, column in _COLUMNS.items():
            chosen: tuple[str, ...] = getattr(self, name)
            if chosen:
                condition += f" AND t.{column} IN ({', '.join('?' * len(chosen))})"
                values += chosen
        return condition, values

    def check(self, store: Store, run_id: str) -> None:
        """Raise InputError for a model, prompt, algorithm, case or outcome that the run does not have."""
        for field in fields(self):
            column = _COLUMNS[field.name]
            chosen: Sequence[str] = getattr(self, field.name)
            if chosen:
                _check(run_id, field.name.removesuffix("s"), chosen, _names(store, run_id, column))


def _names(store: Store, run_id: str, column: str) -> list[str]:
    """Return the values of one of the columns; failures of the infrastructure have no algorithm."""
    sql = f"SELECT {column} AS name FROM attempts WHERE run_id = ?1"  # noqa: S608 - one of the constants above
    if column != "diff_algorithm":
        sql += f" UNION SELECT {column} FROM infrastructure WHERE run_id = ?1"  # noqa: S608 - the same
    return sorted({row["name"] for row in store.rows(sql, run_id)})


def _check(run_id: str, kind: str, chosen: Sequence[str], names: Sequence[str]) -> None:
    for name in chosen:
        if name not in names:
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            known = ", ".join(map(str, names[:_SHOWN])) + more
            raise InputError(f"--{kind}: run {run_id} has no attempt of {name!r}; it has {known or 'none'}")
