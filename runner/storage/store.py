"""evals.db: opening it, texts by digest, and rows in and out; the one module that speaks SQLite."""

import hashlib
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile

import zstandard

from runner.errors import InputError
from runner.inflating import DamagedError, inflated
from runner.storage.schema import MIGRATIONS, MIGRATIONS_TABLE, Objects, applied, migrate, objects_made, what_is_foreign

Row = sqlite3.Row
Value = str | int | float | bytes | None

# Shorter texts do not shrink enough to be worth a frame.
_PLAIN_BYTES = 128
_TEXT_IDS_KEPT = 20_000
# What another process prevents, for as long as it holds the file.
_LOCKED = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
# What is wrong with a file or a disk, not with a statement.
_UNWRITABLE = _LOCKED | {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
# What is wrong with the content of a file.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


class UnwritableError(InputError):
    """The database cannot be written now; `locked`: because another process holds it."""

    def __init__(self, message: str, *, locked: bool) -> None:
        """Take the line for the user."""
        super().__init__(message)
        self.locked = locked


class Store:
    """One connection to evals.db (WAL); not to be shared between threads."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Wrap an open connection whose schema is current."""
        self._connection = connection
        self._compress = zstandard.ZstdCompressor(level=3).compress
        self._decompressor = zstandard.ZstdDecompressor()
        self._text_ids: dict[bytes, int] = {}
        self._one_name = False
        self.path = path

    @classmethod
    def open(cls, path: Path, *, create: bool = True) -> "Store":
        """Open the database, bring its schema up to date.

        Raises InputError when it cannot be opened or written, is not ours, was written by a newer version, or has
        views, triggers or the like that are not ours.
        """
        if not create and not path.exists():
            raise InputError(f"{path}: no such database; make one with `evals diff`, or name another with --db")
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: cannot be opened as a database (not a regular file); name another with --db")
        try:
            connection = _connect(path)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise InputError(f"{path}: cannot be opened as a database ({error}); name another with --db") from error
        return cls(connection, path)

    @classmethod
    def open_to_read(cls, path: Path) -> "Store":
        """Open the database to be read alone; an older schema is brought up to date before. Raises as `open` does."""
        cls.open(path, create=False).close()
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, isolation_level=None, timeout=5)
        _distrust(connection)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA query_only = ON")
        return cls(connection, path)

    def another(self, wait_s: float) -> "Store":
        """Return a second connection to the same file, for the thread that calls this.

        `wait_s` is how long a statement waits for a lock. Raises UnwritableError.
        """
        try:
            store = Store(_configured(sqlite3.connect(self.path, isolation_level=None, timeout=wait_s)), self.path)
        except sqlite3.OperationalError as error:
            raise self._unwritable(error) from error
        store._one_name = self._one_name
        return store

    @classmethod
    def refuse_unwritable(cls, path: Path) -> None:
        """Raise InputError where a run could not be kept in `path`; make no file there."""
        if path.exists():
            with closing(cls.open(path)) as store, store.transaction():
                store.execute("DELETE FROM runs WHERE FALSE")
            return
        try:
            with TemporaryFile(dir=path.parent):
                pass
        except OSError as error:
            raise InputError(f"{path}: cannot be made there ({error.strerror}); name another with --db") from error

    def close(self) -> None:
        """Fold the write-ahead log into the file and let go of it."""
        self._connection.close()

    def wait_for_locks(self, seconds: float) -> None:
        """Set how long a statement waits while another process holds the file."""
        self._connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def vacuum(self) -> None:
        """Rewrite the file without its free pages. Raises InputError where it is in use, or the disk is full."""
        try:
            self._connection.execute("VACUUM")
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.OperationalError as error:
            raise InputError(f"{self.path}: cannot be made smaller now ({error}); try when nothing runs") from error

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the whole block or nothing.

        Raises UnwritableError if the file cannot be written (full disk), InputError if it has several names.
        """
        if not self._one_name:
            _refuse_hard_links(self.path)
            self._one_name = True
        try:
            with self._undamaged():
                self._connection.execute("BEGIN IMMEDIATE")
                yield
                self._connection.execute("COMMIT")
        except BaseException as error:
            self._text_ids.clear()
            # A full disk ends the transaction by itself.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.OperationalError) and _code(error) in _UNWRITABLE:
                raise self._unwritable(error) from error
            raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read all of the block's rows as they are at its first statement, whatever other processes write."""
        with self._undamaged():
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                self._connection.execute("ROLLBACK")

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction or a snapshot is open."""
        return self._connection.in_transaction

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Undo the block alone if it fails, inside a transaction."""
        self._connection.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._text_ids.clear()
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO part")
            raise
        finally:
            if self._connection.in_transaction:
                self._connection.execute("RELEASE part")

    def _unwritable(self, error: sqlite3.OperationalError) -> UnwritableError:
        locked = _code(error) in _LOCKED
        fix = "let the process that holds it end" if locked else "make it writable, or name another"
        return UnwritableError(f"{self.path}: cannot be written ({error}); {fix}", locked=locked)

    def rows(self, sql: str, *values: Value) -> list[Row]:
        """Return the rows of a query. Raises InputError, as all statements do, where the file is damaged."""
        with self._undamaged():
            return self._connection.execute(sql, tuple(map(_encodable, values))).fetchall()

    def stream(self, sql: str, *values: Value) -> Iterator[Row]:
        """Yield the rows of a query, one by one, for results that do not fit in memory."""
        with self._undamaged():
            # `chain` keeps a reader that stops early from closing the cursor, which a closed database refuses.
            yield from chain(self._connection.execute(sql, tuple(map(_encodable, values))))

    def execute(self, sql: str, *values: Value) -> int:
        """Run a statement; the number of rows it changed."""
        with self._undamaged():
            return self._connection.execute(sql, tuple(map(_encodable, values))).rowcount

    def insert(self, table: str, row: Mapping[str, Value]) -> int:
        """Insert a row; its rowid."""
        marks = ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"  # noqa: S608 - table and columns are ours
        with self._undamaged():
            return self._connection.execute(sql, tuple(map(_encodable, row.values()))).lastrowid or 0

    def insert_many(
        self, table: str, columns: Sequence[str], rows: Iterable[Sequence[Value]], *, replace: bool = False
    ) -> None:
        """Insert many rows of the same columns; rows that are already there stay, or are replaced."""
        marks = ", ".join("?" * len(columns))
        otherwise = "REPLACE" if replace else "IGNORE"
        sql = f"INSERT OR {otherwise} INTO {table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608 - as above
        with self._undamaged():
            self._connection.executemany(sql, (tuple(map(_encodable, row)) for row in rows))

    def update(self, table: str, key: Mapping[str, Value], row: Mapping[str, Value]) -> None:
        """Set columns of the rows with this key."""
        sets = ", ".join(f"{name} = ?" for name in row)
        where = " AND ".join(f"{name} = ?" for name in key)
        sql = f"UPDATE {table} SET {sets} WHERE {where}"  # noqa: S608 - as above
        with self._undamaged():
            self._connection.execute(sql, tuple(map(_encodable, (*row.values(), *key.values()))))

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        """Raise InputError for a page that is damaged, and for a text that is not UTF-8, which has no error code."""
        try:
            yield
        except UnicodeDecodeError as error:
            raise InputError(f"{self.path}: is damaged ({error}); restore the file from a copy") from error
        except sqlite3.DatabaseError as error:
            code = _code(error)
            undecoded = code is None and isinstance(error, sqlite3.OperationalError)
            # The JSON that queries look into is what we wrote.
            if undecoded or code in _DAMAGED or str(error) == "malformed JSON":
                raise InputError(f"{self.path}: is damaged ({error}); restore the file from a copy") from error
            raise

    def put_text(self, text: str | None) -> int | None:
        """Keep a text once, by the digest of its UTF-8 bytes; its id. Lone surrogates are kept."""
        if text is None:
            return None
        data = text.encode("utf-8", "surrogatepass")
        key = hashlib.sha256(data).digest()
        if (known := self._text_ids.get(key)) is not None:
            return known
        text_id = self._insert_text(key.hex(), data)
        if len(self._text_ids) >= _TEXT_IDS_KEPT:
            self._text_ids.clear()
        self._text_ids[key] = text_id
        return text_id

    def _insert_text(self, digest: str, data: bytes) -> int:
        """Insert a text, or find it; most texts are new, and each statement costs a change of threads."""
        packed = self._compress(data) if len(data) > _PLAIN_BYTES else data
        encoding = "zstd" if len(packed) < len(data) else "utf-8"
        content = packed if encoding == "zstd" else data
        sql = "INSERT OR IGNORE INTO texts (digest, encoding, bytes, content) VALUES (?, ?, ?, ?)"
        with self._undamaged():
            inserted = self._connection.execute(sql, (digest, encoding, len(data), content))
        if inserted.rowcount:
            return inserted.lastrowid or 0
        return int(self.rows("SELECT text_id FROM texts WHERE digest = ?", digest)[0][0])

    def text(self, text_id: int | None) -> str | None:
        """Return the text with this id. Raises InputError for a missing or damaged one."""
        if text_id is None:
            return None
        rows = self.rows("SELECT encoding, content FROM texts WHERE text_id = ?", text_id)
        if not rows:
            raise InputError(f"{self.path}: text {text_id} is missing; restore the file from a copy")
        return self.decode_text(rows[0]["encoding"], rows[0]["content"])

    def decode_text(self, encoding: str, content: bytes) -> str:
        """Return a text from the columns of its row. Raises InputError for a damaged one."""
        try:
            data = inflated(content, self._decompressor) if encoding == "zstd" else content
            return data.decode("utf-8", "surrogatepass")
        except (DamagedError, UnicodeDecodeError, TypeError, AttributeError) as error:
            raise InputError(f"{self.path}: a text is damaged ({error}); restore the file from a copy") from error


