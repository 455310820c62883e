"""Scores answers in the form of a foreign tool: its program is asked first, its result then scored like any other."""

import asyncio
from dataclasses import dataclass
from typing import Protocol

from parsers.blocks import Parser
from runner.edit_tools.foreign_result import ForeignApply, ForeignResult
from runner.pool.executor import Executor, WorkerError
from runner.records import Completion, Outcome, Scoring
from runner.run.answer_scoring import PlainFile, bare_answer, crashed_scorings, plain_file, run_sized
from runner.run.complexity import TooComplexError, check_diff
from runner.run.diff_scoring import EditedFile, ValidityName, calls_in, judge_call, score_answer


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
    pool: Executor | None = None

    async def scorings(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return the scoring of an answer; it is `crashed` where the tool failed, or a worker process."""
        result = await self._result(case, completion)
        size = len(case.file_contents) + len(completion.text) + len(result.text or "")
        arguments = (plain_file(case), bare_answer(completion), (self.name, self.parser), result, self.validity)
        try:
            return await run_sized(self.pool, size, score_result, *arguments)
        except WorkerError as error:
            return crashed_scorings(completion, self.name, (self.name,), error)

    async def _result(self, case: EditedFile, completion: Completion) -> ForeignResult:
        """Return what the tool makes of the answer; of one without a call that it could apply, it is not asked."""
        try:
            calls = calls_in(completion.text, case, self.parser)
            call = judge_call(calls, case, completion.finish_reason, self.validity)
            if isinstance(call, Outcome):
                return ForeignResult()
            check_diff(case.file_contents, call)
        except TooComplexError:
            return ForeignResult()
        return await asyncio.wrap_future(self.program.apply(case.file_contents, call))


def score_result(
    file: PlainFile, answer: Completion, parser: tuple[str, Parser], result: ForeignResult, validity: ValidityName
) -> tuple[Scoring, ...]:
    """Return the scoring of an answer of which it is known what the tool makes."""
    return score_answer(file, answer, parser, {parser[0]: result}, validity)
