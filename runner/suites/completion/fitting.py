"""How much of a file is shown: all of it, or as much around the cursor as a budget of tokens has room for."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from prompts.fim import window
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.forms import Form, Seen
from runner.tokens import TokenCounter
from suts.sut import Sampling

# What a cut leaves unused is at most so much of the text that had room.
_SHRINK = 0.95


class PromptTooLargeError(ValueError):
    """Not even the line of the hole fits into the budget."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is shown of a task, and the tokens of the whole question."""

    seen: Seen
    tokens: int


def fit(dataset: Dataset, task: Task, form: Form, counter: TokenCounter, most: int | None) -> Fitted:
    """What is shown so that the whole question has at most `most` tokens, its wording and its evidence included.

    First the evidence goes that takes more than half of the room, its last pieces first; then whole lines at the far
    ends of prefix and suffix. Raises PromptTooLargeError where the line of the hole alone has no room, MarkError for a
    text that cannot be asked in this form.
    """
    prefix, suffix = dataset.prefix(task), dataset.suffix(task)

    def size(seen: Seen) -> int:
        return _tokens(form, seen, counter)

    whole = Seen(task.file, prefix, suffix, task.evidence)
    tokens = size(whole)
    if most is None or tokens <= most:
        return Fitted(whole, tokens)
    bare = replace(whole, before="", behind="", cut=True)
    bare = _less_evidence(bare, size, most)
    around = len(prefix) + len(suffix)
    room = (most - size(bare)) / max(1, tokens - size(replace(whole, before="", behind="")))
    chars = max(0, int(around * min(1.0, room)))
    while True:
        before, behind = window(prefix, suffix, chars)
        seen = replace(bare, before=before, behind=behind)
        tokens = size(seen)
        if tokens <= most:
            return Fitted(seen, tokens)
        if not chars:
            raise PromptTooLargeError(f"--max-context {most} has no room for the line of the hole beside the wording")
        chars = int(chars * _SHRINK) if chars > 1 / (1 - _SHRINK) else chars - 1


def _less_evidence(seen: Seen, size: Callable[[Seen], int], most: int) -> Seen:
    """Evidence within half of what the wording leaves."""
    wording = size(replace(seen, evidence=()))
    while seen.evidence and 2 * (size(seen) - wording) > most - wording:
        seen = replace(seen, evidence=seen.evidence[:-1])
    return seen


def _tokens(form: Form, seen: Seen, counter: TokenCounter) -> int:
    request = form.request(seen, Sampling())
    return counter.count("\n".join(text for text in (request.system, *request.texts) if text))
