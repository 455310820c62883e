"""How the prompts of a run ask: the text of each question, and how the answers to it are scored."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from operator import attrgetter

from prompts import Prompt
from runner.records import Outcome, Result
from runner.run.answer_scoring import AnswerScoring
from runner.run.protocols import Ask
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.foreign_scoring import ScoresAnswers
from runner.suites.diff_edit.native_tools import native_request
from runner.suites.diff_edit.tool_scoring import scoring_with
from runner.suites.diff_edit.tools import declared_by, messages_for
from suts.sut import Message, Request, Sampling
from suts.tools import Tool


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Attempts cases with one prompt; every answer is scored by one parser and any number of algorithms.

    `requests` are the questions that were written so far, by case; `history` gives the conversation in the form of
    the edit tool, `tools` are what is declared of it.
    """

    prompt: Prompt
    sampling: Sampling
    scoring: ScoresAnswers
    native: bool = False
    requests: dict[str, Request] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    history: Callable[[DiffEditCase], tuple[Message, ...]] = attrgetter("messages")

    async def attempt(self, case: DiffEditCase, ask: Ask, number: int) -> Result:
        """Ask once, score with every algorithm."""
        completion = await ask(self.request(case), number=number)
        scorings = await self.scoring.scorings(case, completion)
        valid = any(scoring.valid or scoring.outcome is Outcome.CRASHED for scoring in scorings)
        return Result(valid, scorings, completion.cost_usd)

    def request(self, case: DiffEditCase) -> Request:
        """The question, written once and the same for every attempt at a case."""
        request = self.requests.get(case.case_id)
        if request is None:
            request = self.requests[case.case_id] = self._written(case)
        return request

    def _written(self, case: DiffEditCase) -> Request:
        system = self.prompt.render(case.details)
        if self.native:
            return native_request(system, case.messages, self.sampling)
        return Request(system=system, messages=self.history(case), sampling=self.sampling, tools=self.tools)


def asked_prompts(detail: DiffDetail, sampling: Sampling, scoring: AnswerScoring) -> dict[str, DiffEdit]:
    """Return what attempts cases with each prompt: those in the text, those for native calls, those of edit tools."""
    native = replace(scoring, parser=detail.native)
    prompts = {
        prompt.name: DiffEdit(prompt, sampling, native, native=True)
        if prompt.name in detail.native_parsers
        else DiffEdit(prompt, sampling, scoring)
        for prompt in detail.prompts
    }
    for tool, prompt in zip(detail.choice.tools.values(), detail.choice.prompts, strict=True):
        prompts[prompt.name] = DiffEdit(
            prompt,
            sampling,
            scoring_with(tool, scoring),
            tools=declared_by(tool),
            history=partial(messages_for, tool=tool),
        )
    return prompts
