"""Models or coding agents: a run asks the ones or the others, which differ in plan, attempts and replay."""

from contextlib import AbstractContextManager

from runner.run.plan import Plan
from runner.run.suite import Prepared, ReplayOptions, Rescoring, Say
from runner.storage.store import Row, Store
from runner.suites.diff_edit import attempt as models_attempt
from runner.suites.diff_edit import plan as models_plan
from runner.suites.diff_edit import replay as models_replay
from runner.suites.diff_edit.agent_attempt import agent_attempt
from runner.suites.diff_edit.agent_plan import agent_plan, names_agents
from runner.suites.diff_edit.agent_replay import agent_replay, of_agents
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.options import DiffOptions


def plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    return agent_plan(options, say) if names_agents(options) else models_plan.plan(options, say)


def attempt(plan: Plan[DiffDetail], say: Say) -> AbstractContextManager[Prepared]:
    """How the attempts of a plan are made."""
    return agent_attempt(plan) if plan.detail.agents else models_attempt.attempt(plan, say)


def replay(store: Store, source: Row, options: ReplayOptions, say: Say) -> AbstractContextManager[Rescoring]:
    """How the answers of `source` are scored. Raises InputError."""
    if of_agents(store, source):
        return agent_replay(store, source, options)
    return models_replay.replay(store, source, options, say)
