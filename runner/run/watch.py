"""The deadlines of one call: a timer that ends a call which misses one."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from runner.run.pace import Deadlines
from runner.storage.streams import AnswerReader


class Gaps(Protocol):
    """Knows when this process could not read (see `heartbeat`)."""

    def lost_ns(self, since_ns: int) -> int:
        """Return for how long nothing could be read since a moment."""
        ...

    def disturbed_ms(self, since_ns: int) -> float:
        """Return the longest time without reading since a moment."""
        ...


class Watch:
    """Ends a call that misses a deadline.

    Time in which this process could not read, such as while it was stopped, does not count.

    One timer a call, set again when it fires: a piece costs nothing but the stamp that it carries anyway. No
    closure, since one that sets itself again would keep each whole answer until the garbage is collected.
    """

    __slots__ = ("_began_ns", "_limits", "_lost_ns", "_now_ns", "_reading", "_scope", "_timer", "missed")

    def __init__(
        self, limits: Deadlines, now_ns: Callable[[], int], reading: AnswerReader, lost_ns: Callable[[int], int]
    ) -> None:
        """Start counting now; `lost_ns` returns for how long nothing could be read since a moment."""
        self._limits = limits
        self._now_ns = now_ns
        self._lost_ns = lost_ns
        self._reading = reading
        self._began_ns = now_ns()
        self._scope: asyncio.Timeout | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.missed = "timed out"

    def start(self, scope: asyncio.Timeout) -> None:
        """Watch over a call that runs in `scope`."""
        limits, self._scope = self._limits, scope
        self._set(min(limits.first_token_s, limits.idle_s, limits.total_s))

    def stop(self) -> None:
        """Stop watching: the call has ended."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, seconds: float) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, self._check)

    def _check(self) -> None:
        left_s, self.missed = self._time_left()
        if left_s > 0:
            self._set(left_s)
        elif self._scope is not None:
            self._scope.reschedule(asyncio.get_running_loop().time())

    def _time_left(self) -> tuple[float, str]:
        limits, last_ns = self._limits, self._reading.token_ns
        now_ns = self._now_ns()
        waited_s = (now_ns - self._began_ns - self._lost_ns(self._began_ns)) / 1e9
        total = (limits.total_s - waited_s, f"not finished within {limits.total_s:g} s")
        if last_ns is not None:
            idle_s = (now_ns - last_ns - self._lost_ns(last_ns)) / 1e9
            return min((limits.idle_s - idle_s, f"no token for {limits.idle_s:g} s"), total)
        first_s = limits.first_token_s
        return min((first_s - waited_s, f"no first token within {first_s:g} s"), total)
