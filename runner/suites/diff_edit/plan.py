"""What a diff-edit run is to do: of models, or of coding agents."""

from runner.run.plan import Plan
from runner.run.suite import Say
from runner.suites.diff_edit.agent_plan import agent_plan, names_agents
from runner.suites.diff_edit.detail import DiffDetail
from runner.suites.diff_edit.model_plan import model_plan
from runner.suites.diff_edit.options import DiffOptions


def plan(options: DiffOptions, say: Say) -> Plan[DiffDetail]:
    """Check and resolve everything before anything is written or sent. Raises InputError."""
    return agent_plan(options, say) if names_agents(options) else model_plan(options, say)
