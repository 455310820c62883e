"""An event loop whose clock jumps to the next timer: hours of waiting pass at once, in the same order.

While a thread works for the loop, the clock stands still and the loop waits for the thread.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from concurrent.futures import Executor
from typing import Any, TypeVar

T = TypeVar("T")


class _Instant(selectors.SelectSelector):
    """Never waits: what would have been waited for is added to the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 0.0
        self.threads_at_work = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if self.threads_at_work and timeout != 0:
            return super().select(None)
        if timeout is None:
            raise RuntimeError("nothing is scheduled: the loop would wait for ever")
        self.now_s += max(timeout, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """The loop; `time()` is virtual seconds from 0."""

    def __init__(self) -> None:
        self._instant = _Instant()
        super().__init__(self._instant)

    def time(self) -> float:
        return self._instant.now_s

    def run_in_executor(self, executor: Executor | None, func: Callable[..., T], *args: object) -> "asyncio.Future[T]":
        future = super().run_in_executor(executor, func, *args)
        self._instant.threads_at_work += 1
        future.add_done_callback(self._end_work)
        return future

    def _end_work(self, _future: "asyncio.Future[Any]") -> None:
        self._instant.threads_at_work -= 1


def now_s() -> float:
    """Virtual seconds, inside `virtually`."""
    return asyncio.get_running_loop().time()


def now_ns() -> int:
    """Virtual nanoseconds, inside `virtually`."""
    return round(now_s() * 1e9)


def virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run to the end in virtual time. Raises RuntimeError when everything waits for nothing."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
