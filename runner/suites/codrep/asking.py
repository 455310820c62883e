"""Asks a system for the line that was replaced, and scores its answer."""

from collections.abc import Mapping
from dataclasses import dataclass

from parsers.blocks import Parser
from runner.records import Completion, Outcome, Result, Scoring
from runner.run.answer_scoring import SCORED_AT_ONCE, are_registered, bare_answer, crashed_scorings
from runner.run.engine import Lane
from runner.run.protocols import Ask, Attempt
from runner.run.resolve import Named
from runner.run.worker_pool import WorkerError, WorkerPool
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.plan import CodrepDetail
from runner.suites.codrep.predictors.systems import messages_of
from runner.suites.codrep.question import DETAILS, question
from runner.suites.codrep.score import judge, judge_by_name
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
    pool: WorkerPool | None = None

    async def attempt(self, case: CodrepCase, ask: Ask, number: int) -> Result:
        """Ask once and score the line that is named."""
        completion = await ask(self.request(case), number=number)
        scoring = await self.judged(case, completion)
        valid = scoring.valid or scoring.outcome is Outcome.CRASHED
        return Result(valid, (scoring,), completion.cost_usd)

    async def judged(self, case: CodrepCase, completion: Completion) -> Scoring:
        """Score an answer: in a worker process if the parser is a plug-in, which may take any time, or it is long."""
        parser, window = self.parser, self.window(case)
        at_once = are_registered(parser.name, ()) and len(completion.text) <= SCORED_AT_ONCE
        if self.pool is None or at_once:
            return judge(case.target, completion, parser, window)
        try:
            return await self.pool.run(judge_by_name, case.target, bare_answer(completion), parser.name, window)
        except WorkerError as error:
            (crashed,) = crashed_scorings(completion, parser.name, ("",), error)
            return crashed

    def window(self, case: CodrepCase) -> Window:
        """What is shown of a case's file."""
        return whole_window(case.lines) if self.windows is None else self.windows[case.case_id]

    def request(self, case: CodrepCase) -> Request:
        """The question, the same for every attempt at a case."""
        if self.windows is None:
            return Request("", messages_of(case))
        messages = (Message("user", question(case.task(), self.window(case))),)
        return Request(self.system, messages, self.sampling)


def attempts_of(detail: CodrepDetail, windows_by_case: Mapping[str, Shown], pool: WorkerPool) -> Attempt:
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
