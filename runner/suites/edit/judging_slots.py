"""Opens what judges the answers of a run: so many test runs at once, and processes that read large answers."""

from collections.abc import Iterator
from contextlib import contextmanager

from runner.execution.script_judge import ScriptJudge
from runner.pool.processes import Processes
from runner.pool.threads import Threads
from runner.suites.edit.judging import EditJudging


@contextmanager
def judging_with(judge: ScriptJudge, slots: int) -> Iterator[EditJudging]:
    """Judging by so many test runs at once, with processes for large answers."""
    with Threads(slots, "judge") as executor, Processes() as pool:
        yield EditJudging(judge, executor, pool)
