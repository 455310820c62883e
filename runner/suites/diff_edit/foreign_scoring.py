"""Scores answers in the form of a foreign tool: its program is asked first, its result then scored like any other."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from parsers.blocks import Parser
from runner.edit_tools.told import ForeignApply, Told
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import PlainFile, bare_answer, crashed_scorings, plain_file, run_sized
from runner.run.complexity import TooComplexError, check_diff
from runner.run.diff_scoring import EditedFile, ValidityName, calls_in, judge_call, score_answer
from runner.run.worker_pool import WorkerError, WorkerPool


class ScoresAnswers(Protocol):
    """How the answers to a prompt are scored."""

    async def scorings(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return one scoring per algorithm."""
        ...


@dataclass(frozen=True, slots=True)
class ForeignScoring:
    """How the answers to the prompt of a foreign tool are scored, without holding up other streams."""

    name: str
    parser: Parser
    program: ForeignApply
    validity: ValidityName = "strict"
    pool: WorkerPool | None = None

    async def scorings(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return the scoring of an answer; it is `crashed` where the tool failed, or a worker process."""
        told = await self._told(case, completion)
        size = len(case.file_contents) + len(completion.text) + len(told.text or "")
        arguments = (plain_file(case), bare_answer(completion), (self.name, self.parser), told, self.validity)
        try:
            return await run_sized(self.pool, size, score_told, *arguments)
        except WorkerError as error:
            return crashed_scorings(completion, self.name, (self.name,), error)

    async def _told(self, case: EditedFile, completion: Completion) -> Told:
        """Return what the tool makes of the answer; of one without a call that it could apply, it is not asked."""
        try:
            calls = calls_in(completion.text, case, self.parser)
            call = judge_call(calls, case, completion.finish_reason, self.validity)
            if isinstance(call, Outcome):
                return Told()
            check_diff(case.file_contents, call)
        except TooComplexError:
            return Told()
        return await asyncio.wrap_future(self.program.apply(case.file_contents, call))


def score_told(
    file: PlainFile, answer: Completion, parser: tuple[str, Parser], told: Told, validity: ValidityName
) -> tuple[Scoring, ...]:
    """Return the scoring of an answer of which it is known what the tool makes."""
    return score_answer(file, answer, parser, {parser[0]: told}, validity)
