"""The judge beside the event loop: verdicts in threads of their own, so many at once, and each question once."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

from runner.execution.verdicts import JudgeTask, Verdict
from runner.pool.executor import computed
from runner.pool.threads import Threads
from runner.suites.completion.chains import Around, Chain, taken
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.measures import FillingMeasures, measure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JudgedFilling:
    """A filling, what its tests say (None for a task without tests), and how near it is to the truth.

    `key` is that of the question to the judge, "" where none was asked.
    """

    filling: str
    verdict: Verdict | None
    measures: FillingMeasures
    key: str = ""


class Arbiter(Protocol):
    """Who answers questions, in any number of threads; `tree` is the digest of what they are about."""

    @property
    def tree(self) -> str:
        """The digest of the repository."""
        ...

    def judge(self, question: JudgeTask) -> Verdict:
        """The verdict."""
        ...


class Judging:
    """Judges fillings for attempts that wait; a context manager, whose end waits for the verdicts under way."""

    def __init__(self, judges: Mapping[str, Arbiter], dataset: Dataset, workers: int) -> None:
        """Take the judge of each repository by the name that tasks have; so many `workers` run tests at once."""
        self._judges = judges
        self._dataset = dataset
        self._pool = Threads(workers, "judge")
        self._under_way: dict[str, asyncio.Future[Verdict]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self._pool.close()

    async def answer(
        self, task: Task, text: str, chains: tuple[Chain, ...], around: Around
    ) -> dict[str, JudgedFilling]:
        """By chain what an answer is worth; chains that make the same filling of it share one verdict."""
        fillings = await self.aside(lambda: {chain.name: taken(chain, text, around) for chain in chains})
        distinct = list(dict.fromkeys(fillings.values()))
        judged = dict(
            zip(distinct, await asyncio.gather(*(self._verdict(task, filling) for filling in distinct)), strict=True)
        )
        return {name: judged[filling] for name, filling in fillings.items()}

    async def _verdict(self, task: Task, filling: str) -> JudgedFilling:
        if not task.tests:
            return JudgedFilling(filling, None, await self.aside(lambda: measure(self._dataset, task, filling)))
        judge, task_to_judge = self._judges[task.repo], question(self._dataset, task, filling)
        key = task_to_judge.key(judge.tree)
        if key not in self._under_way:
            under_way = asyncio.ensure_future(self.aside(lambda: judge.judge(task_to_judge)))
            self._under_way[key] = under_way
            under_way.add_done_callback(lambda _done: self._under_way.pop(key, None))
        # One attempt's end is no reason to take the verdict from another that waits for it too.
        verdict = await asyncio.shield(self._under_way[key])
        return JudgedFilling(filling, verdict, await self.aside(lambda: measure(self._dataset, task, filling)), key)

    async def aside(self, work: Callable[[], T]) -> T:
        """Do work beside the event loop."""
        return await computed(self._pool, work)


def question(dataset: Dataset, task: Task, filling: str) -> JudgeTask:
    """What the judge is asked about a filling."""
    return JudgeTask(task.file, dataset.assembled(task, filling), task.tests, task.seconds)
