"""Attempts diff-edit cases: one question per attempt, the answer's diff applied to the case's file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from operator import attrgetter

from prompts import Prompt
from runner.records import Outcome, Result
from runner.run.answer_scoring import AnswerScoring
from runner.run.diff_scoring import Scorer, prepare_scoring, score_answer
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, Attempt
from runner.run.suite import Attempts, Prepared, Say
from runner.run.worker_pool import WorkerPool
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.native_tools import native_request
from runner.suites.diff_edit.plan import DiffDetail
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tools import histories_for, scoring_with
from suts.sut import Message, Request, Sampling


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """Attempts cases with one prompt; every answer is scored by one parser and any number of algorithms.

    `systems` are the system prompts that were filled so far, by case; `history` gives the conversation in the
    form of the edit tool.
    """

    prompt: Prompt
    sampling: Sampling
    scoring: AnswerScoring
    native: bool = False
    systems: dict[str, str] = field(default_factory=dict)
    history: Callable[[DiffEditCase], tuple[Message, ...]] = attrgetter("messages")

    async def attempt(self, case: DiffEditCase, ask: Ask, number: int) -> Result:
        """Ask once, score with every algorithm."""
        completion = await ask(self.request(case), number=number)
        scorings = await self.scoring.scorings(case, completion)
        valid = any(scoring.valid or scoring.outcome is Outcome.CRASHED for scoring in scorings)
        return Result(valid, scorings, completion.cost_usd)

    def request(self, case: DiffEditCase) -> Request:
        """The question, the same for every attempt at a case."""
        system = self.systems.get(case.case_id)
        if system is None:
            system = self.systems[case.case_id] = self.prompt.render(case.details)
        if self.native:
            return native_request(system, case.messages, self.sampling)
        return Request(system=system, messages=self.history(case), sampling=self.sampling)


@contextmanager
def attempt(plan: Plan[DiffDetail], _say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made."""
    with WorkerPool() as pool:

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            detail = plan.detail
            is_simulated = any(sut.endpoint.simulated for sut in plan.suts)
            truth = truth_of(detail.cases, plan.options.seed, detail.choice if is_simulated else None)
            scoring = scoring_of(detail, pool=pool)
            attempt_lane = attempts_of(detail, plan.options.sampling, scoring)
            parsers = {**detail.native_parsers, **detail.choice.parsers}
            return Attempts(attempt_lane, plan.suts, detail.parser.impl, parsers, truth)

        yield Prepared(plan.detail.run, begin)


def scoring_of(detail: DiffDetail, score: Scorer = score_answer, pool: WorkerPool | None = None) -> AnswerScoring:
    """How the answers of a run are scored; without a pool all in this process."""
    return AnswerScoring(detail.parser, detail.algorithms, detail.validity, pool, score)


def attempts_of(detail: DiffDetail, sampling: Sampling, scoring: AnswerScoring) -> Attempt:
    """How one attempt is made and scored; loads what scoring takes."""
    prepare_scoring(detail.cases)
    native = replace(scoring, parser=detail.native)
    prompts = {
        prompt.name: DiffEdit(prompt, sampling, native, native=True)
        if prompt.name in detail.native_parsers
        else DiffEdit(prompt, sampling, scoring)
        for prompt in detail.prompts
    }
    for tool, prompt in zip(detail.choice.tools.values(), detail.choice.prompts, strict=True):
        prompts[prompt.name] = DiffEdit(prompt, sampling, scoring_with(tool, scoring), history=histories_for(tool))
    cases = {case.case_id: case for case in detail.cases}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        return await prompts[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt_lane
