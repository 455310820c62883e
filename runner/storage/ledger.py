"""The ledger of a run: a row before each request is sent, completed when it ends; written by one task, in batches."""

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar, cast

import zstandard

from runner.records import Completion, Outcome, Scoring
from runner.storage.rows import completion_of, completion_row, put_scorings
from runner.storage.store import Store, Value
from runner.storage.streams import CODEC, pack

T = TypeVar("T")


class LaneKey(NamedTuple):
    """Whose quota is to be filled: one system with one prompt at one case."""

    sut: str
    prompt: str
    case_id: str


class Question(NamedTuple):
    """What is asked once and answered once: the key of an answer within its run."""

    lane: LaneKey
    step: int = 0
    mode: str = ""
    number: int = 1


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no answer."""

    outcome: Outcome
    kind: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Expense:
    """What a call may cost, has been asked again for, and lost in half answers (USD; None = unknown price)."""

    retries: int = 0
    reserved_usd: float | None = None
    discarded_usd: float | None = None


class Record:
    """The answers that a run has got, to be read: nothing is written, and a call in flight stays what it is."""

    def __init__(self, store: Store, run_id: str) -> None:
        """Look up which questions are answered."""
        self._store = store
        _, self._answered = _read_answers(store, run_id)

    async def recorded(self, question: Question) -> Completion | None:
        """Return the answer that the run has got to a question."""
        answer_id = self._answered.get(question)
        return None if answer_id is None else _completion(self._store, answer_id)


class Ledger:
    """The answers and scorings of one run; `async with` it, the writer lives that long."""

    def __init__(self, store: Store, run_id: str, utc_now: Callable[[], str]) -> None:
        """Read what the run has so far; calls that were in flight when it stopped are marked lost."""
        self._store = store
        self._run_id = run_id
        self._utc_now = utc_now
        self._queue: list[tuple[Callable[[], object], asyncio.Future[object] | None]] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._writer: asyncio.Task[None] | None = None
        self._compressor = zstandard.ZstdCompressor(level=3)
        self._lanes = _read_lanes(store, run_id)
        _mark_lost(store, run_id)
        self._tries, self._answered = _read_answers(store, run_id)

    async def __aenter__(self) -> Self:
        """Start the writer."""
        self._writer = asyncio.create_task(self._write(), name="ledger writer")
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Write what is queued, then stop."""
        self._closing = True
        self._wake.set()
        if self._writer is not None:
            await self._writer

    async def _write(self) -> None:
        while not (self._closing and not self._queue):
            await self._wake.wait()
            self._wake.clear()
            self._write_batch()

    def _write_batch(self) -> None:
        batch, self._queue = self._queue, []
        if not batch:
            return
        try:
            with self._store.transaction():
                results = [operation() for operation, _ in batch]
        except BaseException as error:
            for _, future in batch:
                if future is not None and not future.done():
                    future.set_exception(error)
            raise
        for (_, future), result in zip(batch, results, strict=True):
            if future is not None and not future.done():
                future.set_result(result)

    def _put(self, operation: Callable[[], object], future: asyncio.Future[object] | None = None) -> None:
        if self._writer is not None and self._writer.done():
            # The writer's own error is the news; queueing behind a dead writer would lose rows in silence.
            self._writer.result()
        self._queue.append((operation, future))
        self._wake.set()

    async def _committed(self, operation: Callable[[], T]) -> T:
        """Return what an operation gives, once it and all that was queued before it are committed."""
        future: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._put(operation, future)
        return cast("T", await future)

    def answered_suts(self) -> set[str]:
        """Return the systems of which the run has an answer."""
        return {question.lane.sut for question in self._answered}

    async def open(self, question: Question, system: str, request: str, reserved_usd: float | None) -> int:
        """Record that a request is about to be sent; returns when the row is committed.

        `system` is the rendered system prompt, `request` the other parameters as JSON text.
        """
        number = self._tries.get(question, 0) + 1
        self._tries[question] = number

        def insert() -> int:
            row: dict[str, Value] = {
                "lane_id": self._lane_id(question.lane, system),
                "step": question.step,
                "mode": question.mode,
                "number": question.number,
                "try": number,
                "sent_at": self._utc_now(),
                "outcome": "in_flight",
                "reserved_usd": reserved_usd,
                "request_id": self._store.put_text(request),
            }
            return self._store.insert("answers", row)

        return await self._committed(insert)

    def _lane_id(self, lane: LaneKey, system: str) -> int:
        known = self._lanes.get(lane)
        if known is not None:
            return known
        system_id = self._store.put_text(system)
        row: dict[str, Value] = {"run_id": self._run_id, **lane._asdict(), "system_id": system_id}
        lane_id = self._lanes[lane] = self._store.insert("lanes", row)
        return lane_id

    def answered(self, question: Question, completion: Completion, expense: Expense, wire: str) -> None:
        """Complete the row of the answer to a question, and keep its raw stream."""
        answer_id = completion.answer_id
        assert answer_id is not None
        self._answered[question] = answer_id
        packed = pack(completion.stream, completion.sent_ns, self._compressor)

        def update() -> None:
            row: dict[str, Value] = {
                "outcome": "answered",
                **completion_row(completion),
                **_expense_row(expense),
                "text_id": self._store.put_text(completion.text),
                "reasoning_id": self._store.put_text(completion.reasoning or None),
            }
            self._store.update("answers", {"answer_id": answer_id}, row)
            stream: dict[str, Value] = {"answer_id": answer_id, "wire": wire, "codec": CODEC}
            stream |= {"pieces": packed.pieces, "bytes": packed.size, "data": packed.data}
            self._store.insert("streams", stream)

        self._put(update)

    def failed(self, answer_id: int, failure: Failure, expense: Expense) -> None:
        """Complete the row of a call that gave no answer."""
        row: dict[str, Value] = {
            "outcome": str(failure.outcome),
            "error_kind": failure.kind,
            "error_text": failure.text,
            **_expense_row(expense),
        }
        self._put(lambda: self._store.update("answers", {"answer_id": answer_id}, row))

    def scored(self, scorings: Iterable[Scoring]) -> None:
        """Add what parsers and algorithms made of answers."""
        rows = tuple(scorings)
        self._put(lambda: put_scorings(self._store, self._run_id, rows))

    def note_crash(self, answer_id: int | None, text: str) -> None:
        """Note on an answer, where there was one, that scoring it crashed; it stays and is not asked for again.

        `text` is the traceback without secrets.
        """
        if answer_id is None:
            return
        row: dict[str, Value] = {"outcome": "crashed", "error_text": text}
        self._put(lambda: self._store.update("answers", {"answer_id": answer_id}, row))

    def lane_state(self, lane: LaneKey, state: str) -> None:
        """Note that a lane is full, capped or abandoned."""

        def update() -> None:
            self._store.update("lanes", {"run_id": self._run_id, **lane._asdict()}, {"state": state})

        self._put(update)

    async def recorded(self, question: Question) -> Completion | None:
        """Return the answer that this run has got to a question, in an earlier session or in this one."""
        answer_id = self._answered.get(question)
        if answer_id is None:
            return None
        return await self._committed(lambda: _completion(self._store, answer_id))


