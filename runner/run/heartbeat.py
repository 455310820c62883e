"""How late the event loop is: a timer that notes for how long nothing could be read, and how much that was."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import ceil
from typing import NamedTuple

from runner.storage.runs import SessionLag

_EVERY_NS = 20_000_000
# A shorter delay is in the nature of an event loop; a longer one is noted.
DISTURBING_NS = 50_000_000
# The two clocks that say how long the machine slept are not read at one moment.
_ASLEEP_NS = 1_000_000_000
# As many gaps are remembered; a call during which there were more has long missed its deadline.
_REMEMBERED = 10_000
# Lateness is counted in tenths of a millisecond.
_TENTH_NS = 100_000


class Gap(NamedTuple):
    """A time without reading: when it ended, how long it was, and how long the machine slept besides."""

    end_ns: int
    late_ns: int
    asleep_ns: int


def asleep_ns() -> int:
    """Return for how long the machine has slept since it started; 0 where the system does not say."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Heartbeat:
    """Beats while a session runs. A stopped process, a busy loop and a sleeping machine all make a beat late.

    The clock is monotonic: it goes on while a process is stopped, but not while the machine sleeps.
    """

    def __init__(self, now_ns: Callable[[], int] = time.monotonic_ns, asleep_ns: Callable[[], int] = asleep_ns) -> None:
        """Take the clocks; the first beat is due now."""
        self._now_ns = now_ns
        self._asleep_ns = asleep_ns
        self._due_ns = now_ns()
        self._asleep_before_ns = asleep_ns()
        self._gaps: deque[Gap] = deque(maxlen=_REMEMBERED)
        self._late: Counter[int] = Counter()
        self._worst_ns = 0

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Beat in the running event loop while the block runs."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def tick() -> None:
            nonlocal timer
            self.beat()
            timer = loop.call_later(_EVERY_NS / 1e9, tick)

        self._due_ns = self._now_ns()
        timer = loop.call_later(0, tick)
        try:
            yield
        finally:
            timer.cancel()

    def beat(self) -> None:
        """Note how late this beat is; the next one is due after the interval."""
        now_ns = self._now_ns()
        gap = self._gap(now_ns)
        self._late[gap.late_ns // _TENTH_NS] += 1
        self._worst_ns = max(self._worst_ns, gap.late_ns)
        if gap.late_ns > DISTURBING_NS or gap.asleep_ns:
            self._gaps.append(gap)
            self._asleep_before_ns += gap.asleep_ns
        self._due_ns = now_ns + _EVERY_NS

    def lost_ns(self, since_ns: int) -> int:
        """Return for how long nothing could be read since a moment, by the clock; short delays do not count."""
        return sum(min(gap.late_ns, gap.end_ns - since_ns) for gap in self._since(since_ns))

    def disturbed_ms(self, since_ns: int) -> float:
        """Return the longest time without reading since a moment, sleep included; 0 if there were only short delays."""
        return max((gap.late_ns + gap.asleep_ns for gap in self._since(since_ns)), default=0) / 1e6

    def lag(self) -> SessionLag:
        """Return how late the loop was in all: the 99th percentile of the beats, and the worst."""
        rank, seen = ceil(0.99 * self._late.total()), 0
        for tenths, count in sorted(self._late.items()):
            seen += count
            if seen >= rank:
                return SessionLag(tenths / 10, self._worst_ns / 1e6)
        return SessionLag(0.0, 0.0)

    def _gap(self, now_ns: int) -> Gap:
        asleep_ns = self._asleep_ns() - self._asleep_before_ns
        late_ns = max(now_ns - self._due_ns, 0)
        return Gap(now_ns, late_ns, asleep_ns if asleep_ns >= _ASLEEP_NS else 0)

    def _since(self, since_ns: int) -> Iterator[Gap]:
        """Yield the gaps that ended later, also one whose late beat is still to come."""
        present = self._gap(self._now_ns())
        if present.late_ns > DISTURBING_NS or present.asleep_ns:
            yield present
        for gap in reversed(self._gaps):
            if gap.end_ns <= since_ns:
                return
            yield gap
