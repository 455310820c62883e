"""The end of sending: once a run drains, nothing waits any longer to be sent, and what is under way ends normally."""

import asyncio
from types import TracebackType
from typing import Self

from runner.errors import UnsentError


class Drain:
    """Ends waits at once when a run stops sending; `reason` says why, and is "" until then."""

    def __init__(self) -> None:
        self.reason = ""
        self._waits: set[Wait] = set()

    @property
    def begun(self) -> bool:
        """Whether nothing more is sent."""
        return bool(self.reason)

    def begin(self, reason: str = "interrupted") -> None:
        """Send nothing more: each wait ends with UnsentError. Of several reasons the first is kept."""
        self.reason = self.reason or reason
        for wait in tuple(self._waits):
            wait.end()

    def check(self) -> None:
        """Raise UnsentError if nothing more is sent."""
        if self.reason:
            raise UnsentError(self.reason)

    def waiting(self) -> "Wait":
        """Return a context for a wait that ends with UnsentError when the run drains."""
        return Wait(self, self._waits)

    async def sleep(self, seconds: float) -> None:
        """Sleep. Raises UnsentError when the run drains."""
        with self.waiting():
            await asyncio.sleep(seconds)


class Wait:
    """A wait before a request; `over` is called when it is sent: from then on a drain lets it end."""

    def __init__(self, drain: Drain, waits: set["Wait"]) -> None:
        self._drain = drain
        self._waits = waits
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._ended = False

    def __enter__(self) -> Self:
        self._drain.check()
        task = self._task = asyncio.current_task()
        self._cancelling = task.cancelling() if task else 0
        self._waits.add(self)
        return self

    def over(self) -> None:
        """Note that the wait has ended."""
        self._waits.discard(self)

    def end(self) -> None:
        """Interrupt the wait."""
        self.over()
        if self._task is not None:
            self._ended = True
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.over()
        task, self._task = self._task, None
        if not self._ended or task is None:
            return
        # As asyncio.timeout does it: a cancellation from elsewhere at the same time goes on.
        if task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
            raise UnsentError(self._drain.reason) from error
