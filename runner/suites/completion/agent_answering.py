"""Has coding agents fill holes, each in a folder that holds the repository with a mark in the hole."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from runner.records import Result
from runner.run.protocols import Ask
from runner.suites.completion.agent_filling import Unfilled, filling_of
from runner.suites.completion.agent_project import AgentProject
from runner.suites.completion.agent_scoring import unfilled_scorings, with_attempt
from runner.suites.completion.chains import Around, Chain
from runner.suites.completion.forms import AgentForm
from runner.suites.completion.judging import Judging
from runner.suites.completion.plan import CompletionCase
from runner.suites.completion.score import scorings_of
from suts.sut import Request, Sampling


@dataclass(frozen=True, slots=True)
class AgentAnswering:
    """Attempts the tasks of a data set by agents; `projects` are by the names that tasks have."""

    form: AgentForm
    chains: tuple[Chain, ...]
    sampling: Sampling
    judging: Judging
    projects: Mapping[str, AgentProject]

    async def attempt(self, case: CompletionCase, ask: Ask, number: int) -> Result:
        """Ask once; valid where the file was changed, and no other."""
        task, seen = case.task, case.seen[self.form.name]
        completion = await ask(self.request(case, number), number=number)
        answer = completion.text
        filling = await self.judging.aside(lambda: filling_of(answer, seen.path, seen.before, seen.behind))
        if isinstance(filling, Unfilled):
            scorings = unfilled_scorings(task, filling, self.chains, answer, completion.answer_id)
        else:
            around = Around(seen.before, seen.behind, fenced=False)
            judged = await self.judging.answer(task, filling, self.chains, around)
            scorings = with_attempt(scorings_of(task, judged, completion.answer_id), answer)
        return Result(scorings[0].outcome.valid, scorings, completion.cost_usd)

    def request(self, case: CompletionCase, number: int) -> Request:
        """The task, with the folder that the agent works in."""
        seen = case.seen[self.form.name]
        folder = self.projects[case.task.repo].folder(seen, case.case_id, number)
        return replace(self.form.request(seen, self.sampling), folder=folder)
