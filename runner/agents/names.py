"""The names of coding agents as systems under test."""

from collections.abc import Sequence

from runner.errors import InputError

COMMAND, ACP, CLAUDE, CLAUDE_SDK = "agent:", "acp:", "claude-code/", "claude-sdk/"


def is_agent(name: str) -> bool:
    """Return whether a system of this name is a coding agent."""
    return name.startswith((COMMAND, ACP, CLAUDE, CLAUDE_SDK))


def all_agents(names: Sequence[str]) -> bool:
    """Return whether the systems of a run are agents. Raises InputError where only some are."""
    agents = [name for name in names if is_agent(name)]
    if agents and len(agents) < len(names):
        raise InputError(
            f"--model-ids: {agents[0]} is an agent, which has a run without models; compare the runs by `evals compare`"
        )
    return bool(agents)
