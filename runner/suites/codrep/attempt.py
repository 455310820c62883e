"""Attempts CodRep tasks: what is shown and what predictors answer is computed first, for what is left to do."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runner.pool.processes import Processes
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Attempts, Prepared, Say
from runner.suites.codrep.asking import attempts_of
from runner.suites.codrep.plan import CodrepDetail
from runner.suites.codrep.precomputed import predictors_of, shown_of
from runner.suites.codrep.record import run_plan
from runner.suites.codrep.sim_truth import truth_of


@contextmanager
def attempt(plan: Plan[CodrepDetail], say: Say) -> Iterator[Prepared]:
    """How the attempts of a plan are made."""

    def begin(lanes: Sequence[Lane]) -> Attempts:
        windows = shown_of(plan, lanes, say)
        return Attempts(
            attempt=attempts_of(plan.detail, windows, pool),
            suts=[*predictors_of(plan, lanes, say), *plan.suts],
            parser=plan.detail.parser.impl,
            truth=truth_of(plan.detail.cases, plan.options.seed),
            run=run_plan(plan, windows),
        )

    with Processes(plan.options.jobs) as pool:
        yield Prepared(run_plan(plan, {}), begin)
