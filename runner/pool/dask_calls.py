"""Calls by the workers of a Dask scheduler: each goes to the worker that has fewest, outside of Dask's own queue.

A task of Dask would hold one of a worker's threads while it waits, and would be run again, paid again, if it were lost.
"""

import asyncio
import contextlib
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast
from uuid import uuid4

from runner.pool.executor import LostCallError, WorkerError
from runner.pool.packed import PackedResult, packed, result_of
from runner.pool.remote_calls import cancel_call, run_call

if TYPE_CHECKING:
    import distributed

A = TypeVar("A")
T = TypeVar("T")

# Seconds until the workers are looked at again, until a worker takes the place of the last one, and between two looks.
_KNOWN_S = 5.0
_PATIENCE_S = 60.0
_LOOK_S = 0.2
_LOOKS = 20


class DaskCalls:
    """The calls under way of one client; its loop runs in a thread of its own."""

    def __init__(self, client: "distributed.Client") -> None:
        """Take the workers to be unknown."""
        self._client = client
        self._workers: frozenset[str] = frozenset()
        self._lost: set[str] = set()
        self._sent: defaultdict[str, set[asyncio.Future[Any]]] = defaultdict(set)
        self._looked_s = float("-inf")

    async def call(self, function: Callable[[A], Awaitable[T]], argument: A) -> T:
        """Return what a function returns in a worker: see `Caller`."""
        worker, call_id = await self._free_worker(), uuid4().hex
        try:
            result = await self._ran(worker, call_id, packed(function, (argument,)))
        except asyncio.CancelledError:
            self._forget(worker, call_id)
            raise
        return cast("T", result_of(result))

    async def call_each(self, function: Callable[[A], Awaitable[T]], argument: A) -> list[T]:
        """Return what a function returns in every worker: see `Caller`."""
        call = (uuid4().hex, packed(function, (argument,)))
        results = await self._in_its_loop(partial(self._client.run, run_call, *call, on_error="ignore"))
        return [cast("T", result_of(result)) for result in results.values()]

    async def _ran(self, worker: str, call_id: str, call: bytes) -> PackedResult:
        sent = self._in_its_loop(partial(self._client.run, run_call, call_id, call, workers=[worker]))
        self._sent[worker].add(sent)
        try:
            results = await sent
        except asyncio.CancelledError:
            if worker not in self._lost or _is_cancelled():
                raise
            raise LostCallError(f"{worker}: it has left the scheduler") from None
        except Exception as error:
            self._lost.add(worker)
            await self._see_it_gone(worker)
            raise LostCallError(f"{worker}: {type(error).__name__}") from error
        finally:
            self._sent[worker].discard(sent)
        return cast("PackedResult", results[worker])

    def _forget(self, worker: str, call_id: str) -> None:
        """Have a worker cancel a call, without waiting for that."""
        with contextlib.suppress(RuntimeError):
            words = {"workers": [worker], "wait": False, "on_error": "ignore"}
            self._in_its_loop(partial(self._client.run, cancel_call, call_id, **words))

    def _in_its_loop(self, run: Callable[..., Awaitable[Any]]) -> asyncio.Future[Any]:
        async def running() -> object:
            return await run(asynchronous=True)

        return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(running(), self._client.loop.asyncio_loop))

    async def _free_worker(self) -> str:
        """Return the worker with the fewest calls. Raises WorkerError where there is none for a minute."""
        began_s = time.monotonic()
        while True:
            if time.monotonic() - self._looked_s > _KNOWN_S or not self._workers - self._lost:
                await self._look()
            if able := sorted(self._workers - self._lost):
                return min(able, key=lambda worker: len(self._sent[worker]))
            if time.monotonic() - began_s > _PATIENCE_S:
                raise WorkerError("the scheduler has no worker")
            await asyncio.sleep(_LOOK_S)

    async def _see_it_gone(self, worker: str) -> None:
        """Look until the scheduler has noticed that a worker is gone; for some seconds, as it may be there."""
        for _ in range(_LOOKS):
            await self._look()
            if worker not in self._workers:
                return
            await asyncio.sleep(_LOOK_S)

    async def _look(self) -> None:
        """See which workers there are; give up calls to those that are not, which Dask would wait for half a minute."""
        self._looked_s = time.monotonic()
        self._workers = frozenset(await asyncio.to_thread(self._client.nthreads))
        for worker in self._sent.keys() - self._workers:
            self._lost.add(worker)
            for sent in self._sent.pop(worker):
                sent.cancel()


def _is_cancelled() -> bool:
    """Return whether the running task is cancelled, rather than what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
