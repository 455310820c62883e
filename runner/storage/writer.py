"""Writes entries in a thread: waits for locks, lets a bad entry fail alone, and keeps what cannot be written."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from runner.errors import InputError, UnsentError
from runner.storage.entries import Entry, Lasting, Passing
from runner.storage.entry_rows import EntryRows
from runner.storage.spill import Spill, new_spill
from runner.storage.store import Store, UnwritableError

# SQLite waits for a lock for so long before it says that there is one, and so long we wait before we ask again.
_LOCK_S = 0.25
_PAUSE_S = 0.05

# What became of an entry: the id of the answer that it opened, or why it was not written.
Result = int | None | Exception


class UnrecordedError(UnsentError):
    """The row of a request cannot be written: the request must not be sent."""

    kind = "unrecorded"


@dataclass(frozen=True, slots=True)
class WritePatience:
    """For how many seconds writing is tried again: `locked_s` while another process holds the database.

    Waiting helps less where the disk is full or broken, or the file read-only: `broken_s`.
    """

    locked_s: float = 60.0
    broken_s: float = 10.0


class Writer:
    """One connection and one run. `write` and `close` belong to one thread; the rest may be used from another.

    `trouble` says why writing has to wait now, `stopped` why nothing is written any more; "" if it is not so.
    """

    def __init__(self, store: Store, run_id: str, patience: WritePatience) -> None:
        """Take the session's own connection; the first `write` makes the writer's."""
        self._session_store = store
        self._run_id = run_id
        self._patience = patience
        self._hurried = threading.Event()
        self._store: Store | None = None
        self._rows: EntryRows | None = None
        self.trouble = ""
        self.stopped = ""
        self.spill: Spill = new_spill(store.path, run_id)

    def hurry(self) -> None:
        """Wait for nothing any more: what cannot be written at once is kept in a file."""
        self._hurried.set()

    def write(self, batch: Sequence[Entry]) -> list[Result]:
        """Write entries in one transaction; where one of them is refused, each in its own.

        Entries that cannot be written are kept in a file; requests that cannot be recorded get an UnrecordedError.
        Raises what is wrong if an answer can neither be written nor be marked as crashed.
        """
        try:
            return [*self._patiently(batch)]
        except InputError as error:
            return self._kept(batch, error)
        except Exception:  # noqa: BLE001 - whatever is wrong with an entry, the others are written without it
            return [self._write_alone(entry) for entry in batch]

    def close(self) -> None:
        """Close the connection, and the file of what could not be written."""
        self.spill.close()
        if self._store is not None:
            self._store.close()

    def _write_alone(self, entry: Entry) -> Result:
        try:
            return self._patiently([entry])[0]
        except InputError as error:
            return self._kept([entry], error)[0]
        except Exception as error:  # noqa: BLE001 - as above
            return self._refused(entry, error)

    def _refused(self, entry: Entry, error: Exception) -> Result:
        """Mark the answers of an entry as crashed; return the error."""
        if not isinstance(entry, Passing):
            assert self._rows is not None
            try:
                self._rows.put_refused(entry, f"cannot be recorded: {type(error).__name__}: {error}")
            except InputError as unwritable:
                self._kept([], unwritable)
        return error

    def _patiently(self, entries: Sequence[Entry]) -> list[int | None]:
        """Write entries in one transaction; wait while the database cannot be written.

        Raises InputError when waiting has not helped, or cannot help.
        """
        began_s = time.monotonic()
        while True:
            if self.stopped:
                raise InputError(self.stopped)
            try:
                answer_ids = self._opened().put_all(entries)
            except UnwritableError as error:
                self.trouble = "locked by another process" if error.locked else str(error.__cause__ or error)
                limit_s = self._patience.locked_s if error.locked else self._patience.broken_s
                if time.monotonic() - began_s >= limit_s or self._hurried.wait(_PAUSE_S):
                    raise
            else:
                self.trouble = ""
                return answer_ids

    def _opened(self) -> EntryRows:
        if self._rows is None:
            self._store = self._store or self._session_store.another(_LOCK_S)
            self._rows = EntryRows(self._store, self._run_id)
        return self._rows

    def _kept(self, entries: Sequence[Entry], error: InputError) -> list[Result]:
        """Write nothing any more; keep entries in a file, but for requests that are not sent now."""
        self.stopped = self.stopped or str(error)
        lasting: list[Lasting] = [entry for entry in entries if not isinstance(entry, Passing)]
        self.spill.keep(lasting)
        return [UnrecordedError(self.stopped) if isinstance(entry, Passing) else None for entry in entries]
