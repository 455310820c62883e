"""Data frames of a database for notebooks: `from runner import open_db`."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from runner.errors import InputError
from runner.report.columns import LONG_TEXTS, FlatRow, Kind, attempt_columns, attempt_rows, step_columns, step_rows
from runner.report.runs import runs_data
from runner.storage.runs import find_run, list_runs
from runner.storage.store import Store

if TYPE_CHECKING:
    import pandas as pd

_TYPES: Mapping[Kind, str] = {
    "text": "string",
    "whole": "Int64",
    "number": "Float64",
    "flag": "boolean",
    "time": "datetime64[ms, UTC]",
}


class Frames:
    """The tables of one database as frames of pandas; what is unknown is <NA>."""

    def __init__(self, store: Store) -> None:
        """Take an open database, which stays the caller's."""
        self._store = store

    def runs(self) -> "pd.DataFrame":
        """Return a row for each run, newest first, as `evals runs --json` has it."""
        pandas = _pandas()
        return pandas.DataFrame(runs_data(list_runs(self._store), None)).convert_dtypes()

    def attempts(self, run: str = "latest", *, texts: bool = False) -> "pd.DataFrame":
        """Return a row for each scoring of a run, and for each failure of the infrastructure.

        The columns are those of `evals export`, and one for each metric, `score_` before its name; whole texts are
        left out unless `texts` asks for them. `run` is an id, a prefix of one, or `latest`. Raises InputError.
        """
        run_id = find_run(self._store, run)["run_id"]
        columns = attempt_columns(self._store, run_id)
        kept = {name: kind for name, kind in columns.items() if texts or name not in LONG_TEXTS}
        return _frame(attempt_rows(self._store, run_id), kept)

    def steps(self, run: str = "latest") -> "pd.DataFrame":
        """Return a row for each judged step of a run of next edits; no row for a run of another suite."""
        run_id = find_run(self._store, run)["run_id"]
        return _frame(step_rows(self._store, run_id), step_columns(self._store, run_id))


@contextmanager
def open_frames(path: str | Path) -> Iterator[Frames]:
    """Open a database for frames, until the block ends. Raises InputError for a file that is none."""
    store = Store.open(Path(path), create=False)
    try:
        yield Frames(store)
    finally:
        store.close()


def _frame(rows: Iterator[FlatRow], columns: Mapping[str, Kind]) -> "pd.DataFrame":
    pandas = _pandas()
    values: dict[str, list[object]] = {name: [] for name in columns}
    for row in rows:
        for name, column in values.items():
            column.append(row[name])
    return pandas.DataFrame({name: pandas.array(values[name], dtype=_TYPES[kind]) for name, kind in columns.items()})


def _pandas() -> ModuleType:
    try:
        import pandas as pd
    except ImportError:
        raise InputError("pandas is not installed; data frames take: pip install 'evals[frames]'") from None
    module: ModuleType = pd
    return module
