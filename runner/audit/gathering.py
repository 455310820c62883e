"""Gathers the figures of many sessions: part by part, the parts in processes of their own where they are large.

Parts depend on the files alone, never on the number of processes, and are added in their order: so are the figures.
"""

import gc
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from runner.audit.figures import AuditFigures
from runner.audit.reading import SessionFile, each_session
from runner.pool.blocks import in_order
from runner.pool.processes import Processes
from runner.prices import Prices

_PART_BYTES = 8 << 20
# What takes a second in one process is not worth starting others.
_WORTH_BYTES = 32 << 20
_LIMIT_S = 3600.0


def gathered(
    files: Sequence[SessionFile], prices: Prices, since: float | None, say: Callable[[str], object]
) -> AuditFigures:
    """Return the figures of all sessions. A file that cannot be read is named by `say` and left out."""
    figures = AuditFigures(prices, since)
    for part, left_out in _figures_by_part(files, prices, since):
        figures.merge(part)
        for line in left_out:
            say(line)
    return figures


def _figures_by_part(
    files: Sequence[SessionFile], prices: Prices, since: float | None
) -> Iterator[tuple[AuditFigures, list[str]]]:
    parts = list(_parts(files))
    processes = os.cpu_count() or 1
    if processes == 1 or len(parts) < 2 or sum(map(_size, files)) < _WORTH_BYTES:
        for part in parts:
            yield figures_of(part, prices, since)
        return
    with Processes(processes, _LIMIT_S) as pool:
        yield from in_order(pool, partial(figures_of, prices=prices, since=since), parts)


def figures_of(files: Sequence[SessionFile], prices: Prices, since: float | None) -> tuple[AuditFigures, list[str]]:
    """Return the figures of some sessions, and a line about each file that cannot be read."""
    figures, left_out = AuditFigures(prices, since), list[str]()
    with _no_search_for_cycles():
        for session in each_session(files, left_out.append):
            figures.add(session)
    return figures, left_out


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Free no cycles meanwhile: the values of sessions have none, and to look for them takes a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _parts(files: Sequence[SessionFile]) -> Iterator[list[SessionFile]]:
    part: list[SessionFile] = []
    size = 0
    for file in files:
        part.append(file)
        size += _size(file)
        if size >= _PART_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def _size(file: SessionFile) -> int:
    try:
        return file[1].stat().st_size
    except OSError:
        return 0
