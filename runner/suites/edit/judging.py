"""Opens the judge of this machine for scripts: what it may run, what it shows to nobody, and what it says of itself."""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import gettempdir

from runner.console import say
from runner.execution import stale_dirs
from runner.execution.isolation import Weak, permitted
from runner.execution.script_commands import Command
from runner.execution.script_judge import LIMITS, ScriptJudge
from runner.execution.toolchains import installed_commands
from runner.execution.untrusted_files import remove
from runner.execution.verdicts import Verdict
from runner.pool.executor import Executor, computed
from runner.suites.edit.interpreters import interpreter
from runner.suites.edit.options import EditOptions
from runner.suites.edit.problems import EditProblem


@dataclass(frozen=True, slots=True)
class EditJudging:
    """Where answers are judged: the judge, the threads that wait for it, and the processes that read large answers.

    Without processes, all answers are read in this one.
    """

    judge: ScriptJudge
    executor: Executor
    pool: Executor | None = None

    async def verdict(self, problem: EditProblem, program: str) -> Verdict:
        """The verdict on an answer."""
        return await computed(self.executor, self.judge.judge, problem.script(program))


def judge_of(options: EditOptions, commands: dict[str, Command]) -> ScriptJudge:
    """The judge of a run, for which an environment is made where packages are pinned.

    No answer sees its problems or its database.
    """
    hidden, weak = (options.file, *database_files(options.db)), Weak(options.weak_sandbox, options.yes)
    python = interpreter(options.python, options.path, options.pins)
    return open_judge(options.path, commands, options.timeout, hidden, weak, python)


def open_judge(
    path: str,
    commands: dict[str, Command],
    timeout: float,
    hidden: tuple[Path, ...],
    weak: Weak,
    python: str = sys.executable,
) -> ScriptJudge:
    """The judge, whose programs are on `path`, for answers that may not see what is `hidden`.

    `commands` go before those of the toolchains that are installed.

    What a judge that was killed has left is removed. Raises InputError where no cell can be made, unless `weak` allows
    that.
    """
    isolation = permitted(weak)
    stale_dirs.sweep(Path(gettempdir()), remove)
    say(f"tests run in cells: {', '.join(isolation.means)}")
    limits = replace(LIMITS, wall_s=timeout, cpu_s=timeout + 2)
    return ScriptJudge(path, isolation, {**installed_commands(path, os.environ), **commands}, limits, hidden, python)


def database_files(db: Path) -> tuple[Path, ...]:
    """The files of a database: it is three while it is written."""
    return tuple(db.with_name(db.name + end) for end in ("", "-wal", "-shm"))
