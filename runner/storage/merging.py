"""Merges the files of entries that an earlier session could not write to the database."""

from dataclasses import dataclass

from runner.records import Scoring
from runner.storage.entries import Answered, CrashNoted, Failed, LaneStated, Lasting, ScoringsAdded, UnsentNoted
from runner.storage.entry_rows import EntryRows
from runner.storage.spill import read_spill, spill_files
from runner.storage.store import Store

_OPEN = frozenset({"in_flight", "lost"})


@dataclass(slots=True)
class Merged:
    """What was merged: `answers` were missing in the database; `damaged` entries could not be read or written."""

    files: int = 0
    answers: int = 0
    damaged: int = 0

    @property
    def line(self) -> str:
        """Return the line for the user; "" where there was no file."""
        if not self.files:
            return ""
        damaged = f"; {self.damaged} damaged entries are dropped" if self.damaged else ""
        return f"merged {self.answers} answers that an earlier session could not write{damaged}"


def merge_spills(store: Store, run_id: str) -> Merged:
    """Write the entries that wait in files, and delete the files.

    Each file is merged in one transaction and deleted after it. To merge a file twice changes nothing: only questions
    without an end get one. The files are data of unknown origin: nothing but rows of this run changes. Raises
    InputError for a file that cannot be read, and where the database cannot be written.
    """
    merged = Merged()
    for path in spill_files(store.path, run_id):
        merging = _Merging(store, run_id)
        with store.transaction():
            for entry in read_spill(path, run_id):
                merging.merge(entry, merged)
        merged.files += 1
        path.unlink(missing_ok=True)
    return merged


class _Merging:
    """Merges the entries of one file, inside a transaction."""

    def __init__(self, store: Store, run_id: str) -> None:
        self._store = store
        self._run_id = run_id
        self._rows = EntryRows(store, run_id)

    def merge(self, entry: Lasting | None, merged: Merged) -> None:
        missing = None if entry is None else self._missing_part(entry)
        if missing is None:
            merged.damaged += entry is None
            return
        try:
            with self._store.savepoint():
                self._rows.put(missing)
        except Exception:  # noqa: BLE001 - whatever is wrong with an entry, the others are merged
            merged.damaged += 1
        else:
            merged.answers += isinstance(missing, Answered)

    def _missing_part(self, entry: Lasting) -> Lasting | None:
        """Return what of an entry the run is missing."""
        match entry:
            case Answered() | Failed():
                return entry if self._outcome(entry.answer_id) in _OPEN else None
            case CrashNoted():
                return entry if self._outcome(entry.answer_id) is not None else None
            case ScoringsAdded():
                return ScoringsAdded(tuple(scoring for scoring in entry.scorings if self._is_missing(scoring)))
            case LaneStated() | UnsentNoted():
                return entry

    def _outcome(self, answer_id: int | None) -> str | None:
        """Return the outcome of an answer of this run; None for any other answer."""
        sql = "SELECT outcome FROM answers JOIN lanes USING (lane_id) WHERE answer_id = ? AND run_id = ?"
        rows = self._store.rows(sql, answer_id, self._run_id)
        return str(rows[0]["outcome"]) if rows else None

    def _is_missing(self, scoring: Scoring) -> bool:
        sql = """
            SELECT 1 FROM scorings WHERE answer_id = ? AND run_id = ? AND parser = ? AND diff_algorithm = ?"""
        key = (scoring.answer_id, self._run_id, scoring.parser, scoring.diff_algorithm)
        return self._outcome(scoring.answer_id) is not None and not self._store.rows(sql, *key)
