"""Attempts problems: a file is asked for as an instruction says, and judged by the problem's test."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runner.errors import InputFindingsError
from runner.execution.script_judge import ScriptJudge
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Attempts, Prepared, Say
from runner.suites.edit.answering import attempts_of
from runner.suites.edit.check import prove
from runner.suites.edit.judging import judge_of
from runner.suites.edit.judging_slots import judging_with
from runner.suites.edit.options import EditOptions
from runner.suites.edit.plan import EditDetail
from runner.suites.edit.sim_truth import imagined_of, reference_truth_of, truth_of


@contextmanager
def attempt(plan: Plan[EditDetail], _say: Say) -> Iterator[Prepared]:
    """Prove the problems, then make the attempts. Raises InputFindingsError with a line per wrong problem."""
    assert isinstance(plan.options, EditOptions)
    with judged_by(judge_of(plan.options, plan.detail.commands), plan) as prepared:
        yield prepared


@contextmanager
def judged_by(judge: ScriptJudge, plan: Plan[EditDetail]) -> Iterator[Prepared]:
    """Do the same with an open judge, which remembers its verdicts of earlier runs."""
    options, detail = plan.options, plan.detail
    assert isinstance(options, EditOptions)
    if findings := prove(detail.problems, judge, options.jobs):
        raise InputFindingsError(findings)
    with judging_with(judge, options.jobs) as bench:

        def begin(_lanes: Sequence[Lane]) -> Attempts:
            simulated = any(sut.endpoint.simulated for sut in plan.suts)
            texts = imagined_of(detail.problems, judge, bench.executor) if simulated else {}
            return Attempts(
                attempt=attempts_of(plan, bench),
                suts=plan.suts,
                parser=None if plan.detail.forms[0].folder else detail.parser,
                truth=reference_truth_of(detail.problems, options.seed)
                if plan.detail.forms[0].folder
                else truth_of(detail.problems, detail.forms, texts, options.seed),
                # Answers that wait for their verdict must not keep others from being asked.
                waiting=2 * options.jobs,
            )

        yield Prepared(detail.run, begin)
