"""Worker processes that end when the main process ends."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from types import FrameType
from typing import NoReturn

_SAFE_PATH = "PYTHONSAFEPATH"


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """A pool of `count` new processes, which share nothing with this one and never outlive it.

    Until they are done, SIGTERM ends this process by SystemExit, so that their resources are released; a handler
    that is already there stays.
    """
    with (
        _without_current_folder(),
        ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool,
    ):
        # This starts them all: a pool that is interrupted while it starts them would wait for them without end.
        pool.submit(int)
        with _ending_tidily():
            yield pool


@contextmanager
def _without_current_folder() -> Iterator[None]:
    """Have new processes import nothing from the current folder, in which `python -c` would look first.

    They are started by such a command, and get the path of this process only after their first imports.
    """
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        os.environ.pop(_SAFE_PATH)
        if before is not None:
            os.environ[_SAFE_PATH] = before


@contextmanager
def _ending_tidily() -> Iterator[None]:
    main = threading.current_thread() is threading.main_thread()
    if not main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, _end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """End with the exit code that shells give to a process that a signal ended."""
    sys.exit(128 + number)


def _end_with_parent() -> None:
    """End this worker when its parent is gone: a parent that is killed cannot stop its workers."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
