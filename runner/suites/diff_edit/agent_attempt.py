"""Opens what the attempts of coding agents take."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from runner.run.diff_scoring import prepare_scoring
from runner.run.engine import Lane
from runner.run.plan import Plan
from runner.run.suite import Attempts, Prepared
from runner.suites.diff_edit.agent_attempts import agent_attempts
from runner.suites.diff_edit.detail import DiffDetail


@contextmanager
def agent_attempt(plan: Plan[DiffDetail]) -> Iterator[Prepared]:
    """How the attempts of a plan of agents are made."""

    def begin(_lanes: Sequence[Lane]) -> Attempts:
        prepare_scoring(plan.detail.cases)
        return Attempts(agent_attempts(plan.detail.cases, plan.options.sampling), plan.suts)

    yield Prepared(plan.detail.run, begin)
