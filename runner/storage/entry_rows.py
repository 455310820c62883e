"""Writes the entries of a ledger as rows of one run."""

from collections.abc import Iterable

import zstandard

from runner.storage.entries import (
    Answered,
    BatchPlanned,
    BatchSubmitted,
    CallOpened,
    CallRetried,
    CrashNoted,
    Entry,
    Expense,
    Failed,
    Failure,
    LaneKey,
    LaneStated,
    ScoringsAdded,
    UnsentNoted,
    answers_of,
)
from runner.storage.rows import completion_row, put_scorings
from runner.storage.store import Store, Value
from runner.storage.streams import CODEC, pack

# What a system is not sent is the end of its signature.
_NOTE_UNSENT = """
UPDATE variants SET unsent = ?,
    signature = substr(signature, 1, length(signature) - iif(unsent = '', 0, length('|without ' || unsent)))
        || '|without ' || ?
WHERE run_id = ? AND sut = ?"""


# A settled lane is one that is capped, with the attempt that ended it.
_STATE = {"settled": "capped"}


class EntryRows:
    """The rows of one run over one connection."""

    def __init__(self, store: Store, run_id: str) -> None:
        """Look up the lanes that are there."""
        self._store = store
        self._run_id = run_id
        self._refused: set[int] = set()
        self._compressor = zstandard.ZstdCompressor(level=3)
        # Lanes of this transaction are kept apart: after a rollback they have no row.
        self._new_lanes: dict[LaneKey, int] = {}
        rows = store.rows("SELECT lane_id, sut, prompt, case_id FROM lanes WHERE run_id = ?", run_id)
        self._lanes = {LaneKey(row["sut"], row["prompt"], row["case_id"]): row["lane_id"] for row in rows}

    def put_all(self, entries: Iterable[Entry]) -> list[int | None]:
        """Write entries in one transaction. Raises what `Store.transaction` raises, and any error of a row."""
        self._new_lanes.clear()
        with self._store.transaction():
            answer_ids = [self.put(entry) for entry in entries]
        self._lanes |= self._new_lanes
        return answer_ids

    def put(self, entry: Entry) -> int | None:
        """Write an entry, inside a transaction; return the id of an answer or a batch that it opens."""
        match entry:
            case CallOpened():
                return self._open(entry)
            case CallRetried():
                self._retry(entry)
            case Answered():
                self._answer(entry)
            case Failed():
                self._fail(entry)
            case ScoringsAdded():
                kept = (scoring for scoring in entry.scorings if scoring.answer_id not in self._refused)
                put_scorings(self._store, self._run_id, kept)
            case BatchPlanned():
                return self._plan(entry)
            case BatchSubmitted():
                self._store.update("batches", {"batch_id": entry.batch_id}, {"remote_id": entry.remote_id})
            case _:
                self._note(entry)
        return None

    def _note(self, entry: CrashNoted | LaneStated | UnsentNoted) -> None:
        """Write a note on an answer, a lane or a system."""
        match entry:
            case CrashNoted():
                row: dict[str, Value] = {"outcome": "crashed", "error_text": entry.text}
                self._store.update("answers", {"answer_id": entry.answer_id}, row)
            case LaneStated():
                key: dict[str, Value] = {"run_id": self._run_id, **entry.lane._asdict()}
                state = _STATE.get(entry.state, entry.state)
                self._store.update("lanes", key, {"state": state, "settled_at": entry.settled_at})
            case UnsentNoted():
                self._store.execute(_NOTE_UNSENT, entry.names, entry.names, self._run_id, entry.sut)

    def _plan(self, entry: BatchPlanned) -> int:
        """Write a batch and its lines."""
        row: dict[str, Value] = {"run_id": self._run_id, "sut": entry.sut, "planned_at": entry.planned_at}
        batch_id = self._store.insert("batches", {**row, "digest": entry.digest, "lines": len(entry.answer_ids)})
        for answer_id in entry.answer_ids:
            self._store.insert("batch_lines", {"batch_id": batch_id, "answer_id": answer_id})
        return batch_id

    def put_refused(self, entry: Entry, why: str) -> None:
        """Mark the answers of an entry that cannot be written as crashed, in a transaction of its own.

        An answer that is not there is not scored either.
        """
        row: dict[str, Value] = {"outcome": "crashed", "error_text": why}
        if isinstance(entry, Answered):
            self._refused.add(entry.answer_id)
            costs = {name: getattr(entry.completion, name) for name in ("provider_cost_usd", "list_cost_usd")}
            row |= {**costs, **_expense_row(entry.expense)}
        with self._store.transaction():
            for answer_id in answers_of(entry):
                self._store.update("answers", {"answer_id": answer_id}, row)
                self._end_call(answer_id, {"outcome": "failed", "error_text": why})

    def _open(self, entry: CallOpened) -> int:
        question = entry.question
        row: dict[str, Value] = {
            "lane_id": self._lane_id(question.lane, entry.system),
            "step": question.step,
            "mode": question.mode,
            "number": question.number,
            "try": entry.tried,
            "sent_at": entry.sent_at,
            "outcome": "in_flight",
            "reserved_usd": entry.reserved_usd,
            "request_id": self._store.put_text(entry.request),
        }
        answer_id = self._store.insert("answers", row)
        self._send(answer_id, 0, entry, entry.reserved_usd)
        return answer_id

    def _lane_id(self, lane: LaneKey, system: str) -> int:
        known = self._lanes.get(lane) or self._new_lanes.get(lane)
        if known is not None:
            return known
        system_id = self._store.put_text(system)
        row: dict[str, Value] = {"run_id": self._run_id, **lane._asdict(), "system_id": system_id}
        lane_id = self._new_lanes[lane] = self._store.insert("lanes", row)
        return lane_id

    def _send(self, answer_id: int, retry: int, sent: CallOpened | CallRetried, reserved_usd: float | None) -> None:
        call: dict[str, Value] = {"answer_id": answer_id, "retry": retry, "sent_at": sent.sent_at}
        call |= {"outcome": "in_flight", "reserved_usd": reserved_usd, "replica": sent.replica}
        self._store.insert("calls", call)

    def _end_call(self, answer_id: int, row: dict[str, Value]) -> None:
        self._store.update("calls", {"answer_id": answer_id, "outcome": "in_flight"}, row)

    def _retry(self, entry: CallRetried) -> None:
        self._end_call(entry.answer_id, _failed_call(entry.failure))
        self._send(entry.answer_id, entry.expense.retries, entry, entry.expense.reserved_usd)
        row = _expense_row(entry.expense)
        if entry.request is not None:
            row["request_id"] = self._store.put_text(entry.request)
        self._store.update("answers", {"answer_id": entry.answer_id}, row)

    def _answer(self, entry: Answered) -> None:
        completion = entry.completion
        row: dict[str, Value] = {
            "outcome": "answered",
            "error_kind": None,
            "error_text": None,
            **completion_row(completion),
            **_expense_row(entry.expense),
            "text_id": self._store.put_text(completion.text),
            "reasoning_id": self._store.put_text(completion.reasoning or None),
        }
        packed = pack(completion.stream, completion.sent_ns, self._compressor)
        stream: dict[str, Value] = {"answer_id": entry.answer_id, "wire": entry.wire, "codec": CODEC}
        stream |= {"pieces": packed.pieces, "bytes": packed.size, "data": packed.data}
        self._store.update("answers", {"answer_id": entry.answer_id}, row)
        self._end_call(entry.answer_id, {"outcome": "answered", "cost_usd": completion.cost_usd})
        self._store.insert("streams", stream)

    def _fail(self, entry: Failed) -> None:
        row: dict[str, Value] = {
            "outcome": str(entry.failure.outcome),
            "error_kind": entry.failure.kind,
            "error_text": entry.failure.text,
            **_expense_row(entry.expense),
        }
        self._store.update("answers", {"answer_id": entry.answer_id}, row)
        self._end_call(entry.answer_id, _failed_call(entry.last))


def _failed_call(failure: Failure) -> dict[str, Value]:
    return {
        "outcome": "failed",
        "error_kind": failure.kind,
        "error_text": failure.text,
        "cost_usd": failure.cost_usd,
    }


def _expense_row(expense: Expense) -> dict[str, Value]:
    return {
        "retries": expense.retries,
        "reserved_usd": expense.reserved_usd,
        "discarded_usd": expense.discarded_usd,
    }
