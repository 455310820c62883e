"""The ledger of a run: a row before each request is sent, completed when it ends.

Everything is written by another thread, so that a locked database or a slow disk stops no clock of an answer.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple, Self

from runner.console import say as say_to_user
from runner.records import Completion, Outcome, Scoring
from runner.storage.entries import (
    Answered,
    BatchPlanned,
    BatchSubmitted,
    CallOpened,
    CallRetried,
    CrashNoted,
    Expense,
    Failed,
    Failure,
    LaneKey,
    LaneStated,
    Question,
    ScoringsAdded,
    UnsentNoted,
)
from runner.storage.entry_queue import EntryQueue
from runner.storage.rows import completion_of, is_greedy
from runner.storage.store import Row, Store
from runner.storage.writer import UnrecordedError, WritePatience, Writer

__all__ = ["Expense", "Failure", "LaneKey", "Ledger", "Question", "Record", "UnrecordedError"]

_PATIENCE = WritePatience()


class BatchedCall(NamedTuple):
    """A call that is a line of a batch: the id of its answer, how often it was sent again, its bound and its losses."""

    answer_id: int
    retries: int
    reserved_usd: float | None
    discarded_usd: float | None


class Record:
    """The answers that a run has got, to be read: nothing is written, and a call in flight stays what it is."""

    def __init__(self, store: Store, run_id: str) -> None:
        """Look up which questions are answered."""
        self._store = store
        _, self._answered = _read_answers(store, run_id)

    async def recorded(self, question: Question) -> Completion | None:
        """Return the answer that the run has got to a question; whether it was greedy is not looked up."""
        answer_id = self._answered.get(question)
        return None if answer_id is None else completion_of(self._store, _answer_row(self._store, answer_id))


class Ledger:
    """The answers and scorings of one run; `async with` it, the writer lives that long."""

    def __init__(
        self,
        store: Store,
        run_id: str,
        utc_now: Callable[[], str],
        say: Callable[[str], None] = say_to_user,
        patience: WritePatience = _PATIENCE,
    ) -> None:
        """Read what the run has so far; calls that were in flight when it stopped are marked lost.

        Those in batches are not: their answers can be had. `asked` is whether a request was recorded since.
        """
        self.asked = False
        self._store = store
        self._utc_now = utc_now
        _mark_lost(store, run_id)
        self._tries, self._answered = _read_answers(store, run_id)
        self._in_batches = _read_in_batches(store, run_id)
        self._unsent = _read_unsent(store, run_id)
        self._writer = Writer(store, run_id, patience)
        self._queue = EntryQueue(self._writer, say)

    async def __aenter__(self) -> Self:
        """Return the ledger; its thread starts with the first entry."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_exception: object) -> None:
        """Write what is queued, then stop. A session that was stopped at once does not wait for the database."""
        if kind is not None and not issubclass(kind, Exception):
            self._writer.hurry()
        await self._queue.close()

    @property
    def refused(self) -> int:
        """Return how many entries could not be written as they are; their answers are marked as crashed."""
        return self._queue.refused

    @property
    def stopped(self) -> str:
        """Return why nothing is written to the database any more, and where the rest is kept; "" while all is well."""
        if not self._writer.stopped:
            return ""
        spill = self._writer.spill
        files = " and ".join(map(str, spill.files))
        kept = f"; {spill.answers} answers are kept in {files}, to be merged when the run is resumed" if files else ""
        lost = f"; {spill.lost} answers are lost, as no folder takes them" if spill.lost else ""
        return f"{self._writer.stopped}{kept}{lost}"

    def answered_suts(self) -> set[str]:
        """Return the systems of which the run has an answer."""
        return {question.lane.sut for question in self._answered}

    async def open(
        self, question: Question, system: str, request: str, reserved_usd: float | None, replica: str | None = None
    ) -> int:
        """Record that a request is about to be sent; return the id of its answer when the row is committed.

        `system` is the rendered system prompt, `request` the other parameters as JSON text, `replica` the host of the
        server that gets it. Raises UnrecordedError if the row cannot be written: the request must not be sent.
        """
        self.asked = True
        tried = self._tries[question] = self._tries.get(question, 0) + 1
        answer_id = await self._queue.committed(
            CallOpened(question, tried, self._utc_now(), system, request, reserved_usd, replica)
        )
        assert answer_id is not None
        return answer_id

    def in_batch(self, question: Question) -> BatchedCall | None:
        """Return the call of an earlier session whose answer has to be collected, once; None if there is none."""
        call = self._in_batches.pop(question, None)
        self.asked = self.asked or call is not None
        return call

    def drop_batched(self) -> None:
        """Mark the calls in batches whose answers nobody wants any more as lost, at their bound."""
        for call in self._in_batches.values():
            lost = Failure(Outcome.LOST, None, "its batch was not collected: the case needed no more attempts")
            self.failed(call.answer_id, lost, Expense(call.retries, call.reserved_usd, call.discarded_usd))
        self._in_batches.clear()

    async def batch_planned(self, sut: str, digest: str, answer_ids: Iterable[int]) -> int:
        """Record that a batch is about to be submitted; return its id when that is committed.

        Raises UnrecordedError if it cannot be: the batch must not be submitted.
        """
        batch_id = await self._queue.committed(BatchPlanned(sut, digest, self._utc_now(), tuple(answer_ids)))
        assert batch_id is not None
        return batch_id

    async def batch_submitted(self, batch_id: int, remote_id: str) -> None:
        """Record the vendor's id of a batch; return when that is committed."""
        await self._queue.committed(BatchSubmitted(batch_id, remote_id))

    async def retry(
        self,
        answer_id: int,
        failure: Failure,
        expense: Expense,
        request: str | None = None,
        replica: str | None = None,
    ) -> None:
        """Record that a request has failed, and that it is about to be sent again; return when that is committed.

        `expense` holds the number of retries, this one included; `request` are the parameters, where they are others
        than before, `replica` as for `open`. Raises UnrecordedError like `open`.
        """
        await self._queue.committed(CallRetried(answer_id, failure, expense, self._utc_now(), request, replica))

    def unsent(self) -> dict[str, frozenset[str]]:
        """Return the parameters that each system is asked without, though the run has values for them."""
        return dict(self._unsent)

    def note_unsent(self, sut: str, names: frozenset[str]) -> None:
        """Note the parameters that a system is asked without; what is noted already is not written again."""
        known = self._unsent.get(sut, frozenset())
        if not names <= known:
            self._unsent[sut] = known | names
            self._queue.put(UnsentNoted(sut, ",".join(sorted(known | names))))

    def answered(self, question: Question, completion: Completion, expense: Expense, wire: str) -> None:
        """Complete the row of the answer to a question, and keep its raw stream."""
        answer_id = completion.answer_id
        assert answer_id is not None
        self._answered[question] = answer_id
        self._queue.put(Answered(answer_id, completion, expense, wire))

    def failed(self, answer_id: int, failure: Failure, expense: Expense, last: Failure | None = None) -> None:
        """Complete the row of a question that got no answer; `last` is why its last request failed, if it differs."""
        self._queue.put(Failed(answer_id, failure, last or failure, expense))

    def scored(self, scorings: Iterable[Scoring]) -> None:
        """Add what parsers and algorithms made of answers."""
        self._queue.put(ScoringsAdded(tuple(scorings)))

    def note_crash(self, answer_id: int | None, text: str) -> None:
        """Note on an answer, where there was one, that scoring it crashed; it stays and is not asked for again.

        `text` is the traceback without secrets.
        """
        if answer_id is not None:
            self._queue.put(CrashNoted(answer_id, text))

    def lane_state(self, lane: LaneKey, state: str, settled_at: int | None = None) -> None:
        """Note that a lane is full, capped or abandoned, and which attempt repeated an invalid answer and ended it."""
        self._queue.put(LaneStated(lane, state, settled_at))

    async def recorded(self, question: Question) -> Completion | None:
        """Return the answer that this run has got to a question, in an earlier session or in this one.

        Raises UnrecordedError for an answer of this session that could not be written.
        """
        if question not in self._answered:
            return None
        await self._queue.written()
        row = _answer_row(self._store, self._answered[question])
        if row["text_id"] is None:
            raise UnrecordedError(self._writer.stopped or "the answer could not be recorded")
        return replace(completion_of(self._store, row), greedy=is_greedy(self._store, row["request_id"]))


