"""Takes in what others wrote: rows that have to fit our tables, and databases of other programs, only read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from runner.errors import InputError
from runner.storage.store import Row, Store, Value

# A foreign query that takes more steps than a scan of a few million rows is a trap.
_MOST_STEPS = 2_000
_STEP = 1_000_000


@contextmanager
def opened_whole(path: Path) -> Iterator[Store]:
    """Open a database, or make it; one that was made goes again where the block fails: no empty file is left."""
    was_there = path.exists()
    try:
        with closing(Store.open(path)) as store:
            yield store
    except BaseException:
        if not was_there:
            for file in (path, *(path.with_name(f"{path.name}-{part}") for part in ("wal", "shm"))):
                file.unlink(missing_ok=True)
        raise


def columns_of(store: Store, table: str) -> list[tuple[str, str, bool]]:
    """Return name, type in SQL and whether a value is needed of each column of a table, in their order."""
    rows = store.rows('SELECT name, type, "notnull" AND dflt_value IS NULL AS needed FROM pragma_table_info(?)', table)
    return [(row["name"], row["type"], bool(row["needed"])) for row in rows]


@contextmanager
def refused_rows(where: str) -> Iterator[None]:
    """Raise InputError for a row of others that breaks a constraint: `where` says where it stands."""
    try:
        yield
    except sqlite3.IntegrityError as error:
        raise InputError(f"{where}: does not fit into a database ({error}); give a file that does") from None


class ForeignDatabase:
    """A database of another program, opened to be read; nothing in its schema is trusted."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Wrap a connection; `opened_foreign` makes it."""
        self._connection = connection
        self.path = path

    def rows(self, sql: str, *values: Value) -> list[Row]:
        """Return the rows of a query. Raises InputError where the file is damaged, or the query would take too long."""
        with self._readable():
            return self._connection.execute(sql, values).fetchall()

    def stream(self, sql: str, *values: Value) -> Iterator[Row]:
        """Yield the rows of a query, one by one."""
        with self._readable():
            yield from self._connection.execute(sql, values)

    def columns(self) -> dict[str, set[str]]:
        """Return the names of the columns of each plain table."""
        tables = self.rows("SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE TABLE %'")
        sql = "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0"
        return {row["name"]: {column["name"] for column in self.rows(sql, row["name"])} for row in tables}

    @contextmanager
    def _readable(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(f"{self.path}: cannot be read as a database ({error}); give an undamaged copy") from None


@contextmanager
def opened_foreign(path: Path) -> Iterator[ForeignDatabase]:
    """Open another program's database, which is not changed. Raises InputError."""
    if not path.is_file():
        raise InputError(f"{path}: no such file; name a database")
    path = path.resolve()
    # Without a log nobody is writing, and even the files that SQLite would put beside it are not made.
    how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "mode=ro&immutable=1"
    try:
        connection = sqlite3.connect(f"{path.as_uri()}?{how}", uri=True, isolation_level=None)
    except sqlite3.Error as error:
        raise InputError(f"{path}: cannot be opened ({error}); name a readable database") from None
    with closing(connection):
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        left = iter(range(_MOST_STEPS))
        connection.set_progress_handler(lambda: next(left, None) is None, _STEP)
        yield ForeignDatabase(connection, path)
