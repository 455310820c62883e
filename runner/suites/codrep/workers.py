"""Processes that work on tasks beside ours, and end when it ends."""

import os
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process


def workers(count: int) -> ProcessPoolExecutor:
    """So many new processes; they share nothing with this one and outlive it in no case."""
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_end_with_parent)


def _end_with_parent() -> None:
    """End this worker when its parent is gone: one that is killed can tell its workers nothing."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
