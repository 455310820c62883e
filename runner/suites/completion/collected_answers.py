"""Answers that another program collected: read from a file, taken by every chain, judged and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from runner.errors import InputError
from runner.jsonl import read_rows
from runner.pool.threads import on_threads
from runner.suites.completion.chains import Around, Chain, taken
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.judging import Arbiter, JudgedFilling, question
from runner.suites.completion.measures import measure


class CollectedAnswerRow(msgspec.Struct, frozen=True):
    """A row of a file of answers."""

    task_id: str
    text: str
    model: str | None = None


@dataclass(frozen=True, slots=True)
class CollectedAnswer:
    """A model's answer to a task, as text, a fence around the code or not; `model` is "" where the file names none."""

    task: Task
    text: str
    model: str = ""


# What an answer is worth by chain.
Judgement = Mapping[str, JudgedFilling]


def read_answers(path: Path, dataset: Dataset) -> list[CollectedAnswer]:
    """Rows of `task_id`, `text` and perhaps `model`.

    Raises InputError naming the line, also for a task that there is not.
    """
    tasks = {task.task_id: task for task in dataset.tasks}
    answers = []
    for row in read_rows(path):
        form = row.read(CollectedAnswerRow)
        task = tasks.get(form.task_id)
        if task is None:
            raise InputError(f"{row.where}: field 'task_id' names no task of the data set; leave the row out")
        answers.append(CollectedAnswer(task, form.text, form.model or ""))
    if not answers:
        raise InputError(f"{path}: no answers; write a row of task_id and text for each")
    return answers


def answers_to(answers: Sequence[CollectedAnswer], dataset: Dataset) -> list[CollectedAnswer]:
    """Return the answers to tasks that are not left out. Raises InputError where there are none."""
    tasks = {task.task_id for task in dataset.tasks}
    kept = [answer for answer in answers if answer.task.task_id in tasks]
    if not kept:
        raise InputError("--released-after: no answer is to a task that is left; give an earlier day")
    return kept


def judgements(
    judges: Mapping[str, Arbiter],
    dataset: Dataset,
    answers: Sequence[CollectedAnswer],
    chains: Sequence[Chain],
    workers: int,
) -> list[Judgement]:
    """Return what each answer is worth, in their order; so many `workers` run tests at once.

    `judges` are those of the repositories by the names that tasks have.
    """
    return list(on_threads(workers, lambda answer: _judged(judges[answer.task.repo], dataset, answer, chains), answers))


def _judged(judge: Arbiter, dataset: Dataset, answer: CollectedAnswer, chains: Sequence[Chain]) -> Judgement:
    task = answer.task
    around = Around(dataset.prefix(task), dataset.suffix(task))
    judged: dict[str, JudgedFilling] = {}
    for filling in (fillings := {chain.name: taken(chain, answer.text, around) for chain in chains}).values():
        if filling not in judged:
            judged[filling] = _verdict(judge, dataset, task, filling)
    return {chain: judged[filling] for chain, filling in fillings.items()}


def _verdict(judge: Arbiter, dataset: Dataset, task: Task, filling: str) -> JudgedFilling:
    measures = measure(dataset, task, filling)
    if not task.tests:
        return JudgedFilling(filling, None, measures)
    task_to_judge = question(dataset, task, filling)
    return JudgedFilling(filling, judge.judge(task_to_judge), measures, task_to_judge.key(judge.tree))
