"""A process that computes for another: it reads calls from standard input and writes what they return.

`python -c BOOTSTRAP PATH LIMIT` starts it (see `worker_pool`). What the code under it prints goes to standard error.
"""

import os
import pickle
import signal
import struct
import sys
import traceback
from collections.abc import Callable
from typing import IO, Final, cast

# What the pool writes.
Call = tuple[Callable[..., object], tuple[object, ...]]
LENGTH: Final = struct.Struct("!Q")


def write_message(stream: IO[bytes], message: object) -> None:
    """Write an object with its length before it."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_message(stream: IO[bytes]) -> object:
    """Return the next object. Raises EOFError where the other process has ended."""
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    return pickle.loads(_exactly(stream, length))  # noqa: S301 - both ends are this program


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def main(limit_s: float) -> None:
    """Answer calls until the other process closes the pipe; end if one takes longer than the limit.

    The other process ends this one at the limit; the alarm is for the case that it has ended itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    calls, results = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while True:
        answer: tuple[object, str]
        try:
            function, arguments = cast("Call", read_message(calls))
            _alarm(limit_s + 1)
            answer = (function(*arguments), "")
        except EOFError:
            return
        except Exception:  # noqa: BLE001 - a bug of a plug-in is an answer as any other
            answer = (None, traceback.format_exc())
        _alarm(0)
        write_message(results, answer)


def _alarm(seconds: float) -> None:
    """End this process after so many seconds; 0 = not at all. Windows has no alarms."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
