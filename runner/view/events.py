"""The news of a run for its page: its figures, whenever they change."""

import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count

import orjson

from runner.errors import InputError
from runner.view.progress import RunProgress
from runner.view.reading import Reader

EVERY_S = 1.0
# A line without meaning, so that both ends notice a connection that is gone.
_ALIVE_EVERY = 15
_REMEMBERED = 60
_ALIVE = b": alive\n\n"


async def news(
    reader: Reader, run_id: str, sleep: Callable[[float], Awaitable[None]], clock: Callable[[], float] = time.monotonic
) -> AsyncIterator[bytes]:
    """Yield the figures of a run as server-sent events until it ends; nothing for a run that is not there."""
    before: dict[str, str] = {}
    pace: deque[tuple[float, int]] = deque(maxlen=_REMEMBERED)
    for turn in count():
        try:
            progress = await reader.progress(run_id)
        except InputError:
            return
        if progress is not None:
            pace.append((clock(), progress.valid))
            texts = {**progress.texts, "left": _left(progress, pace)}
            if texts != before:
                yield b"event: progress\ndata: " + orjson.dumps(texts) + b"\n\n"
                before = texts
            if not progress.is_running:
                return
        if turn % _ALIVE_EVERY == 0:
            yield _ALIVE
        await sleep(EVERY_S)


def _left(progress: RunProgress, pace: "deque[tuple[float, int]]") -> str:
    """Return the time that is left at the pace of the last minute; "-" while that is unknown."""
    passed_s, gained = pace[-1][0] - pace[0][0], pace[-1][1] - pace[0][1]
    missing = progress.quota - progress.valid
    if gained <= 0 or missing <= 0:
        return "-"
    minutes, seconds = divmod(round(passed_s * missing / gained), 60)
    return f"{minutes}:{seconds:02}"
