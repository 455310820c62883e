"""Scores the answers of a session without holding up its streams: small ones at once, others in a worker process."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffAlgorithm
from parsers import PARSERS
from parsers.blocks import Parser
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EditedFile, Scorer, ValidityName, score_answer
from runner.run.resolve import Named, choose_algorithms, choose_parser
from runner.run.worker_pool import WorkerError, WorkerPool

# Characters of the file and the answer together: scoring takes about a microsecond for each.
SCORED_AT_ONCE = 6000


@dataclass(frozen=True, slots=True)
class PlainFile:
    """An edited file, as a worker process gets it."""

    file_path: str
    file_contents: str
    working_folder: str
    expected_contents: tuple[str, ...]
    language: str | None


@dataclass(frozen=True, slots=True)
class AnswerScoring:
    """How the answers of a session are scored: by which parser and algorithms, and where.

    Without a pool, everything is scored at once, in this process.
    """

    parser: Named[Parser]
    algorithms: tuple[Named[DiffAlgorithm], ...]
    validity: ValidityName = "strict"
    pool: WorkerPool | None = None
    score: Scorer = score_answer

    async def scorings(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return one scoring per algorithm; they are `crashed` where the worker process gave none."""
        if self.pool is None or self._at_once(case, completion):
            return self._score(case, completion)
        answer = Completion(completion.text, finish_reason=completion.finish_reason, answer_id=completion.answer_id)
        names = tuple(algorithm.name for algorithm in self.algorithms)
        try:
            return await self.pool.run(score_by_name, plain_file(case), answer, self.parser.name, names, self.validity)
        except WorkerError as error:
            return self._crashed(completion, names, f"scoring in another process gave no result: {error}")

    def _at_once(self, case: EditedFile, completion: Completion) -> bool:
        """Return whether scoring takes little time; that of a plug-in is not known."""
        registered = self.parser.name in PARSERS and all(named.name in DIFF_ALGORITHMS for named in self.algorithms)
        return registered and len(case.file_contents) + len(completion.text) <= SCORED_AT_ONCE

    def _score(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        algorithms = {algorithm.name: algorithm.impl for algorithm in self.algorithms}
        return self.score(case, completion, (self.parser.name, self.parser.impl), algorithms, self.validity)

    def _crashed(self, completion: Completion, names: Sequence[str], reason: str) -> tuple[Scoring, ...]:
        crashed = Scoring(Outcome.CRASHED, valid=False, parser=self.parser.name, error_text=reason)
        return tuple(replace(crashed, diff_algorithm=name, answer_id=completion.answer_id) for name in names)


def plain_file(case: EditedFile) -> PlainFile:
    """Return what scoring takes of a case."""
    return PlainFile(
        case.file_path, case.file_contents, case.working_folder, tuple(case.expected_contents), case.language
    )


def score_by_name(
    file: PlainFile, answer: Completion, parser: str, algorithms: tuple[str, ...], validity: ValidityName
) -> tuple[Scoring, ...]:
    """Return the scorings of an answer by a parser and algorithms of these names, which the user has given."""
    chosen, impls = _chosen(parser, algorithms)
    return score_answer(file, answer, (parser, chosen), impls, validity)


@lru_cache(maxsize=4)
def _chosen(parser: str, algorithms: tuple[str, ...]) -> tuple[Parser, dict[str, DiffAlgorithm]]:
    def silent(_message: str) -> None:
        pass

    named = choose_algorithms(algorithms, silent)
    return choose_parser(parser, silent).impl, {algorithm.name: algorithm.impl for algorithm in named}