def _completion(store: Store, answer_id: int) -> Completion:
    return completion_of(store, store.rows("SELECT * FROM answers WHERE answer_id = ?", answer_id)[0])


def _expense_row(expense: Expense) -> dict[str, Value]:
    return {
        "retries": expense.retries,
        "reserved_usd": expense.reserved_usd,
        "discarded_usd": expense.discarded_usd,
    }


def _read_lanes(store: Store, run_id: str) -> dict[LaneKey, int]:
    rows = store.rows("SELECT lane_id, sut, prompt, case_id FROM lanes WHERE run_id = ?", run_id)
    return {LaneKey(row["sut"], row["prompt"], row["case_id"]): row["lane_id"] for row in rows}


def _mark_lost(store: Store, run_id: str) -> None:
    """Mark attempts in flight as lost: they belong to the session before."""
    lost = """
        UPDATE answers SET outcome = 'lost', discarded_usd = reserved_usd,
            error_text = 'in flight when the run stopped'
        WHERE outcome = 'in_flight' AND lane_id IN (SELECT lane_id FROM lanes WHERE run_id = ?)"""
    with store.transaction():
        store.execute(lost, run_id)


def _read_answers(store: Store, run_id: str) -> tuple[dict[Question, int], dict[Question, int]]:
    """Tries made per question, and the answer ids of those answered."""
    sql = """
        SELECT l.sut, l.prompt, l.case_id, a.step, a.mode, a.number, a.try, a.answer_id,
            a.outcome IN ('answered', 'crashed') AND a.text_id IS NOT NULL AS answered
        FROM answers a JOIN lanes l USING (lane_id) WHERE l.run_id = ? ORDER BY a.answer_id"""
    tries: dict[Question, int] = {}
    answered: dict[Question, int] = {}
    for row in store.stream(sql, run_id):
        lane = LaneKey(row["sut"], row["prompt"], row["case_id"])
        question = Question(lane, row["step"], row["mode"], row["number"])
        tries[question] = max(tries.get(question, 0), row["try"])
        if row["answered"]:
            answered[question] = row["answer_id"]
    return tries, answered
