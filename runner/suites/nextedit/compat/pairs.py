"""Several systems over several commits: so many replays at once, each in a tree of its own."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from runner.suites.nextedit.sources import Ready
from runner.suites.nextedit.systems import System

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair:
    """A commit for a system."""

    ready: Ready
    name: str
    system: System


def pairs_of(commits: Sequence[Ready], systems: Mapping[str, System]) -> list[Pair]:
    """Every commit with every system, commit by commit."""
    return [Pair(ready, name, system) for ready in commits for name, system in systems.items()]


async def run_all(pairs: Sequence[Pair], jobs: int, run_pair: Callable[[Pair], Awaitable[T]]) -> list[T]:
    """What `run_pair` makes of every pair, at most `jobs` at once; in the order of the pairs."""
    slots = asyncio.Semaphore(jobs)

    async def run(pair: Pair) -> T:
        async with slots:
            return await run_pair(pair)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(pair)) for pair in pairs]
    return [task.result() for task in tasks]