def text_digest(text: str) -> str:
    """Return the digest under which a text is kept: SHA-256 of its UTF-8 bytes, hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def damage_behind(error: Exception, path: Path) -> InputError | None:
    """Return the damage of a database that explains an error while it was read; None if its file is sound."""
    if isinstance(error, sqlite3.OperationalError) and _code(error) in _UNWRITABLE:
        return InputError(f"{path}: cannot be read ({error}); make it readable, or restore the file from a copy")
    try:
        with closing(Store.open(path, create=False)) as store:
            (problem,) = store.rows("PRAGMA integrity_check(1)")[0]
            if problem == "ok" and store.rows("PRAGMA foreign_key_check"):
                problem = "a row refers to one that is missing"
    except InputError as damaged:
        return damaged
    if problem == "ok":
        return None
    return InputError(f"{path}: is damaged ({' '.join(str(problem).split())}); restore the file from a copy")


def _code(error: sqlite3.Error) -> int | None:
    """Return the primary result code of SQLite; None for an error of Python's module."""
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _encodable(value: Value) -> Value:
    """Columns hold UTF-8, which has no word for half a surrogate pair; texts by digest keep it."""
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", "replace").decode()
    return value


def _refuse_hard_links(path: Path) -> None:
    """Raise InputError for a file with several names.

    Processes that use two of them would have two logs and two locks, which damages the database.
    """
    with suppress(OSError):
        names = path.stat().st_nlink
        if names > 1:
            raise InputError(
                f"{path}: has {names} names (hard links), so nothing is written to it; name a copy (cp) with --db"
            )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=30)
    try:
        _distrust(connection)
        connection.row_factory = sqlite3.Row
        pending = _pending(connection, path)
        if not connection.execute("PRAGMA schema_version").fetchone()[0]:
            # Of a database that is being made nothing can be lost: no table's writing waits for the disk.
            connection.execute("PRAGMA synchronous = OFF")
        # A stream is about 1 kB: smaller pages would leave a quarter of themselves empty.
        connection.execute("PRAGMA page_size = 8192")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        if pending:
            _refuse_hard_links(path)
            migrate(connection)
        _configured(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _configured(connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection to a database of ours with the settings of every connection."""
    _distrust(connection)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA foreign_keys = ON")
    # A checkpoint syncs to disk for milliseconds, which would stop every clock: it waits for the close.
    connection.execute("PRAGMA wal_autocheckpoint = 10000")
    return connection


def _distrust(connection: sqlite3.Connection) -> None:
    """Have SQLite take the file for data of unknown origin: its schema may call no function with side effects."""
    connection.execute("PRAGMA trusted_schema = OFF")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)  # noqa: FBT003 - its parameters have no names


def _pending(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the schema is behind.

    Raises InputError for a database that is not ours, is ahead of us, or is more than data. All is read in one
    transaction, as another process may be making the schema.
    """
    connection.execute("BEGIN")
    try:
        return _is_behind(connection, path)
    finally:
        connection.execute("ROLLBACK")


def _is_behind(connection: sqlite3.Connection, path: Path) -> bool:
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    applied_names = applied(connection) if MIGRATIONS_TABLE in tables else frozenset()
    if not applied_names and tables - {MIGRATIONS_TABLE}:
        raise InputError(f"{path}: a database, but not one of evals; name another with --db")
    unknown = sorted(applied_names - MIGRATIONS.keys())
    if unknown:
        raise InputError(
            f"{path}: written by a newer version of evals ({unknown[0]}); upgrade evals, or name another with --db"
        )
    if foreign := what_is_foreign(connection, _expected(applied_names)):
        raise InputError(f"{path}: {foreign}, or name another with --db")
    return not MIGRATIONS.keys() <= applied_names


@lru_cache
def _expected(applied_names: frozenset[str]) -> Objects:
    """Return what a database has after these migrations; made once for all that are opened."""
    with closing(sqlite3.connect(":memory:")) as blank:
        return objects_made(blank, applied_names)
