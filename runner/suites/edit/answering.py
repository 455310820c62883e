"""Asks for the edit of a problem, and has each file that an answer makes judged by the problem's test."""

from dataclasses import dataclass

from runner.records import Outcome, Result, Scoring
from runner.run.diff_scoring import prepare_scoring
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.protocols import Ask, Attempt
from runner.suites.edit.answer_form import DETAILS, AnswerForm, edited_file
from runner.suites.edit.judging import EditJudging
from runner.suites.edit.plan import EditDetail
from runner.suites.edit.problems import EditProblem
from runner.suites.edit.question import question, task
from runner.suites.edit.score import judged, makes_file
from suts.agent_parts import WorkingFolder
from suts.sut import Message, Request, Sampling

# Nothing is known of these answers, but they are answers: they are not asked for again.
_ANSWERED = frozenset({Outcome.CRASHED, Outcome.INFRA})


@dataclass(frozen=True, slots=True)
class EditAttempts:
    """Attempts problems with one prompt, in the form that it asks for."""

    form: AnswerForm
    sampling: Sampling
    bench: EditJudging

    async def attempt(self, case: EditProblem, ask: Ask, number: int) -> Result:
        """Ask once; judge what each reading of the answer makes of the file."""
        completion = await ask(self.request(case, number), number=number)
        read = await self.form.scorings(case, completion, self.bench.pool)
        scorings = [await self._judged(case, scoring) for scoring in read]
        valid = any(scoring.valid or scoring.outcome in _ANSWERED for scoring in scorings)
        return Result(valid, tuple(scorings), completion.cost_usd)

    def request(self, case: EditProblem, number: int) -> Request:
        """The question, the same for every attempt at a case; for a coding agent with the folder that it works in."""
        system, wording = self.form.prompt.render(DETAILS), self.form.wording
        if not self.form.folder:
            return Request(system, (Message("user", question(case, wording)),), self.sampling)
        folder = WorkingFolder({case.path: case.origin}, case.case_id, number)
        return Request(system, (Message("user", task(case, wording)),), self.sampling, folder=folder)

    async def _judged(self, case: EditProblem, scoring: Scoring) -> Scoring:
        """The scoring with the test's verdict, where there is a file to judge."""
        if not makes_file(scoring) or scoring.edited is None:
            return scoring
        verdict = await self.bench.verdict(case, scoring.edited)
        return judged(scoring, verdict, case.script(scoring.edited).key)


def attempts_of(plan: Plan[EditDetail], bench: EditJudging) -> Attempt:
    """How one attempt of the plan is made and judged; loads what scoring takes."""
    prepare_scoring([edited_file(problem) for problem in plan.detail.problems])
    suites = {form.prompt.name: EditAttempts(form, plan.options.sampling, bench) for form in plan.detail.forms}
    problems = {problem.case_id: problem for problem in plan.detail.problems}

    async def attempt_lane(lane: Lane, ask: Ask, number: int) -> Result:
        return await suites[lane.key.prompt].attempt(problems[lane.key.case_id], ask, number)

    return attempt_lane
