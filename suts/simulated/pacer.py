"""Sends the pieces of thousands of streams on time with one timer: each tick writes all that is due."""

import asyncio
from collections.abc import Callable, Sequence
from heapq import heappop, heappush

_NS_A_SECOND = 1_000_000_000


class Playing:
    """One stream being sent: pieces of bytes and when each is due, monotonic nanoseconds in rising order.

    Pieces that are due together are one write. `ended` is called after the last piece was written.
    """

    __slots__ = ("_at", "_due_ns", "_ended", "_pieces", "_write", "stopped")

    def __init__(
        self,
        pieces: Sequence[bytes],
        due_ns: Sequence[int],
        write: Callable[[bytes], None],
        ended: Callable[[], None],
    ) -> None:
        """Begin at the first piece; there is at least one."""
        self._pieces = pieces
        self._due_ns = due_ns
        self._write = write
        self._ended = ended
        self._at = 0
        self.stopped = False

    def advance(self, now_ns: int) -> int | None:
        """Write what is due; when the next piece is, or None after the last one or when stopped."""
        if self.stopped:
            return None
        start = at = self._at
        due_ns, count = self._due_ns, len(self._pieces)
        while at < count and due_ns[at] <= now_ns:
            at += 1
        if at > start:
            pieces = self._pieces
            self._write(pieces[start] if at == start + 1 else b"".join(pieces[start:at]))
        if at == count:
            self._ended()
            return None
        self._at = at
        return due_ns[at]


class Pacer:
    """The streams being sent, in a heap by when they are due next."""

    def __init__(self, loop: asyncio.AbstractEventLoop, now_ns: Callable[[], int]) -> None:
        """Wait for the first stream."""
        self._loop = loop
        self._now_ns = now_ns
        self._heap: list[tuple[int, int, Playing]] = []
        self._count = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ns = 0

    def play(self, playing: Playing) -> None:
        """Send this stream: what is due already now, the rest on time."""
        due_ns = playing.advance(self._now_ns())
        if due_ns is not None:
            self._push(due_ns, playing)
            self._arm()

    def close(self) -> None:
        """Send nothing any more."""
        self._heap.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _push(self, due_ns: int, playing: Playing) -> None:
        self._count += 1
        heappush(self._heap, (due_ns, self._count, playing))

    def _arm(self) -> None:
        if not self._heap:
            return
        due_ns = self._heap[0][0]
        if self._timer is not None:
            if self._timer_ns <= due_ns:
                return
            self._timer.cancel()
        self._timer_ns = due_ns
        self._timer = self._loop.call_later((due_ns - self._now_ns()) / _NS_A_SECOND, self._tick)

    def _tick(self) -> None:
        self._timer = None
        heap = self._heap
        now_ns = self._now_ns()
        while heap and heap[0][0] <= now_ns:
            _, _, playing = heappop(heap)
            due_ns = playing.advance(self._now_ns())
            if due_ns is not None:
                self._push(due_ns, playing)
        self._arm()
