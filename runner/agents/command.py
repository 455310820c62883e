"""The command of an agent as a user writes it: variables, words, the task among them, and what is visible of them."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from runner.errors import InputError

# In a word it stands for the task, which is then not on standard input.
TASK = "{task}"
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
# What holds secrets by its name, and what is too short for one: a word that stands for a key.
_SECRET = re.compile(r"(?i)(?:^|_)(?:key|token|secret|password|passwd)$")
_SHORTEST = 8


@dataclass(frozen=True, slots=True)
class AgentCommand:
    """The words that start an agent, and the variables that stand before them.

    >>> read_command("agent:A=1 B='x, y' codex exec {task}")
    AgentCommand(words=('codex', 'exec', '{task}'), variables={'A': '1', 'B': 'x, y'})
    """

    words: tuple[str, ...]
    variables: Mapping[str, str]

    @property
    def has_task(self) -> bool:
        """Whether the task is to be among the words."""
        return any(TASK in word for word in self.words)


def read_command(name: str) -> AgentCommand:
    """Return the command in the name of an agent.

    Raises InputError where there is none, and for a variable that seems to hold a key: a name is recorded and shown.
    """
    try:
        words = shlex.split(name.partition(":")[2])
    except ValueError as error:
        raise InputError(f"--model-ids: {name!r}: {error}; quote the command as a shell would") from error
    variables: dict[str, str] = {}
    while words and _VARIABLE.match(words[0]):
        variable, _, value = words.pop(0).partition("=")
        if _SECRET.search(variable) and len(value) >= _SHORTEST:
            raise InputError(
                f"--model-ids: the command of an agent is recorded, and {variable} seems to be a secret; leave it out: "
                "the proxy adds the key of the model"
            )
        variables[variable] = value
    if not words:
        raise InputError(f"--model-ids: {name!r} names no command; write agent:COMMAND or acp:COMMAND")
    return AgentCommand(tuple(words), variables)
