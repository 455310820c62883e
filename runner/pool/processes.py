"""Runs functions in processes of their own, so that long ones do not hold up the streams of this one.

No process is started before the first call; from then on each is kept for the next. A process that crashes, or that
takes longer than the limit, is replaced. They are new interpreters, never forks of this one, which has threads.
"""

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self, TypeVar, TypeVarTuple, cast

from runner.errors import InputError
from runner.pool.child import CallFailure, read_message, write_message
from runner.pool.executor import RemoteError, WorkerError

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

LIMIT_S = 120.0
_BOOTSTRAP = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from runner.pool.child import main; main({limit})"
)


class Processes:
    """Some processes for pure functions; a context manager, at whose end no process is left."""

    def __init__(self, slots: int | None = None, limit_s: float | None = LIMIT_S) -> None:
        """Keep how many processes there may be, by default one less than there are cores, and the limit of a call."""
        self.slots = slots or max(1, min(4, (os.cpu_count() or 1) - 1))
        self._threads = ThreadPoolExecutor(self.slots, thread_name_prefix="worker")
        self._limit_s = limit_s
        self._idle: deque[_Worker] = deque()
        self._all: set[_Worker] = set()
        self._closed = False

    def submit(self, function: Callable[[*Ts], T], /, *arguments: *Ts) -> Future[T]:
        """Return what will be the result: see `Executor`."""
        return self._threads.submit(lambda: self._call(function, *arguments))

    def _call(self, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
        worker = self._free() or self._started()
        try:
            result = worker.ask(function, arguments)
        except WorkerError:
            self._all.discard(worker)
            raise
        self._idle.append(worker)
        if not isinstance(result, CallFailure):
            return cast("T", result)
        if result.bad_input:
            raise InputError(result.bad_input)
        raise RemoteError(result.trace)

    def _free(self) -> "_Worker | None":
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _started(self) -> "_Worker":
        worker = _Worker(self._limit_s)
        self._all.add(worker)
        if self._closed:
            worker.end()
        return worker

    def close(self) -> None:
        """End every process, also one that is at work."""
        self._closed = True
        for worker in tuple(self._all):
            worker.end()
        self._threads.shutdown(cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Worker:
    """One process; used by one thread at a time."""

    def __init__(self, limit_s: float | None) -> None:
        path = json.dumps([os.path.abspath(entry) for entry in sys.path])  # noqa: PTH100 - entries are strings
        self._limit_s = limit_s
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, with our own code
            # -P: nothing is imported from the current folder, in which `python -c` would look first.
            [sys.executable, "-P", "-c", _BOOTSTRAP.format(limit=limit_s), path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Signals of the terminal are for the main process.
            start_new_session=True,
        )

    def ask(self, function: Callable[..., object], arguments: tuple[object, ...]) -> object:
        """Return the result, or how the function failed. Raises WorkerError."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        expired = threading.Event()

        def expire() -> None:
            expired.set()
            process.kill()

        timer = threading.Timer(self._limit_s or 0, expire)
        timer.daemon = True
        if self._limit_s:
            timer.start()
        try:
            write_message(process.stdin, (function, arguments))
            return read_message(process.stdout)
        except (EOFError, OSError, ValueError):
            self.end()
            if expired.is_set():
                raise WorkerError(f"it took longer than {self._limit_s:g} s") from None
            raise WorkerError(f"its process ended with exit status {process.returncode}") from None
        finally:
            timer.cancel()

    def end(self) -> None:
        """Kill the process, if it is still there, and wait for its end."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                continue