def _answer_row(store: Store, answer_id: int) -> Row:
    return store.rows("SELECT * FROM answers WHERE answer_id = ?", answer_id)[0]


_LOST_CALLS = """
UPDATE calls SET outcome = 'lost', error_text = 'in flight when the run stopped'
WHERE outcome = 'in_flight' AND answer_id IN (
    SELECT answer_id FROM answers JOIN lanes USING (lane_id) WHERE run_id = ? AND answers.outcome = 'in_flight'
        AND answer_id NOT IN (SELECT answer_id FROM batch_lines))"""
_LOST_ANSWERS = """
UPDATE answers SET outcome = 'lost', discarded_usd = coalesce(discarded_usd, 0) + iif((
        SELECT json_extract(config, '$.identity.batch_api') FROM runs WHERE run_id = ?1), 0, reserved_usd),
    error_text = 'in flight when the run stopped'
WHERE outcome = 'in_flight' AND lane_id IN (SELECT lane_id FROM lanes WHERE run_id = ?1)
    AND answer_id NOT IN (SELECT answer_id FROM batch_lines)"""


def _mark_lost(store: Store, run_id: str) -> None:
    """Mark what is in flight as lost, at its bound: it belongs to the session before.

    A question that was not in a batch yet was not sent: where questions are asked in batches, it has cost nothing.
    """
    with store.transaction():
        store.execute(_LOST_CALLS, run_id)
        store.execute(_LOST_ANSWERS, run_id)


