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
from runner.suites.diff_edit.recovery.asking import Extend, Recovery
from runner.suites.diff_edit.recovery.conversation import in_product_text, in_text, natively
from runner.suites.diff_edit.recovery.refusals import Reply, replying
from runner.suites.diff_edit.tool_scoring import scoring_with
from runner.suites.diff_edit.tools import declared_by, messages_for
from suts.sut import Message, Request, Sampling
from suts.tools import Tool


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Attempts cases with one prompt; every answer is scored by one parser and any number of algorithms.

    `requests` are the questions that were written so far, by case; `history` gives the conversation in the form of
    the edit tool, `tools` are what is declared of it; `recovery` is how an attempt goes on after a refused edit.
    """

    prompt: Prompt
    sampling: Sampling
    scoring: ScoresAnswers
    native: bool = False
    requests: dict[str, Request] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    history: Callable[[DiffEditCase], tuple[Message, ...]] = attrgetter("messages")
    recovery: Recovery | None = None

    async def attempt(self, case: DiffEditCase, ask: Ask, number: int) -> Result:
        """Ask, score with every algorithm, and ask on after a refusal if the run does so."""
        completion = await ask(self.request(case), number=number)
        scorings, cost = await self.scoring.scorings(case, completion), completion.cost_usd
        valid = any(scoring.valid or scoring.outcome is Outcome.CRASHED for scoring in scorings)
        if self.recovery is not None:
            first = (self.request(case), completion)
            scorings, cost = await self.recovery.follow(case, ask, number, first, scorings)
        return Result(valid, scorings, cost)

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
        prompt.name: DiffEdit(
            prompt, sampling, native, native=True, recovery=_recovery(detail, native, replying(None), natively)
        )
        if prompt.name in detail.native_parsers
        else DiffEdit(prompt, sampling, scoring, recovery=_recovery(detail, scoring, replying(None), in_product_text))
        for prompt in detail.prompts
    }
    for tool, prompt in zip(detail.choice.tools.values(), detail.choice.prompts, strict=True):
        own = scoring_with(tool, scoring)
        prompts[prompt.name] = DiffEdit(
            prompt,
            sampling,
            own,
            tools=declared_by(tool),
            history=partial(messages_for, tool=tool),
            recovery=_recovery(detail, own, replying(tool), natively if tool.is_native else in_text),
        )
    return prompts


def _recovery(detail: DiffDetail, scoring: ScoresAnswers, reply: Reply, extend: Extend) -> Recovery | None:
    return Recovery(detail.recover, scoring, reply, extend) if detail.recover else None
