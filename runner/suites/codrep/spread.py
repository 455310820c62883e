"""Work on many cases in one process or several, with the results in the order of the cases."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.workers import workers

T = TypeVar("T")
Work = Callable[[Sequence[CodrepCase]], list[T]]

# Cases that a process is handed at a time.
CHUNK = 64


def spread(cases: Sequence[CodrepCase], work: Work[T], jobs: int) -> list[T]:
    """What `work`, which must be picklable, makes of all cases; the same for any number of `jobs`."""
    chunks = [cases[at : at + CHUNK] for at in range(0, len(cases), CHUNK)]
    if jobs == 1 or len(chunks) < 2:
        return [made for chunk in chunks for made in work(chunk)]
    with workers(min(jobs, len(chunks))) as pool:
        return [made for found in pool.map(work, chunks) for made in found]
