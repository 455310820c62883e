"""Work on many items: in blocks, with the results in the order of the items, whatever computes them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import TypeVar

from runner.errors import InputError
from runner.pool.executor import Executor, WorkerError
from runner.pool.processes import Processes

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

# Items that a process is handed at a time.
CHUNK = 64
# Items under way for each slot: what is computed waits in memory until its turn.
_AHEAD = 4


def spread(
    items: Sequence[ItemT], work: Callable[[Sequence[ItemT]], list[ResultT]], jobs: int, chunk: int = CHUNK
) -> Iterator[ResultT]:
    """Yield the results of `work`, which must be picklable, for all items; the same for any number of `jobs`."""
    chunks = [items[at : at + chunk] for at in range(0, len(items), chunk)]
    if jobs == 1 or len(chunks) < 2:
        for items_of_chunk in chunks:
            yield from work(items_of_chunk)
        return
    with Processes(min(jobs, len(chunks)), limit_s=None) as pool:
        for results in in_order(pool, work, chunks):
            yield from results


def in_order(executor: Executor, work: Callable[[ItemT], ResultT], items: Iterable[ItemT]) -> Iterator[ResultT]:
    """Yield the result of `work` for each item, in their order; some are computed ahead.

    An item whose process ends is worked on once more. Raises InputError where that ends a process too, and whatever
    the executor raises.
    """
    under_way: deque[tuple[ItemT, Future[ResultT]]] = deque()
    try:
        for item in items:
            under_way.append((item, executor.submit(work, item)))
            if len(under_way) >= _AHEAD * executor.slots:
                yield _result(executor, work, *under_way[0])
                under_way.popleft()
        while under_way:
            yield _result(executor, work, *under_way[0])
            under_way.popleft()
    finally:
        for _, future in under_way:
            future.cancel()


def _result(executor: Executor, work: Callable[[ItemT], ResultT], item: ItemT, future: Future[ResultT]) -> ResultT:
    try:
        return future.result()
    except WorkerError:
        pass
    try:
        return executor.submit(work, item).result()
    except WorkerError as error:
        raise InputError(f"--jobs: two worker processes ended at the same work: {error}; give fewer jobs") from error
