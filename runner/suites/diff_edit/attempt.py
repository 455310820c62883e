"""Opens what the attempts of a diff-edit run take: those of models, or of coding agents."""

from contextlib import AbstractContextManager

from runner.run.plan import Plan
from runner.run.suite import Prepared, Say
from runner.suites.diff_edit.agent_attempt import agent_attempt
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.model_attempt import model_attempt


def attempt(plan: Plan[DiffDetail], _say: Say) -> AbstractContextManager[Prepared]:
    """How the attempts of a plan are made."""
    return agent_attempt(plan) if plan.detail.agents else model_attempt(plan)
