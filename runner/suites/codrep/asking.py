"""Asks a system for the line that was replaced, and scores its answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from parsers.blocks import Parser
from runner.pool.executor import Executor
from runner.records import Outcome, Result
from runner.run.engine import Lane
from runner.run.protocols import Ask, Attempt
from runner.run.resolve import Named
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.judging import judged
from runner.suites.codrep.plan import CodrepDetail
from runner.suites.codrep.predictors.systems import messages_of
from runner.suites.codrep.question import DETAILS, question
from runner.suites.codrep.showing import Shown
from runner.suites.codrep.windowing import Window, whole_window
from suts.sut import Message, Request, Sampling


@dataclass(frozen=True, slots=True)
class Codrep:
    """Attempts tasks with one system prompt and one parser; `windows` say by case what is shown of the file.

    Without windows the system is a predictor, which is asked for the case by its id and sees the whole file. Without a
    pool every answer is scored in this process.
    """

    system: str
    parser: Named[Parser]
    sampling: Sampling
    windows: Mapping[str, Window] | None = None
    pool: Executor | None = None

    async def attempt(self, case: CodrepCase, ask: Ask, number: int) -> Result:
        """Ask once and score the line that is named."""
        completion = await ask(self.request(case), number=number)
        scoring = await judged(self.pool, case.target, completion, self.parser, self.window(case))
        valid = scoring.valid or scoring.outcome is Outcome.CRASHED
        return Result(valid, (scoring,), completion.cost_usd)

    def window(self, case: CodrepCase) -> Window:
        """What is shown of a case's file."""
        return whole_window(case.lines) if self.windows is None else self.windows[case.case_id]

    def request(self, case: CodrepCase) -> Request:
        """The question, the same for every attempt at a case."""
        if self.windows is None:
            return Request("", messages_of(case))
        messages = (Message("user", question(case.task(), self.window(case))),)
        return Request(self.system, messages, self.sampling)


def attempts_of(detail: CodrepDetail, windows_by_case: Mapping[str, Shown], pool: Executor) -> Attempt:
    """How one attempt is made and scored; `windows_by_case` says by case what models are shown."""
    windows = {case_id: item.window for case_id, item in windows_by_case.items()}
    sampling = detail.options.sampling
    by_prompt = {
        prompt.name: Codrep(prompt.render(DETAILS), detail.parser, sampling, windows, pool) for prompt in detail.prompts
    }
    by_prompt[""] = Codrep("", detail.parser, sampling)
    cases = {case.case_id: case for case in detail.cases}

    async def attempt(lane: Lane, ask: Ask, number: int) -> Result:
        return await by_prompt[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt
