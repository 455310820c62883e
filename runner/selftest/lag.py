"""How late an event loop is: a timer that should fire every 10 ms, and by how much it does not."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

_EVERY_S = 0.01


@contextmanager
def lag_measured() -> Iterator[list[float]]:
    """Yield a list that grows by the lateness of each tick, in milliseconds, while the block runs in its loop."""
    loop = asyncio.get_running_loop()
    late_ms: list[float] = []
    due_s = loop.time() + _EVERY_S
    timer: asyncio.TimerHandle

    def tick() -> None:
        nonlocal due_s, timer
        now_s = loop.time()
        late_ms.append((now_s - due_s) * 1000)
        due_s = now_s + _EVERY_S
        timer = loop.call_at(due_s, tick)

    timer = loop.call_at(due_s, tick)
    try:
        yield late_ms
    finally:
        timer.cancel()
