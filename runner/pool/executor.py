"""The interface of what computes beside the main thread: processes, threads that wait for cells, or another engine."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, TypeVarTuple

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


class WorkerError(Exception):
    """A function gave no result: its process crashed, or took too long."""


class RemoteError(Exception):
    """A function raised an error in its process; the message is the traceback there."""


@dataclass(frozen=True, slots=True)
class PoolCall(Generic[T]):
    """A function of a module with its arguments, which are pickled; `characters` is about what they hold."""

    function: Callable[..., T]
    arguments: tuple[object, ...]
    characters: int = 0


class Executor(Protocol):
    """Computes functions, `slots` of them at once; nothing of it is left once it is closed.

    A function and its arguments are pickled where they go to another process, so it has to be one of a module.
    """

    @property
    def slots(self) -> int:
        """So many functions are computed at once."""
        ...

    def submit(self, function: Callable[[*Ts], T], /, *arguments: *Ts) -> Future[T]:
        """Return what will be the result: in the order of the calls, or as they come, as the caller waits for them.

        Its exceptions are WorkerError where the process ended, RemoteError for an error in it, and InputError. A call
        that has not begun can be cancelled.
        """
        ...

    def close(self) -> None:
        """Cancel what has not begun, and end what is at work where that can be ended."""
        ...


async def computed(executor: Executor, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Return what a function returns, while the event loop goes on. Raises WorkerError, RemoteError, InputError."""
    return await asyncio.wrap_future(executor.submit(function, *arguments))
