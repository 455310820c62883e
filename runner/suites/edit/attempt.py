"""The edit suite: a file is asked for as an instruction says, and judged by the problem's test."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from pathlib import Path

from runner.errors import InputError
from runner.execution import verdicts
from runner.execution.script_judge import Judge
from runner.execution.verdicts import Verdict, why
from runner.records import Outcome, Result, Scoring
from runner.run.protocols import Ask
from runner.storage.rows import to_json
from runner.suites.edit.problems import EditProblem, read_problems
from runner.suites.edit.question import question
from runner.suites.edit.score import DETAILS, Form
from runner.suites.edit.sim_truth import Imagined, imagine
from suts.sut import Message, Request, Sampling, Truth

SUITE = "edit"
# Nothing is known of these answers, but they are answers: they are not asked for again.
_GIVEN = frozenset({Outcome.CRASHED, Outcome.INFRA})


@dataclass(frozen=True, slots=True)
class Bench:
    """Where answers are judged: the judge, the threads that wait for it, and what simulated models are told."""

    judge: Judge
    executor: Executor
    imagined: dict[str, "asyncio.Future[Imagined]"] = field(default_factory=dict)

    async def verdict(self, problem: EditProblem, program: str) -> Verdict:
        """The verdict on an answer."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.executor, self.judge.judge, problem.script(program))

    async def imagine(self, problem: EditProblem) -> Imagined:
        """Right and wrong answers, found out once for each problem."""
        if problem.case_id not in self.imagined:
            loop = asyncio.get_running_loop()
            self.imagined[problem.case_id] = loop.run_in_executor(self.executor, imagine, problem, self.judge)
        return await asyncio.shield(self.imagined[problem.case_id])


@dataclass(frozen=True, slots=True)
class Edit:
    """Attempts problems with one prompt, in the form that it asks for; `simulated` where some model is."""

    form: Form
    sampling: Sampling
    bench: Bench
    simulated: bool = False
    name: str = SUITE

    def load(self, source: Path) -> Iterator[EditProblem]:
        """The problems of a file. Raises InputError with the first line that is wrong."""
        problems, findings = read_problems(source)
        if findings:
            raise InputError(findings[0])
        yield from problems

    async def attempt(self, case: EditProblem, ask: Ask, number: int) -> Result:
        """Ask once; judge what each reading of the answer makes of the file."""
        truth = await self._truth(case, number) if self.simulated else None
        completion = await ask(self.request(case, truth), number=number)
        scorings = [await self._judged(case, one) for one in self.form.read(case, completion)]
        valid = any(one.valid or one.outcome in _GIVEN for one in scorings)
        return Result(valid, tuple(scorings), completion.cost_usd)

    def request(self, case: EditProblem, truth: Truth | None = None) -> Request:
        """The question; the truth in it reaches simulated models only."""
        system = self.form.prompt.render(DETAILS)
        return Request(system, (Message("user", question(case)),), self.sampling, truth)

    async def _truth(self, case: EditProblem, number: int) -> Truth:
        imagined = await self.bench.imagine(case)
        return imagined.truth(case, number, self.sampling.seed or 0, whole=self.form.whole)

    async def _judged(self, case: EditProblem, scoring: Scoring) -> Scoring:
        """The scoring with the test's verdict, where there is a file to judge."""
        if scoring.outcome is not Outcome.APPLIED or scoring.edited is None:
            return scoring
        verdict = await self.bench.verdict(case, scoring.edited)
        detail = to_json(detail_of(verdict))
        if verdict.outcome is verdicts.Outcome.INFRA:
            told = f"the test could not be run: {verdict.log.strip() or 'no reason was given'}"
            return replace(scoring, outcome=Outcome.INFRA, valid=False, error_text=told, detail=detail)
        if verdict.outcome is verdicts.Outcome.PASS:
            return replace(scoring, outcome=Outcome.SOLVED, detail=detail)
        told = f"{verdict.outcome}: {why(verdict)}"
        return replace(scoring, outcome=Outcome.UNSOLVED, error_text=told, detail=detail)


def detail_of(verdict: Verdict) -> dict[str, object]:
    """What is kept of a verdict: what was printed only where something went wrong."""
    passed = verdict.outcome is verdicts.Outcome.PASS
    told = {} if passed else {"why": verdict.failing, "log": verdict.log}
    return {"verdict": str(verdict.outcome), "seconds": verdict.seconds, **told}
