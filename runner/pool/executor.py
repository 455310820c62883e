"""The interface of what computes beside the main thread: processes, threads that wait for cells, or another engine."""

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, TypeVarTuple, runtime_checkable

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
A = TypeVar("A")


class WorkerError(Exception):
    """A function gave no result: its process crashed, or took too long."""


class LostCallError(Exception):
    """A worker ended with a call under way: what became of it is not known."""


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


@runtime_checkable
class Caller(Protocol):
    """An executor whose workers wait for answers, too: each for as many at once as it is handed."""

    async def call(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> T:
        """Run a coroutine function of a module in the event loop of a worker, and return what it returns.

        It is cancelled there when it is cancelled here. Raises LostCallError where the worker ends before, RemoteError
        for an error of the function, and WorkerError where no worker is left.
        """
        ...

    async def call_each(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> list[T]:
        """Run it in every worker, and return the results of those that did not end meanwhile. Raises RemoteError."""
        ...


async def computed(executor: Executor, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Return what a function returns, while the event loop goes on. Raises WorkerError, RemoteError, InputError."""
    return await asyncio.wrap_future(executor.submit(function, *arguments))
