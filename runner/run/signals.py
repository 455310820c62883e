"""Signals while an event loop runs: they are handled between its callbacks, never in the middle of one.

An exception that a handler raises anywhere may hit the start of a thread, which then is never ended, nor the process.
"""

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FrameType

Handler = Callable[[int, FrameType | None], object] | int | None


@contextmanager
def signals_to(handlers: Mapping[signal.Signals, Callable[[], None]]) -> Iterator[None]:
    """Have the running loop call these at their signals; not for a signal that ends the process as it stands.

    Outside of the main thread, and where a platform has no signals, nothing is handled: the caller cancels the task.
    """
    loop = asyncio.get_running_loop()
    with ExitStack() as restoring:
        for number, handler in handlers.items():
            before = signal.getsignal(number)
            if before is signal.SIG_DFL:
                continue
            try:
                loop.add_signal_handler(number, handler)
            except (ValueError, RuntimeError):
                break
            restoring.callback(_restore, loop, number, before)
        yield


def _restore(loop: asyncio.AbstractEventLoop, number: signal.Signals, before: Handler) -> None:
    loop.remove_signal_handler(number)
    signal.signal(number, before)
