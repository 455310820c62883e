"""What models are shown of each file: the whole of it, or a window that fits beside the prompt into a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from runner.errors import InputError
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.dataset import Task
from runner.suites.codrep.question import frame
from runner.suites.codrep.spread import spread
from runner.suites.codrep.windowing import Window, choose_window
from runner.tokens import token_counter

# The tokens of a request where nobody says otherwise.
MAX_CONTEXT = 8000


@dataclass(frozen=True, slots=True)
class Room:
    """How many tokens a request may have, and how many of them the longest system prompt takes."""

    max_context: int
    prompt_tokens: int


@dataclass(frozen=True, slots=True)
class Shown:
    """What is shown of a file, and the tokens of the whole request."""

    window: Window
    tokens: int


def windows_of(cases: Sequence[CodrepCase], room: Room, jobs: int = 1) -> dict[str, Shown]:
    """What to show of each case, by id. Raises InputError where the room is too small for any line."""
    found = spread(cases, partial(_windows, room), jobs)
    return dict(zip([case.case_id for case in cases], found, strict=True))


def _windows(room: Room, cases: Sequence[CodrepCase]) -> list[Shown]:
    from runner.suites.codrep.ranker.model import model_at
    from runner.suites.codrep.ranker.ranking import likely_lines

    counter = token_counter(exact=True)
    likely = likely_lines(model_at())
    shown: list[Shown] = []
    for case in cases:
        task = case.task()

        def ranked(task: Task = task) -> Iterator[int]:
            # Where nothing can have been replaced, a file is shown from its beginning.
            yield from likely(task) or range(1, len(task.lines) + 1)

        around = room.prompt_tokens + counter.count(frame(task))
        window = choose_window(task.lines, ranked(), room.max_context - around, counter.count)
        if not window.spans:
            raise InputError(
                f"--max-context: is {room.max_context}, too little for {case.case_id}: the question takes {around} "
                "tokens before any line of the file is shown; raise it"
            )
        shown.append(Shown(window, around + window.tokens))
    return shown
