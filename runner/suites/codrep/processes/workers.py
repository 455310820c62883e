"""Processes that work on tasks beside ours, and end when it ends."""

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


@contextmanager
def workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """So many new processes; they share nothing with this one and outlive it in no case.

    Until they are done, SIGTERM ends this process, unless it is handled otherwise already, by SystemExit: so that
    what they were started with is given back.
    """
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_end_with_parent) as pool:
        # This starts them all: a pool that is interrupted while it starts them would wait for them without end.
        pool.submit(int)
        with _ending_tidily():
            yield pool


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
    """End as a shell tells of a process that a signal ended."""
    sys.exit(128 + number)


def _end_with_parent() -> None:
    """End this worker when its parent is gone: one that is killed can tell its workers nothing."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
