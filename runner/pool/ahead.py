"""Results that are computed before they are needed: in blocks, by an executor, while this process reads and writes."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from concurrent.futures import Future
from typing import Generic, TypeVar

from runner.pool.executor import Executor, PoolCall, WorkerError

T = TypeVar("T")

# A block holds so many calls, or calls of so many characters.
_CALLS = 64
_CHARACTERS = 1 << 20


class Ahead(Generic[T]):
    """Results by their keys; each is taken once."""

    def __init__(self, executor: Executor) -> None:
        """Have the executor compute blocks of calls."""
        self._executor = executor
        self._under_way: dict[Hashable, tuple[Future[list[T]], int]] = {}

    def begin(self, calls: Iterable[tuple[Hashable, PoolCall[T]]]) -> None:
        """Hand over the calls; returns at once."""
        for block in _blocks(calls):
            future = self._executor.submit(all_of, [(call.function, call.arguments) for _, call in block])
            for place, (key, _) in enumerate(block):
                self._under_way[key] = (future, place)

    def take(self, key: Hashable) -> T | None:
        """Wait for a result; None where it was not begun, or where the process of its block ended.

        Raises RemoteError, InputError.
        """
        begun = self._under_way.pop(key, None)
        if begun is None:
            return None
        future, place = begun
        try:
            return future.result()[place]
        except WorkerError:
            return None


def all_of(calls: list[tuple[Callable[..., T], tuple[object, ...]]]) -> list[T]:
    """Return the result of each call."""
    return [function(*arguments) for function, arguments in calls]


def _blocks(calls: Iterable[tuple[Hashable, PoolCall[T]]]) -> Iterator[list[tuple[Hashable, PoolCall[T]]]]:
    block: list[tuple[Hashable, PoolCall[T]]] = []
    characters = 0
    for key, call in calls:
        block.append((key, call))
        characters += call.characters
        if len(block) >= _CALLS or characters >= _CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block