def _read_in_batches(store: Store, run_id: str) -> dict[Question, BatchedCall]:
    """Return the calls in flight; after the others are marked as lost, these are lines of batches."""
    sql = """
        SELECT l.sut, l.prompt, l.case_id, a.* FROM answers a JOIN lanes l USING (lane_id)
        WHERE l.run_id = ? AND a.outcome = 'in_flight'"""
    return {
        _question(row): BatchedCall(row["answer_id"], row["retries"], row["reserved_usd"], row["discarded_usd"])
        for row in store.rows(sql, run_id)
    }


def _question(row: Row) -> Question:
    return Question(LaneKey(row["sut"], row["prompt"], row["case_id"]), row["step"], row["mode"], row["number"])


def _read_unsent(store: Store, run_id: str) -> dict[str, frozenset[str]]:
    """Return the parameters that each system of the run was asked without."""
    rows = store.rows("SELECT DISTINCT sut, unsent FROM variants WHERE run_id = ? AND unsent <> ''", run_id)
    return {row["sut"]: frozenset(row["unsent"].split(",")) for row in rows}


def _read_answers(store: Store, run_id: str) -> tuple[dict[Question, int], dict[Question, int]]:
    """Tries made per question, and the answer ids of those answered."""
    sql = """
        SELECT l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try, a.answer_id,
            a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL AS answered
        FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ? ORDER BY a.answer_id"""
    tries: dict[Question, int] = {}
    answered: dict[Question, int] = {}
    for row in store.stream(sql, run_id):
        question = _question(row)
        tries[question] = max(tries.get(question, 0), row["try"])
        if row["answered"]:
            answered[question] = row["answer_id"]
    return tries, answered
