"""Calls as bytes, for engines whose workers are on other machines: a worker has processes of its own for them.

So a function that crashes or takes too long ends such a process, and never the worker; what it prints is no result.
"""

import pickle
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from runner.errors import InputError
from runner.pool.executor import RemoteError, WorkerError
from runner.pool.processes import LIMIT_S, Processes

# No worker computes so many functions at once.
_MOST = 256


@dataclass(frozen=True, slots=True)
class PackedResult:
    """What a call gave: its result as bytes, or the error of one of the three kinds that an executor knows."""

    data: bytes = b""
    error: WorkerError | RemoteError | InputError | None = None


def packed(function: Callable[..., object], arguments: tuple[object, ...]) -> bytes:
    """Return a call as bytes."""
    return pickle.dumps((function, arguments), pickle.HIGHEST_PROTOCOL)


def answered(call: bytes) -> PackedResult:
    """Compute a call in a process of this worker."""
    try:
        return PackedResult(_processes().submit(unpacked, call).result())
    except (WorkerError, RemoteError, InputError) as error:
        return PackedResult(error=error)


def unpacked(call: bytes) -> bytes:
    """Compute a call in this process."""
    function, arguments = pickle.loads(call)  # noqa: S301 - the driver's, over a connection that the user trusts
    return pickle.dumps(function(*arguments), pickle.HIGHEST_PROTOCOL)


def result_of(result: PackedResult) -> object:
    """Return the result of a call. Raises WorkerError, RemoteError, InputError."""
    if result.error is not None:
        raise result.error
    return pickle.loads(result.data)  # noqa: S301 - a worker's, over a connection that the user trusts


@cache
def _processes() -> Processes:
    """The processes of this worker; they end with it."""
    return Processes(_MOST, LIMIT_S)


def about() -> str:
    """Return what a worker must have in common with the driver, in words."""
    from importlib.metadata import version

    return f"evals {version('evals')} with Python {sys.version_info.major}.{sys.version_info.minor}"
