"""Gathers the questions of a run into batches, submits these, and hands out the answers when they have come.

Before a batch is submitted its lines are on record, and the vendor's id is once it is known; so a session that is
killed at any moment leaves what the next one needs to collect the answers. Nothing is submitted a second time before
it was looked for.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

import orjson

from runner.errors import UnsentError
from runner.prices import request_bytes
from runner.run.drain import Drain
from runner.run.error_facts import ErrorFacts
from runner.run.protocols import UncollectedError
from runner.storage.ledger import Ledger
from runner.storage.open_batches import BatchRecord, OpenBatch
from suts.batched import BatchedSut
from suts.batches import MOST_BYTES, MOST_LINES, BatchAnswer, BatchLine, BatchMark, without_answer
from suts.sut import Received, Request, Sut, SutError
from suts.variants import plain_sut, without_changes

# A batch is made when no question has come for so many seconds: attempts are launched together.
_QUIET_S = 2.0
# The most requests to the batch API that may fail in a row.
_PATIENCE = 10

T = TypeVar("T")

# None stands for a line of a batch that was never submitted.
_Result = BatchAnswer | None
_Future = asyncio.Future[_Result]


@dataclass(frozen=True, slots=True)
class BatchPace:
    """The clocks of a collector: monotonic nanoseconds, seconds since 1970; and seconds between looks at a batch."""

    now_ns: Callable[[], int]
    unix_s: Callable[[], float]
    poll_s: float = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class _Question:
    answer_id: int
    line: BatchLine
    size: int
    future: _Future


@dataclass(slots=True, eq=False)
class _Queue:
    """The questions to one model that wait for the next batch."""

    sut: BatchedSut
    questions: list[_Question] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True, eq=False)
class _Batch:
    """A batch; `batch_id` is 0 until it is on record. One of an earlier session has no lines, and is only collected."""

    batch_id: int
    digest: str
    planned_s: float
    size: int
    futures: dict[int, _Future]
    lines: Sequence[BatchLine] = ()
    remote_id: str = ""

    def settle(self, result_of: Callable[[int], _Result]) -> None:
        """Give each question that still waits its result, by the id of its answer."""
        for answer_id, future in self.futures.items():
            if not future.done():
                future.set_result(result_of(answer_id))


class BatchCollector:
    """The batches of one run; `async with` it, while questions are asked."""

    draining = "draining: batches go on at their vendor's, and are collected when the run is resumed"

    def __init__(
        self, record: BatchRecord, ledger: Ledger, drain: Drain, pace: BatchPace, say: Callable[[str], None]
    ) -> None:
        """Do nothing until questions come."""
        self._run_id = record.run_id
        self._ledger = ledger
        self._drain = drain
        self._pace = pace
        self._say = say
        self._opened = record.opened
        self._known = set(record.known)
        self._queues: dict[str, _Queue] = {}
        self._earlier: dict[int, _Future] = {}
        self._on_record: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        """Return the collector; batches of earlier sessions are collected once their model is asked."""
        return self

    async def __aexit__(self, *_exception: object) -> None:
        """Look after no batch any more: those that have not ended are collected by the next session."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def stream(self, sut: Sut, request: Request, answer_id: int) -> AsyncIterator[Received]:
        """Ask in a batch, and yield the answer in one piece.

        Raises SutError for a question that got none, UnsentError if the run drains before it is in a batch, and
        UncollectedError if the run drains before the batch has ended.
        """
        batched = plain_sut(sut)
        assert isinstance(batched, BatchedSut)
        queue = self._queue_of(batched)
        future = self._earlier.pop(answer_id, None) or self._put(queue, request, answer_id)
        answer = await self._result(future, answer_id)
        while answer is None:
            answer = await self._result(self._put(queue, request, answer_id), answer_id)
        if isinstance(answer, SutError):
            raise answer
        yield Received(self._pace.now_ns(), answer)

    def disturbed_ms(self, answer_id: int) -> None:
        """Return nothing: answers of batches have no clocks."""

    async def _result(self, future: _Future, answer_id: int) -> _Result:
        try:
            with self._drain.waiting():
                return await future
        except UnsentError as error:
            if answer_id in self._on_record:
                raise UncollectedError(str(error)) from error
            raise

    def _queue_of(self, sut: BatchedSut) -> _Queue:
        name = without_changes(sut.name)
        queue = self._queues.get(name)
        if queue is None:
            queue = self._queues[name] = _Queue(sut)
            self._start(self._gather(queue))
            for opened in self._opened:
                if opened.sut == name:
                    self._take_up(sut, opened)
        return queue

    def _take_up(self, sut: BatchedSut, opened: OpenBatch) -> None:
        """Collect a batch of an earlier session."""
        loop = asyncio.get_running_loop()
        futures: dict[int, _Future] = {answer_id: loop.create_future() for answer_id in opened.answer_ids}
        self._earlier |= futures
        self._on_record |= futures.keys()
        facts = (opened.batch_id, opened.digest, opened.planned_s, opened.lines)
        self._start(self._carry(sut, _Batch(*facts, futures, remote_id=opened.remote_id)))

    def _put(self, queue: _Queue, request: Request, answer_id: int) -> _Future:
        """Queue a question for the next batch. Raises SutError for one that cannot be asked."""
        line = BatchLine(self._custom_id(answer_id), queue.sut.body(request))
        future: _Future = asyncio.get_running_loop().create_future()
        queue.questions.append(_Question(answer_id, line, request_bytes(request), future))
        queue.arrived.set()
        return future

    def _custom_id(self, answer_id: int) -> str:
        """Return the id of an answer, which names its run, case and attempt, in the characters that vendors take."""
        return f"evals-{hashlib.sha256(self._run_id.encode()).hexdigest()[:12]}-{answer_id}"

    def _start(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _gather(self, queue: _Queue) -> None:
        """Make batches of what comes, whenever nothing has come for a while."""
        while True:
            await queue.arrived.wait()
            while queue.arrived.is_set():
                queue.arrived.clear()
                await asyncio.sleep(min(_QUIET_S, self._pace.poll_s))
            questions, queue.questions = queue.questions, []
            for part in _parts([question for question in questions if not question.future.done()]):
                self._start(self._make(queue.sut, part))

    async def _make(self, sut: BatchedSut, questions: Sequence[_Question]) -> None:
        """Make a batch of questions, and carry it."""
        futures = {question.answer_id: question.future for question in questions}
        lines = [question.line for question in questions]
        digest = await asyncio.to_thread(_digest, lines)
        await self._carry(sut, _Batch(0, digest, self._pace.unix_s(), len(lines), futures, lines))

    async def _carry(self, sut: BatchedSut, batch: _Batch) -> None:
        """See a batch through to its answers; whatever goes wrong becomes the result of its questions."""
        try:
            await self._collect(sut, batch)
        except SutError as error:
            facts = ErrorFacts.of(error)
            batch.settle(lambda _: facts.error())
        except Exception as error:  # noqa: BLE001 - a bug here must not leave questions that wait for ever
            for future in batch.futures.values():
                if not future.done():
                    future.set_exception(error)

    async def _collect(self, sut: BatchedSut, batch: _Batch) -> None:
        """Settle the questions of a batch with its answers. Raises SutError where it is refused."""
        if not batch.batch_id:
            name = without_changes(sut.name)
            batch.batch_id = await self._ledger.batch_planned(name, batch.digest, batch.futures)
            self._on_record |= batch.futures.keys()
        if not batch.remote_id and not await self._submitted(sut, batch):
            batch.settle(lambda _: None)
            return
        batch.lines = ()
        await self._ended(sut, batch)
        answers = await self._patiently(lambda: sut.batches.answers(batch.remote_id))
        self._say(
            f"{batch.remote_id}: collected, {sum(isinstance(answer, bytes) for answer in answers.values())} answers"
        )
        batch.settle(lambda answer_id: answers.get(self._custom_id(answer_id)) or without_answer("its id is missing"))

    async def _submitted(self, sut: BatchedSut, batch: _Batch) -> bool:
        """Submit a batch, or find it; return whether it is there now. Raises SutError where it is refused."""
        failures = 0
        remote_id = "" if batch.lines else await self._located(sut, batch)
        while batch.lines and not remote_id:
            try:
                remote_id = await sut.batches.submit(batch.lines, self._mark(batch))
            except SutError as error:
                failures += 1
                if not error.retryable or failures == _PATIENCE:
                    raise
                self._say(f"{sut.name}: a batch is submitted again unless it is there already: {error}")
                await asyncio.sleep(self._pace.poll_s)
                remote_id = await self._located(sut, batch)
        if not remote_id:
            return False
        self._known.add(remote_id)
        batch.remote_id = remote_id
        await self._ledger.batch_submitted(batch.batch_id, remote_id)
        self._say(f"{remote_id}: a batch of {batch.size} requests to {sut.name}")
        return True

    async def _located(self, sut: BatchedSut, batch: _Batch) -> str:
        """Return the id of a batch if it was submitted; wait while that cannot be known."""
        while True:
            batch_id, undecided = await self._patiently(lambda: sut.batches.find(self._mark(batch)))
            if batch_id or not undecided:
                return batch_id
            await asyncio.sleep(self._pace.poll_s)

    def _mark(self, batch: _Batch) -> BatchMark:
        custom_ids = frozenset(map(self._custom_id, batch.futures))
        return BatchMark(self._run_id, batch.digest, batch.planned_s, batch.size, custom_ids, frozenset(self._known))

    async def _ended(self, sut: BatchedSut, batch: _Batch) -> None:
        """Return when a batch has ended, and say what becomes of it meanwhile."""
        last_text = ""
        while True:
            state = await self._patiently(lambda: sut.batches.state(batch.remote_id))
            if state.ended:
                return
            if state.text != last_text:
                last_text = state.text
                self._say(f"{batch.remote_id}: {last_text}")
            await asyncio.sleep(self._pace.poll_s)

    async def _patiently(self, request: Callable[[], Awaitable[T]]) -> T:
        """Make a request that changes nothing, until it succeeds; when it does not, the run drains.

        Raises SutError for a refusal.
        """
        failures = 0
        while True:
            try:
                return await request()
            except SutError as error:
                failures += 1
                if not error.retryable:
                    raise
                if failures == _PATIENCE:
                    self._drain.begin(f"the batch API does not answer: {error}")
            await asyncio.sleep(self._pace.poll_s)


def _parts(questions: Sequence[_Question]) -> Iterator[list[_Question]]:
    """Yield the questions in parts that are each within the limits of a batch."""
    part: list[_Question] = []
    size = 0
    for question in questions:
        if part and (len(part) == MOST_LINES or size + question.size > MOST_BYTES):
            yield part
            part, size = [], 0
        part.append(question)
        size += question.size
    if part:
        yield part


def _digest(lines: Sequence[BatchLine]) -> str:
    """Return the SHA-256 of the lines, by which a batch is recognized."""
    state = hashlib.sha256()
    for line in lines:
        state.update(orjson.dumps([line.custom_id, line.body]) + b"\n")
    return state.hexdigest()
