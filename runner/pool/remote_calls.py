"""Coroutines in the event loop of a worker: many at once, each of which can be cancelled from outside."""

import asyncio
import contextlib
import pickle
import traceback

from runner.pool.executor import RemoteError
from runner.pool.packed import PackedResult

# Those that this process waits for, by the ids of their callers.
_UNDER_WAY: dict[str, asyncio.Future[object]] = {}


async def run_call(call_id: str, call: bytes) -> PackedResult:
    """Run a packed call of a coroutine function to its end, in this event loop."""
    function, arguments = pickle.loads(call)  # noqa: S301 - the driver's, over a connection that the user trusts
    task = asyncio.ensure_future(function(*arguments))
    _UNDER_WAY[call_id] = task
    try:
        return PackedResult(pickle.dumps(await task, pickle.HIGHEST_PROTOCOL))
    except asyncio.CancelledError:
        return PackedResult(error=RemoteError("it was cancelled"))
    except Exception:  # noqa: BLE001 - it is raised where the call came from
        return PackedResult(error=RemoteError(traceback.format_exc()))
    finally:
        with contextlib.suppress(KeyError):
            del _UNDER_WAY[call_id]


async def cancel_call(call_id: str) -> None:
    """Cancel a call that is under way here."""
    if call_id in _UNDER_WAY:
        _UNDER_WAY[call_id].cancel()
