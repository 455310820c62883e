"""Asks about one task, puts the answer into the hole by each chain, and has it judged and measured."""

from dataclasses import dataclass

from runner.records import Result
from runner.run.protocols import Ask
from runner.suites.completion.chains import Around, Chain
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.forms import Form
from runner.suites.completion.judging import Judging
from runner.suites.completion.plan import CompletionCase
from runner.suites.completion.score import scorings_of
from suts.sut import Request, Sampling


@dataclass(frozen=True, slots=True)
class Answering:
    """Attempts the tasks of a data set in one form."""

    dataset: Dataset
    form: Form
    chains: tuple[Chain, ...]
    sampling: Sampling
    judging: Judging

    async def attempt(self, case: CompletionCase, ask: Ask, number: int) -> Result:
        """Ask once; every answer counts, an empty one too."""
        completion = await ask(self.request(case), number=number)
        judged = await self.judging.answer(case.task, completion.text, self.chains, self.around(case.task))
        scorings = scorings_of(case.task, judged, completion.answer_id, cut=case.seen[self.form.name].cut)
        return Result(valid=True, scorings=scorings, cost_usd=completion.cost_usd)

    def around(self, task: Task) -> Around:
        """What the chains know of a task's place."""
        prefix, suffix = self.dataset.prefix(task), self.dataset.suffix(task)
        return Around(prefix, suffix, self.form.stops, fenced=not self.form.raw)

    def request(self, case: CompletionCase) -> Request:
        """The question, the same for every attempt at a case."""
        return self.form.request(case.seen[self.form.name], self.sampling)
