"""Threads for work that waits: for a test that runs in a cell, a process of its own, or for a file."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Self, TypeVar, TypeVarTuple

from runner.pool.blocks import in_order

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")
T = TypeVar("T")
Ts = TypeVarTuple("Ts")


def on_threads(slots: int, work: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> Iterator[ResultT]:
    """Yield the result of `work` for each item, in their order, so many computed at once."""
    with Threads(slots) as pool:
        yield from in_order(pool, work, items)


class Threads:
    """Some threads of this process; a context manager, whose end waits for what has begun.

    A function may share state with others, and raises its own errors.
    """

    def __init__(self, slots: int, name: str = "waiting") -> None:
        """Have so many threads at most."""
        self.slots = slots
        self._threads = ThreadPoolExecutor(slots, thread_name_prefix=name)

    def submit(self, function: Callable[[*Ts], T], /, *arguments: *Ts) -> Future[T]:
        """Return what will be the result."""
        return self._threads.submit(function, *arguments)

    def close(self) -> None:
        """Cancel what has not begun, and wait for the rest."""
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()
