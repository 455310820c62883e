"""How models are asked with each prompt: an agent's manual has a question of its own, other prompts that of steps."""

import hashlib

from prompts import PROMPTS, Prompt, load
from runner.run.variants import PartName
from runner.suites.nextedit import agent_question, folder_question, step_question
from runner.suites.nextedit.agent_question import ask_agent
from runner.suites.nextedit.folder_question import FOLDER_PROMPT, ask_in_folder
from runner.suites.nextedit.questions import Wording
from runner.suites.nextedit.step_question import ask_by_steps

# Registered prompts that were written for steps of a commit; the other registered ones are for agents.
_BY_STEPS = "nextedit/"


def wording_of(prompt: Prompt) -> Wording:
    """Return how a model with this system prompt is asked; a user's own prompt goes with the question of steps."""
    if prompt == FOLDER_PROMPT:
        return ask_in_folder
    registered = prompt.name in PROMPTS and load(prompt.name) == prompt
    return ask_agent if registered and not prompt.name.startswith(_BY_STEPS) else ask_by_steps


def prompt_part(prompt: Prompt) -> PartName:
    """Return the name of a prompt, and the digest of all that it says, the question of steps included.

    That of an agent's manual is its own, as in other suites.
    """
    if wording_of(prompt) is ask_agent:
        return PartName(prompt.name, prompt.digest)
    texts = "\0".join((prompt.wording, *_texts(wording_of(prompt))))
    return PartName(prompt.name, hashlib.sha256(texts.encode()).hexdigest()[:8])


def wording_digest(wording: Wording, characters: int) -> str:
    """Eight hexadecimal digits of the wording: two runs asked the same if these agree and the system prompts do."""
    return hashlib.sha256("\0".join((*_texts(wording), str(characters))).encode()).hexdigest()[:8]


def _texts(wording: Wording) -> tuple[str, ...]:
    if wording is ask_in_folder:
        return folder_question.WORDING
    return agent_question.WORDING if wording is ask_agent else step_question.WORDING
