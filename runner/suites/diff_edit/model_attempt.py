"""Attempts diff-edit cases: one question per attempt, the answer's diff applied to the case's file."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from runner.pool.processes import Processes
from runner.records import Result
from runner.run.answer_scoring import AnswerScoring
from runner.run.diff_scoring import Scorer, prepare_scoring, score_answer
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, Attempt
from runner.run.suite import Attempts, Prepared
from runner.suites.diff_edit.asked_prompts import asked_prompts
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.sim_truth import truth_of
from runner.suites.diff_edit.tools import ToolChoice
from suts.sut import Sampling


@contextmanager
def model_attempt(plan: Plan[DiffDetail]) -> Iterator[Prepared]:
    """How the attempts of a plan are made."""
    with Processes(plan.options.jobs) as pool, closing_tools(plan.detail.choice):

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            detail = plan.detail
            is_simulated = any(sut.endpoint.simulated for sut in plan.suts)
            truth = truth_of(detail.cases, plan.options.seed, detail.choice if is_simulated else None)
            scoring = replace(scoring_of(detail), pool=pool)
            attempt_lane = attempts_of(detail, plan.options.sampling, scoring)
            parsers = {**detail.native_parsers, **detail.choice.parsers}
            return Attempts(attempt_lane, plan.suts, detail.parser.impl, parsers, truth)

        yield Prepared(plan.detail.run, begin)


@contextmanager
def closing_tools(choice: ToolChoice) -> Iterator[None]:
    """End the processes of foreign tools at the end."""
    try:
        yield
    finally:
        choice.rest()


def scoring_of(detail: DiffDetail, score: Scorer = score_answer) -> AnswerScoring:
    """How the answers of a run are scored: all in this process."""
    return AnswerScoring(detail.parser, detail.algorithms, detail.validity, score=score)


def attempts_of(detail: DiffDetail, sampling: Sampling, scoring: AnswerScoring) -> Attempt:
    """How one attempt is made and scored; loads what scoring takes."""
    prepare_scoring(detail.cases)
    prompts = asked_prompts(detail, sampling, scoring)
    cases = {case.case_id: case for case in detail.cases}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        return await prompts[lane.key.prompt].attempt(cases[lane.key.case_id], ask, number)

    return attempt_lane
