"""What a model is asked: the text of a question, and which lines of which files it shows."""

from dataclasses import dataclass, field
from typing import Protocol

from runner.suites.nextedit.context.excerpts import View
from runner.suites.nextedit.editor import EditorSession, Place

# About 46,000 tokens: more than nearly every commit needs, less than every current model takes.
MOST_CHARACTERS = 160_000
# The words of an answer that predicts no edit, in small letters.
NOTHING_MORE = "nothing more to do"


@dataclass(frozen=True, slots=True)
class StepQuestion:
    """A question, and the lines that it shows."""

    text: str
    view: View = field(default_factory=dict)


class Wording(Protocol):
    """How models are asked; a function of a module, so that a worker process can call it."""

    def __call__(self, session: EditorSession, place: Place | None, characters: int) -> StepQuestion:
        """Return the question for what comes next, or for the content of a place, of at most so many characters."""
        ...


def sendable(text: str) -> str:
    """The text with a sign in place of what no request can carry: bytes that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
