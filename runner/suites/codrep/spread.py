"""Work on many cases in one process or several, with the results in the order of the cases."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from typing import TypeVar

from runner.suites.codrep.cases import CodrepCase

T = TypeVar("T")
Work = Callable[[Sequence[CodrepCase]], list[T]]

# Cases that a process is handed at a time.
CHUNK = 64


def spread(cases: Sequence[CodrepCase], work: Work[T], jobs: int) -> list[T]:
    """What `work`, which must be picklable, makes of all cases; the same for any number of `jobs`."""
    chunks = [cases[at : at + CHUNK] for at in range(0, len(cases), CHUNK)]
    if jobs == 1 or len(chunks) < 2:
        return [made for chunk in chunks for made in work(chunk)]
    workers, context = min(jobs, len(chunks)), get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent) as pool:
        return [made for found in pool.map(work, chunks) for made in found]


def _end_with_parent() -> None:
    """End this worker when its parent is gone: one that is killed can tell its workers nothing."""
    parent = parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
