"""Answers from a file, judged and measured as those of a run are: by every chain, several answers a task or one."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.jsonl import read_rows
from runner.suites.completion.chains import Around, Chain, taken
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.judging import JudgedFilling, question
from runner.suites.completion.measures import measure
from runner.suites.completion.rates import ScoredAnswer, form_of
from runner.suites.completion.score import scores_of


class ExternalAnswerRow(msgspec.Struct, frozen=True):
    """A row of a file of answers."""

    task_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ExternalAnswer:
    """A model's answer to a task, as text, a fence around the code or not."""

    task: Task
    text: str


def read_answers(path: Path, dataset: Dataset) -> list[ExternalAnswer]:
    """Rows of `task_id` and `text`. Raises InputError naming the line, also for a task that there is not."""
    tasks = {task.task_id: task for task in dataset.tasks}
    answers = []
    for row in read_rows(path):
        form = row.read(ExternalAnswerRow)
        task = tasks.get(form.task_id)
        if task is None:
            raise InputError(f"{row.where}: field 'task_id' names no task of the data set; leave the row out")
        answers.append(ExternalAnswer(task, form.text))
    if not answers:
        raise InputError(f"{path}: no answers; write a row of task_id and text for each")
    return answers


def score(
    judge: Judge, dataset: Dataset, answers: Sequence[ExternalAnswer], chains: Sequence[Chain], workers: int
) -> dict[str, list[ScoredAnswer]]:
    """By chain the scores, in the order of the answers."""
    with ThreadPoolExecutor(workers) as pool:
        judged = list(pool.map(lambda answer: _judged(judge, dataset, answer, chains), answers))
    pairs = list(zip(answers, judged, strict=True))
    return {
        chain.name: [answered(prediction.task, chain.name, answer) for prediction, answer in pairs] for chain in chains
    }


def _judged(
    judge: Judge, dataset: Dataset, answer: ExternalAnswer, chains: Sequence[Chain]
) -> dict[str, JudgedFilling]:
    task = answer.task
    around = Around(dataset.prefix(task), dataset.suffix(task))
    known: dict[str, JudgedFilling] = {}
    verdicts: dict[str, JudgedFilling] = {}
    for chain in chains:
        filling = taken(chain, answer.text, around)
        if filling not in known:
            verdict = judge.judge(question(dataset, task, filling)) if task.tests else None
            known[filling] = JudgedFilling(filling, verdict, measure(dataset, task, filling))
        verdicts[chain.name] = known[filling]
    return verdicts


def answered(task: Task, chain: str, judged: Mapping[str, JudgedFilling]) -> ScoredAnswer:
    """An answer as reports take it; `judged` has it by every chain."""
    verdict = judged[chain].verdict
    return ScoredAnswer(
        task_id=task.task_id,
        scene=form_of(task.scene, with_evidence=task.with_evidence),
        block_type=task.block_type,
        file=task.file,
        missing=task.span.end > task.span.start,
        verdict=None if verdict is None else str(verdict.outcome),
        scores=scores_of(chain, judged),
    )
