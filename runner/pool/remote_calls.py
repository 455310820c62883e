"""Coroutines in the event loop of a worker: many at once, each of which can be cancelled from outside."""

import asyncio
import contextlib
import pickle
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from runner.pool.executor import RemoteError

# Those that this process waits for, by the ids of their callers.
_UNDER_WAY: dict[str, asyncio.Future[object]] = {}


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call gave: its result as bytes, or the traceback of its error."""

    data: bytes = b""
    trace: str = ""


def packed_call(function: Callable[..., Awaitable[object]], argument: object) -> bytes:
    """Return a call as bytes."""
    return pickle.dumps((function, argument), pickle.HIGHEST_PROTOCOL)


async def run_call(call_id: str, call: bytes) -> CallResult:
    """Run a call to its end, in this event loop."""
    function, argument = pickle.loads(call)  # noqa: S301 - the driver's, over a connection that the user trusts
    task = asyncio.ensure_future(function(argument))
    _UNDER_WAY[call_id] = task
    try:
        return CallResult(pickle.dumps(await task, pickle.HIGHEST_PROTOCOL))
    except asyncio.CancelledError:
        return CallResult(trace="it was cancelled")
    except Exception:  # noqa: BLE001 - it is raised where the call came from
        return CallResult(trace=traceback.format_exc())
    finally:
        with contextlib.suppress(KeyError):
            del _UNDER_WAY[call_id]


def result_of_call(result: CallResult) -> object:
    """Return what a call gave. Raises RemoteError."""
    if result.trace:
        raise RemoteError(result.trace)
    return pickle.loads(result.data)  # noqa: S301 - a worker's, over a connection that the user trusts


async def cancel_call(call_id: str) -> None:
    """Cancel a call that is under way here."""
    if call_id in _UNDER_WAY:
        _UNDER_WAY[call_id].cancel()
