"""Where answers are judged: a problem's test is run on the file that an answer made."""

import asyncio
from concurrent.futures import Executor
from dataclasses import dataclass

from runner.execution.script_judge import ScriptJudge
from runner.execution.verdicts import Verdict
from runner.run.worker_pool import WorkerPool
from runner.suites.edit.problems import EditProblem


@dataclass(frozen=True, slots=True)
class EditJudging:
    """Where answers are judged: the judge, the threads that wait for it, and the processes that read large answers.

    Without processes, all answers are read in this one.
    """

    judge: ScriptJudge
    executor: Executor
    pool: WorkerPool | None = None

    async def verdict(self, problem: EditProblem, program: str) -> Verdict:
        """The verdict on an answer."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self.executor, self.judge.judge, problem.script(program))
