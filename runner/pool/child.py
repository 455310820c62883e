"""A process that computes for another: it reads calls from standard input and writes what they return.

`python -c BOOTSTRAP PATH` starts it (see `processes`). What the code under it prints goes to standard error. It ends
when the other process does, also while it computes.
"""

import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO, Final, cast

from runner.errors import InputError

# What the other process writes.
Call = tuple[Callable[..., object], tuple[object, ...]]
LENGTH: Final = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class CallFailure:
    """The error that a function raised: its traceback, and its message where the input was bad."""

    trace: str
    bad_input: str = ""


def write_message(stream: IO[bytes], message: object) -> None:
    """Write an object with its length before it."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def read_message(stream: IO[bytes]) -> object:
    """Return the next object. Raises EOFError where the other process has ended."""
    return pickle.loads(_read_bytes(stream))  # noqa: S301 - both ends are this program


def _read_bytes(stream: IO[bytes]) -> bytes:
    (length,) = LENGTH.unpack(_exactly(stream, LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data


def main(limit_s: float | None) -> None:
    """Answer calls until the other process closes the pipe; end if one takes longer than the limit.

    The other process ends this one at the limit; the alarm is for the case that it has ended itself.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    calls: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(sys.stdin.buffer, calls), daemon=True).start()
    while True:
        call = calls.get()
        _alarm(limit_s + 1 if limit_s else 0)
        answer = _answer(call)
        _alarm(0)
        write_message(results, answer)


def _receive(stream: IO[bytes], calls: SimpleQueue[bytes]) -> None:
    """Hand on the calls; end this process where the other one has ended, whatever is computed meanwhile."""
    while True:
        try:
            calls.put(_read_bytes(stream))
        except (EOFError, OSError):
            os._exit(0)


def _answer(call: bytes) -> object:
    try:
        function, arguments = cast("Call", pickle.loads(call))  # noqa: S301 - both ends are this program
        return function(*arguments)
    except InputError as error:
        return CallFailure(traceback.format_exc(), str(error))
    except Exception:  # noqa: BLE001 - a bug of a plug-in is an answer as any other
        return CallFailure(traceback.format_exc())


def _alarm(seconds: float) -> None:
    """End this process after so many seconds; 0 = not at all. Windows has no alarms."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
