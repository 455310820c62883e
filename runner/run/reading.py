"""Reads one answer from its stream, within the limits of a call: its deadlines and the size of its bytes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass

from runner.input_files import MEGABYTE, in_megabytes
from runner.run.pace import Deadlines
from runner.run.watch import Gaps, Watch
from runner.storage.streams import AnswerReader
from suts.sut import ErrorKind, Received, SutError

LARGEST_ANSWER = 32 * MEGABYTE
# Servers that end the body with the answer need less; those that keep the connection open lose it.
_END_OF_BODY_S = 0.05
# Bytes of an answer that are decoded and parsed in one go: that takes 1 to 8 ms.
_FED_AT_ONCE = 16_384
# What a piece costs in memory beside its bytes: an answer of single bytes counts as large, too.
_PIECE_BYTES = 100


class ExceededError(SutError):
    """A call exceeded a limit of the run, which the message names; it is not retried."""

    def __init__(self, kind: ErrorKind, message: str) -> None:
        """`kind` is TIMEOUT or TOO_LARGE."""
        super().__init__(kind, message, retryable=False)


@dataclass(frozen=True, slots=True)
class ReadingLimits:
    """How long a call may take, and how many bytes its raw stream may have."""

    deadlines: Deadlines
    largest: int


async def read_answer(
    stream: AsyncIterator[Received],
    reading: AnswerReader,
    limits: ReadingLimits,
    now_ns: Callable[[], int],
    gaps: Gaps | None = None,
) -> None:
    """Read a stream to the end of its answer, and close it. Raises ExceededError, and the SutError of the stream.

    An endless answer is ended, and one that misses a deadline; time that `gaps` knows to be lost does not count.
    """
    watch = Watch(limits.deadlines, now_ns, reading, gaps.lost_ns if gaps else _nothing_lost)
    try:
        async with asyncio.timeout(None) as scope:
            watch.start(scope)
            await _read(stream, reading, limits.largest, now_ns)
    except TimeoutError as error:
        raise ExceededError(ErrorKind.TIMEOUT, watch.missed) from error
    finally:
        watch.stop()


async def _read(
    stream: AsyncIterator[Received], reading: AnswerReader, largest: int, now_ns: Callable[[], int]
) -> None:
    left, lost = largest, None
    try:
        async for received in stream:
            left -= len(received.data) + _PIECE_BYTES
            if left < 0:
                raise ExceededError(ErrorKind.TOO_LARGE, f"the answer is larger than {in_megabytes(largest)}")
            if len(received.data) > _FED_AT_ONCE:
                complete = await _feed_parts(reading, received)
            else:
                complete = reading.feed(received)
            if complete:
                await _see_end(stream, reading)
                break
    except SutError as error:
        if error.kind is not ErrorKind.CUT or not reading.stream:
            raise
        lost = error
    finally:
        # A stream may be left before its end: close its connection now, not at garbage collection.
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    # What follows the end marker is no part of the answer's time.
    reading.end(reading.stream[-1].at_ns if reading.ended else now_ns(), lost)


async def _feed_parts(reading: AnswerReader, received: Received) -> bool:
    """Read a large piece, and return whether the answer is complete; the event loop goes on between its parts."""
    at_ns, data = received
    for start in range(0, len(data), _FED_AT_ONCE):
        if start:
            await asyncio.sleep(0)
        if reading.feed(Received(at_ns, data[start : start + _FED_AT_ONCE])):
            return True
    return False


async def _see_end(stream: AsyncIterator[Received], reading: AnswerReader) -> None:
    """Wait shortly for the end of a body whose answer is complete, so that its connection can serve the next request.

    A system with a clock of its own reports the time of its end here. Anything else that follows is not read.
    """
    with suppress(TimeoutError, SutError):
        async with asyncio.timeout(_END_OF_BODY_S):
            following = await anext(stream, None)
            if following is not None and not following.data:
                reading.feed(following)


def _nothing_lost(_since_ns: int) -> int:
    return 0
