"""What models are shown of each file: the whole of it, or a window that fits beside the prompt into a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from prompts import Prompt
from runner.errors import InputError
from runner.pool.blocks import spread
from runner.suites.codrep.cases import CodrepCase
from runner.suites.codrep.dataset import CodrepTask
from runner.suites.codrep.question import DETAILS, frame, shortest_line
from runner.suites.codrep.windowing import Window, choose_window
from runner.tokens import TokenCounter, token_counter


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


def room_of(prompts: Sequence[Prompt], max_context: int, counter: TokenCounter) -> Room:
    """The room of a question beside the longest of these prompts."""
    return Room(max_context, max(counter.count(prompt.render(DETAILS)) for prompt in prompts))


def windows_of(cases: Sequence[CodrepCase], room: Room, jobs: int = 1) -> dict[str, Shown]:
    """What to show of each case, by id. Raises InputError where the room is too small for any line."""
    windows = spread(cases, partial(_windows, room), jobs)
    return dict(zip([case.case_id for case in cases], windows, strict=True))


def estimated_tokens(case: CodrepCase, room: Room) -> int:
    """About how many tokens a question about a case takes: the ranker, which chooses what is shown, is not run."""
    return min(room.max_context, room.prompt_tokens + case.whole_tokens)


def check_room(cases: Sequence[CodrepCase], room: Room) -> None:
    """Raise InputError where no line of a file can be shown."""
    counter = token_counter(exact=True)
    for case in cases:
        # No token has less than a byte, so most cases need not be read again.
        if room.prompt_tokens + case.least_bytes > room.max_context:
            _shortest_shown(case.task(), room, counter)


def _windows(room: Room, cases: Sequence[CodrepCase]) -> list[Shown]:
    from runner.suites.codrep.ranker.model import model_at
    from runner.suites.codrep.ranker.ranking import likely_lines

    counter = token_counter(exact=True)
    likely = likely_lines(model_at())
    windows: list[Shown] = []
    for case in cases:
        task = case.task()

        def ranked(task: CodrepTask = task) -> Iterator[int]:
            # Where nothing can have been replaced, a file is shown from its beginning.
            yield from likely(task) or range(1, len(task.lines) + 1)

        around = _around(task, room, counter)
        window = choose_window(task.lines, ranked(), room.max_context - around, counter.count)
        if not window.spans:
            window = _shortest_shown(task, room, counter)
        windows.append(Shown(window, around + window.tokens))
    return windows


def _around(task: CodrepTask, room: Room, counter: TokenCounter) -> int:
    """The tokens of a request without the lines of the file."""
    return room.prompt_tokens + counter.count(frame(task))


def _shortest_shown(task: CodrepTask, room: Room, counter: TokenCounter) -> Window:
    """A window that shows the shortest line. Raises InputError where there is no room even for that."""
    around = _around(task, room, counter)
    window = choose_window(task.lines, [shortest_line(task)], room.max_context - around, counter.count)
    if not window.spans:
        raise InputError(
            f"--max-context: is {room.max_context}, too little for {task.case_id}: the question takes {around} "
            "tokens before any line of the file is shown; raise it"
        )
    return window
