"""Which fields a row of a bundle has, by the columns of its table, and whether its values are of their types."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from runner.errors import InputError
from runner.storage.foreign import columns_of
from runner.storage.store import Store, Value

# SQLite's largest number; a column that takes whole numbers takes no larger one.
_LARGEST = (1 << 63) - 1
# Whole texts are in a member of their own; a column holds names, errors and JSON.
_LONGEST_TEXT = 64 << 20


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its type in SQL, and whether a row has to have it."""

    kind: str
    required: bool


@dataclass(frozen=True, slots=True)
class RowForm:
    """The fields of a row: `columns` are those of the table, `fields` those of them that a bundle says as they are.

    `others` are the names of fields that stand for a column of another name.
    """

    table: str
    columns: Mapping[str, Column]
    fields: Mapping[str, Column]
    others: frozenset[str]

    def values(self, row: Mapping[str, Any], where: str) -> dict[str, Value]:
        """Return the columns of a row. Raises InputError for a field that is unknown, missing or of another type."""
        unknown = sorted(row.keys() - self.fields.keys() - self.others)
        if unknown:
            raise InputError(f"{where}: field {unknown[0][:40]!r} is not known; use the evals that wrote the bundle")
        values: dict[str, Value] = {}
        for name, column in self.fields.items():
            value = row.get(name)
            if value is None and (column.required or name not in row):
                if column.required:
                    raise InputError(f"{where}: field {name!r} is missing; make the bundle again")
                continue
            if value is not None and not _fits(value, column.kind):
                raise InputError(f"{where}: field {name!r} is not of type {column.kind}; make the bundle again")
            values[name] = value
        return values


def row_form(store: Store, table: str, texts: Iterable[tuple[str, str]]) -> RowForm:
    """Return the form of the rows of a table; `texts` are its columns of text ids, with their fields in a bundle."""
    columns = {name: Column(kind, required) for name, kind, required in columns_of(store, table)}
    by_column = dict(texts)
    ids = {"lane_id", "answer_id", "call_id", "scoring_id", "session_id"} | ({"run_id"} if table != "runs" else set())
    fields = {name: column for name, column in columns.items() if name not in ids and name not in by_column}
    return RowForm(table, columns, fields, frozenset(by_column.values()))


def _fits(value: object, kind: str) -> bool:
    if kind == "TEXT":
        return isinstance(value, str) and len(value) <= _LONGEST_TEXT
    if kind == "INTEGER":
        return type(value) is int and -_LARGEST <= value <= _LARGEST
    return type(value) in {int, float} and math.isfinite(value)  # type: ignore[arg-type]  # a number by now
