"""Work on many things in one process or several, with the results in the order of the things."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from runner.suites.codrep.processes.workers import workers

Thing = TypeVar("Thing")
Made = TypeVar("Made")

# Things that a process is handed at a time.
CHUNK = 64


def spread(
    things: Sequence[Thing], work: Callable[[Sequence[Thing]], list[Made]], jobs: int, chunk: int = CHUNK
) -> Iterator[Made]:
    """What `work`, which must be picklable, makes of all things; the same for any number of `jobs`."""
    chunks = [things[at : at + chunk] for at in range(0, len(things), chunk)]
    if jobs == 1 or len(chunks) < 2:
        for one in chunks:
            yield from work(one)
        return
    with workers(min(jobs, len(chunks))) as pool:
        for made in pool.map(work, chunks):
            yield from made
