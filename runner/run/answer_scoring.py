"""Scores the answers of a session without holding up its streams: small ones at once, others in a worker process."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar, TypeVarTuple

from diff_apply import DIFF_ALGORITHMS
from diff_apply.result import DiffAlgorithm
from parsers import PARSERS
from parsers.blocks import Parser
from runner.edit_tools import EDIT_TOOLS, forms_by_parser
from runner.pool.executor import Executor, PoolCall, WorkerError, computed
from runner.records import Completion, Outcome, Scoring
from runner.run.diff_scoring import EditedFile, Scorer, ValidityName, score_answer
from runner.run.resolve import Named, choose_algorithms, choose_parser

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

# Characters of the file and the answer together: scoring takes about a microsecond for each.
SCORED_AT_ONCE = 6000


async def run_sized(pool: Executor | None, characters: int, function: Callable[[*Ts], T], *arguments: *Ts) -> T:
    """Return what a function returns: at once for few characters or without a pool, else from a worker process.

    Raises WorkerError, RemoteError.
    """
    if pool is None or characters <= SCORED_AT_ONCE:
        return function(*arguments)
    return await computed(pool, function, *arguments)


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
    pool: Executor | None = None
    score: Scorer = score_answer

    async def scorings(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return one scoring per algorithm; they are `crashed` where the worker process gave none."""
        if self.pool is None or self._at_once(case, completion):
            return self.score_here(case, completion)
        call = self.call(plain_file(case), completion)
        try:
            return await computed(self.pool, call.function, *call.arguments)
        except WorkerError as error:
            names = (algorithm.name for algorithm in self.algorithms)
            return crashed_scorings(completion, self.parser.name, names, error)

    def call(self, file: PlainFile, completion: Completion) -> PoolCall[tuple[Scoring, ...]]:
        """Return what scores an answer in another process."""
        names = tuple(algorithm.name for algorithm in self.algorithms)
        parts = (file, bare_answer(completion), self.parser.name, names, self.validity)
        return PoolCall(score_by_name, parts, len(completion.text))

    def score_here(self, case: EditedFile, completion: Completion) -> tuple[Scoring, ...]:
        """Return one scoring per algorithm, computed in this process."""
        algorithms = {algorithm.name: algorithm.impl for algorithm in self.algorithms}
        return self.score(case, completion, (self.parser.name, self.parser.impl), algorithms, self.validity)

    def _at_once(self, case: EditedFile, completion: Completion) -> bool:
        """Return whether scoring takes little time; that of a plug-in is not known."""
        registered = are_registered(self.parser.name, (named.name for named in self.algorithms))
        return registered and len(case.file_contents) + len(completion.text) <= SCORED_AT_ONCE


def are_registered(parser: str, algorithms: Iterable[str]) -> bool:
    """Return whether none of these names is that of a plug-in, which may take any time."""
    if parser in forms_by_parser():
        return True
    return parser in PARSERS and all(name in DIFF_ALGORITHMS for name in algorithms)


def bare_answer(completion: Completion) -> Completion:
    """Return what scoring takes of an answer."""
    return Completion(completion.text, finish_reason=completion.finish_reason, answer_id=completion.answer_id)


def crashed_scorings(
    completion: Completion, parser: str, algorithms: Iterable[str], error: WorkerError
) -> tuple[Scoring, ...]:
    """Return the scorings of an answer for which a worker process gave none."""
    reason = f"scoring in another process gave no result: {error}"
    crashed = Scoring(Outcome.CRASHED, valid=False, parser=parser, error_text=reason, answer_id=completion.answer_id)
    return tuple(replace(crashed, diff_algorithm=name) for name in algorithms)


def plain_file(case: EditedFile) -> PlainFile:
    """Return what scoring takes of a case."""
    return PlainFile(
        case.file_path, case.file_contents, case.working_folder, tuple(case.expected_contents), case.language
    )


def score_by_name(
    file: PlainFile, answer: Completion, parser: str, algorithms: tuple[str, ...], validity: ValidityName
) -> tuple[Scoring, ...]:
    """Return the scorings of an answer by a parser and algorithms of these names, which the user has given."""
    chosen, impls = chosen_by_name(parser, algorithms)
    return score_answer(file, answer, (parser, chosen), impls, validity)


@lru_cache(maxsize=4)
def chosen_by_name(parser: str, algorithms: tuple[str, ...]) -> tuple[Parser, dict[str, DiffAlgorithm]]:
    """Return the parser and the algorithms of these names, which the user has given."""

    def silent(_message: str) -> None:
        pass

    forms = forms_by_parser()
    if parser in forms:
        return forms[parser], {name: EDIT_TOOLS[name].algorithm for name in algorithms}
    named = choose_algorithms(algorithms, silent)
    return choose_parser(parser, silent).impl, {algorithm.name: algorithm.impl for algorithm in named}
