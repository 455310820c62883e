"""The slots of a session: at most so many requests are under way at once, shared fairly by the models."""

import asyncio
from collections import Counter, deque


class Slots:
    """A slot is taken by a request that may be sent, and by nothing that waits for something else.

    A free slot goes to the waiting model with the fewest requests under way; models with equally many take turns.
    """

    def __init__(self, most: int) -> None:
        """Start with `most` free slots; `sent` counts the requests that have got one."""
        self.most = most
        self.in_use = 0
        self._used: Counter[str] = Counter()
        self.sent = 0
        self._last_sent: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def acquire(self, model: str) -> None:
        """Wait for a slot for a request to a model."""
        if self.in_use < self.most:
            # Nobody waits while a slot is free.
            self._take(model)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(model, deque()).append(future)
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled():
                self.release(model)
            raise

    def release(self, model: str) -> None:
        """Free the slot of a request that has ended, for the next one."""
        self.in_use -= 1
        self._used[model] -= 1
        while self._waiting and self.in_use < self.most:
            self._pass_on()

    def _take(self, model: str) -> None:
        self.in_use += 1
        self.sent += 1
        self._used[model] += 1
        self._last_sent[model] = self.sent

    def _pass_on(self) -> None:
        model = min(self._waiting, key=lambda name: (self._used[name], self._last_sent[name]))
        futures = self._waiting[model]
        future = futures.popleft()
        if not futures:
            del self._waiting[model]
        if not future.done():
            self._take(model)
            future.set_result(None)
