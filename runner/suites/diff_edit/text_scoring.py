"""Scores stored answers by their texts: those of one text once, by other processes where these have begun with them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from runner.calls import calls_of
from runner.pool.ahead import Ahead
from runner.pool.executor import Executor
from runner.records import Completion, Scoring
from runner.run.answer_scoring import AnswerScoring, plain_file
from runner.run.suite import StoredAnswer
from runner.suites.diff_edit.cases import DiffEditCase
from runner.suites.diff_edit.foreign_scoring import ScoresAnswers

# What the scorings of an answer to a case depend on: the way of scoring, the text, and how that ended.
TextKey = tuple[str, str, str | None]


@dataclass(frozen=True, slots=True)
class TextScoring:
    """The ways of scoring, by the prompt or by the kind of its calls, and what other processes have begun with."""

    ways: Mapping[str, ScoresAnswers]
    begun: Ahead[tuple[Scoring, ...]]

    @classmethod
    def by(cls, executor: Executor, ways: Mapping[str, ScoresAnswers]) -> "TextScoring":
        """Return scoring of which the executor computes what it begins with."""
        return cls(ways, Ahead(executor))

    def key(self, answer: StoredAnswer) -> TextKey:
        """Return what the scorings of an answer depend on, beside its case."""
        way = answer.prompt if answer.prompt in self.ways else calls_of(answer.prompt)
        return way, answer.completion.text, answer.completion.finish_reason

    def begin(self, case: DiffEditCase, answers: Iterable[StoredAnswer]) -> None:
        """Have other processes begin with answers to a case; programs of foreign tools are asked by this one."""
        file = plain_file(case)
        ways = {key: self.ways[key[0]] for key in map(self.key, answers)}
        self.begun.begin(
            ((case.case_id, *key), way.call(file, _completion(key)))
            for key, way in ways.items()
            if isinstance(way, AnswerScoring)
        )

    async def scorings(self, case: DiffEditCase, key: TextKey) -> tuple[Scoring, ...]:
        """Return one scoring per algorithm; what a process has not given is computed once more."""
        return self.begun.take((case.case_id, *key)) or await self.ways[key[0]].scorings(case, _completion(key))


def _completion(key: TextKey) -> Completion:
    return Completion(key[1], finish_reason=key[2])
