"""Work on many items in one process or several, with the results in the order of the items."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from runner.suites.codrep.processes.workers import workers

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

# Items that a process is handed at a time.
CHUNK = 64


def spread(
    items: Sequence[ItemT], work: Callable[[Sequence[ItemT]], list[ResultT]], jobs: int, chunk: int = CHUNK
) -> Iterator[ResultT]:
    """Yield the results of `work`, which must be picklable, for all items; the same for any number of `jobs`."""
    chunks = [items[at : at + chunk] for at in range(0, len(items), chunk)]
    if jobs == 1 or len(chunks) < 2:
        for items_of_chunk in chunks:
            yield from work(items_of_chunk)
        return
    with workers(min(jobs, len(chunks))) as pool:
        for results in pool.map(work, chunks):
            yield from results
