"""The names of coding agents as systems under test."""

import re
from collections.abc import Sequence

from runner.errors import InputError

COMMAND, ACP, CLAUDE, CLAUDE_SDK = "agent:", "acp:", "claude-code/", "claude-sdk/"


# A comma within quotes belongs to a command, as for a shell.
_PART = re.compile(r"""(?:[^,'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*"|['"\\])+""", re.DOTALL)


def split_commands(text: str) -> list[str]:
    """Return the names in a comma-separated list of agents.

    >>> split_commands("agent:a 'b, c',acp:d")
    ["agent:a 'b, c'", 'acp:d']
    """
    return [name for part in _PART.findall(text) if (name := part.strip())]


def names_commands(text: str) -> bool:
    """Return whether a comma-separated list has an agent that is a command."""
    return any(part.strip().startswith((COMMAND, ACP)) for part in text.split(","))


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
