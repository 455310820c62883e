"""What the instructions of a coding agent say to its model, beside the tools that a request declares."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

# Such as "Working directory: /a", "I'm currently working in the directory: /a", "<cwd>/a</cwd>".
_FOLDER: Final = re.compile(
    r"(?:\bworking (?:in the )?directory(?: is)?:?\s*|<cwd>)[\"'`]?(/[^\s<>\"'`]+)", re.IGNORECASE
)
# Such as "finish your work by issuing the following command: `x`".
_ENDING: Final = re.compile(r"\b(?:finish|submit|end)\b[^`]{0,80}\bfollowing command:\s*`([^`\n]+)`", re.IGNORECASE)
PATCHER: Final = "apply_patch"


@dataclass(frozen=True, slots=True)
class AgentWords:
    r"""The working folder and the command that ends the work, "" if not stated; whether a shell has `apply_patch`.

    >>> agent_words([], ["Working directory: /a/b\n"]).folder
    '/a/b'
    """

    folder: str = ""
    ending: str = ""
    patches: bool = False


def agent_words(system: Sequence[str], texts: Iterable[str]) -> AgentWords:
    """Return what the system prompt and the conversation say; of several folders and commands the first one counts."""
    stated = "\n".join((*system, *texts))
    folder, ending = _FOLDER.search(stated), _ENDING.search(stated)
    return AgentWords(
        folder=folder.group(1).rstrip("/.,") if folder else "",
        ending=ending.group(1) if ending else "",
        patches=any(PATCHER in text for text in system),
    )
