"""Entries on their way from the event loop to the writer's thread: in batches, bounded, in their order."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from runner.storage.entries import Entry, weight
from runner.storage.writer import Result, Writer

# Requests wait while more than this waits to be written.
_MOST_BYTES = 64 << 20
_MOST_ENTRIES = 10_000
# What nobody waits for is written together with the next request, or so many seconds later: each batch costs a wakeup.
_LATEST_S = 0.01
# A wait for the database that takes more than this many seconds is worth a line.
_WORTH_SAYING_S = 2.0

_Future = asyncio.Future[int | None]


class _Queued(NamedTuple):
    entry: Entry
    weight: int
    future: _Future | None


class EntryQueue:
    """Hands entries to a writer in a thread; belongs to one event loop.

    All that is queued while a batch is written is the next batch: the loop is woken once a batch, not once an entry.
    `refused` counts entries that could not be written as they are; their answers are marked as crashed.
    """

    def __init__(self, writer: Writer, say: Callable[[str], None]) -> None:
        """Take a writer that nothing else uses; `say` shows a line to the user."""
        self._writer = writer
        self._say = say
        self._thread = ThreadPoolExecutor(1, "ledger")
        self._entries: list[_Queued] = []
        self._bytes = 0
        self._put_count = self._ended_count = 0
        self._is_writing = False
        self._due: asyncio.Handle | None = None
        self._progress = asyncio.Event()
        self._broken: BaseException | None = None
        self._slow: asyncio.TimerHandle | None = None
        self._was_slow = False
        self.refused = 0

    def put(self, entry: Entry, future: _Future | None = None) -> None:
        """Queue an entry; `future` gets the result. Raises the writer's error if it has died of one."""
        self._raise_if_broken()
        queued = _Queued(entry, weight(entry), future)
        self._entries.append(queued)
        self._put_count += 1
        self._bytes += queued.weight
        self._schedule(urgent=future is not None)

    async def committed(self, entry: Entry) -> int | None:
        """Wait for room, queue an entry and return its result once it is committed."""
        while self._bytes > _MOST_BYTES or len(self._entries) > _MOST_ENTRIES:
            await self._progress.wait()
        future: _Future = asyncio.get_running_loop().create_future()
        self.put(entry, future)
        return await future

    async def written(self) -> None:
        """Wait until all that was queued before is written. Raises the writer's error if it has died of one."""
        put_count = self._put_count
        while self._ended_count < put_count:
            self._schedule(urgent=True)
            await self._progress.wait()
        self._raise_if_broken()

    async def close(self) -> None:
        """Write what is queued, and end the thread; if the task is cancelled, without waiting for a lock."""
        try:
            await self.written()
        except asyncio.CancelledError:
            self._writer.hurry()
            await self.written()
            raise
        finally:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._writer.close)
            self._thread.shutdown(wait=False)

    def _raise_if_broken(self) -> None:
        # The writer's own error is the news; queueing behind a dead writer would lose entries without a word.
        if self._broken is not None:
            raise self._broken

    def _schedule(self, *, urgent: bool) -> None:
        """See to it that what is queued is written, soon if it is urgent; while a batch is written its end does it."""
        if self._is_writing or not self._entries:
            return
        loop = asyncio.get_running_loop()
        if urgent:
            self._is_writing = True
            if self._due is not None:
                self._due.cancel()
            self._due = loop.call_soon(self._start_batch)
        elif self._due is None:
            self._due = loop.call_later(_LATEST_S, self._start_batch)

    def _start_batch(self) -> None:
        loop = asyncio.get_running_loop()
        self._is_writing, self._due = True, None
        batch, self._entries = self._entries, []
        self._slow = loop.call_later(_WORTH_SAYING_S, self._say_waiting, len(batch))
        writing = loop.run_in_executor(self._thread, self._write, [queued.entry for queued in batch])
        writing.add_done_callback(lambda done: self._end_batch(batch, done))

    def _write(self, entries: list[Entry]) -> list[Result]:
        try:
            return self._writer.write(entries)
        finally:
            # The thread holds its arguments until it runs again, which may be long after the loop has the results.
            entries.clear()

    def _end_batch(self, batch: list[_Queued], done: "asyncio.Future[list[Result]]") -> None:
        self._say_written()
        self._broken = done.exception()
        if self._broken is not None:
            batch += self._entries
            self._entries = []
        results: list[Result | BaseException] = [*([self._broken] * len(batch) if self._broken else done.result())]
        for queued, result in zip(batch, results, strict=True):
            self._ended_count += 1
            self._bytes -= queued.weight
            self._settle(queued.future, result)
        self._progress.set()
        self._progress.clear()
        self._is_writing = False
        self._schedule(urgent=any(queued.future is not None for queued in self._entries))

    def _settle(self, future: _Future | None, result: Result | BaseException) -> None:
        if future is None:
            if isinstance(result, Exception) and self._broken is None:
                self._note_refused(result)
        elif future.done():
            return
        elif isinstance(result, BaseException):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _note_refused(self, error: Exception) -> None:
        self.refused += 1
        if self.refused == 1:
            self._say(f"an answer cannot be recorded and is marked as crashed: {type(error).__name__}: {error}")

    def _say_waiting(self, batch_size: int) -> None:
        trouble = self._writer.trouble
        waiting = batch_size + len(self._entries)
        self._was_slow = True
        self._say(f"waiting for the database{trouble and f', {trouble}'}; {waiting} records wait")

    def _say_written(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
        if self._was_slow and not self._writer.stopped:
            self._say("the database can be written again")
        self._was_slow = False
