"""The completion suite: one question per attempt, the answer put into the hole by each chain, judged and measured."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from runner.execution.verdicts import Outcome as Ending
from runner.execution.verdicts import Verdict
from runner.records import Outcome, Result, Scoring
from runner.run.protocols import Ask
from runner.storage.rows import to_json
from runner.suites.completion.chains import Around, Chain
from runner.suites.completion.dataset import Dataset, Task, read_dataset
from runner.suites.completion.forms import Form, Seen
from runner.suites.completion.score import Judged, Judging, scores_of
from suts.sut import Hole, Request, Sampling, Truth

SUITE = "completion"
_LOG_CHARACTERS = 600


@dataclass(frozen=True, slots=True)
class CompletionCase:
    """A task and what is shown of it by form."""

    task: Task
    seen: Mapping[str, Seen]

    @property
    def case_id(self) -> str:
        """The task's id."""
        return self.task.task_id


@dataclass(frozen=True, slots=True)
class Completion:
    """Attempts the tasks of a data set in one form; `hole_of` says what simulated models are told, None for others."""

    dataset: Dataset
    form: Form
    chains: tuple[Chain, ...]
    sampling: Sampling
    judging: Judging
    hole_of: Callable[[Task], Hole] | None = None
    name: str = SUITE

    def load(self, source: Path) -> Iterator[CompletionCase]:
        """The tasks of a data set, shown whole."""
        dataset = read_dataset(source)
        for task in dataset.tasks:
            seen = Seen(task.file, dataset.prefix(task), dataset.suffix(task), task.evidence)
            yield CompletionCase(task, {self.form.name: seen})

    async def attempt(self, case: CompletionCase, ask: Ask, number: int) -> Result:
        """Ask once; every answer counts, an empty one too."""
        completion = await ask(self.request(case, number), number=number)
        judged = await self.judging.answer(case.task, completion.text, self.chains, self.around(case.task))
        scorings = scorings_of(case.task, judged, completion.answer_id, cut=case.seen[self.form.name].cut)
        return Result(valid=True, scorings=scorings, cost_usd=completion.cost_usd)

    def around(self, task: Task) -> Around:
        """What the chains know of a task's place."""
        prefix, suffix = self.dataset.prefix(task), self.dataset.suffix(task)
        return Around(prefix, suffix, self.form.stops, fenced=not self.form.raw)

    def request(self, case: CompletionCase, number: int) -> Request:
        """The question of attempt `number`; the truth in it reaches simulated models only."""
        request = self.form.request(case.seen[self.form.name], self.sampling)
        if self.hole_of is None:
            return request
        truth = Truth(case.case_id, number, seed=self.sampling.seed or 0, hole=self.hole_of(case.task))
        return Request(
            request.system, request.messages, request.sampling, truth, prompt=request.prompt, suffix=request.suffix
        )


def scorings_of(
    task: Task, judged: Mapping[str, Judged], answer_id: int | None, *, cut: bool = False
) -> tuple[Scoring, ...]:
    """A scoring for each chain, in order; `cut` tells that the file was not shown whole.

    The detail has all that reports group by, the filling, and the verdict with its key, so that no later run needs to
    ask the judge again.
    """
    return tuple(
        Scoring(
            outcome=_outcome(one.verdict),
            valid=_outcome(one.verdict).valid,
            parser=name,
            error_text=_why(one.verdict),
            scores=scores_of(name, judged),
            detail=to_json(
                {
                    "scene": task.scene,
                    "with_evidence": task.with_evidence,
                    "block_type": task.block_type,
                    "file": task.file,
                    "missing": task.span.end > task.span.start,
                    "cut": cut,
                    "verdict": one.verdict.outcome if one.verdict else None,
                    "failing": one.verdict.failing if one.verdict else None,
                    "seconds": one.verdict.seconds if one.verdict else None,
                    "log": one.verdict.log[-_LOG_CHARACTERS:] if one.verdict else None,
                    "key": one.key,
                    "filling": one.filling,
                }
            ),
            answer_id=answer_id,
        )
        for name, one in judged.items()
    )


def _outcome(verdict: Verdict | None) -> Outcome:
    if verdict is None:
        return Outcome.UNTESTED
    if verdict.outcome is Ending.INFRA:
        return Outcome.INFRA
    return Outcome.SOLVED if verdict.outcome is Ending.PASS else Outcome.UNSOLVED


def _why(verdict: Verdict | None) -> str | None:
    """How the tests ended, and the first that failed."""
    if verdict is None or verdict.outcome is Ending.PASS:
        return None
    return f"{verdict.outcome}: {verdict.failing}" if verdict.failing else str(verdict.outcome)
