"""Answers to completion tasks, judged as given and repaired, and compared with the truth."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.jsonl import read_rows
from runner.stats.intervals import Interval
from runner.suites.completion.answers import from_fence, repaired
from runner.suites.completion.dataset import Dataset, Task
from runner.suites.completion.judge import Judge
from runner.suites.completion.verdicts import Outcome, Question

DRAWS = 2000


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said to a task, as text, a fence around the code or not."""

    task: Task
    text: str


@dataclass(frozen=True, slots=True)
class Scored:
    """One answer's scores.

    - `outcome`, `outcome_repaired`: None for a task without tests.
    - `exact`: equal to the truth but for white space around both; `first_line` likewise of the first lines.
    - `similarity`: 0 to 100, of the longest common subsequence (Indel), both empty 100.
    - `over_run`: the answer goes on behind a whole truth, or passes only when it is cut.
    """

    task: Task
    outcome: Outcome | None
    outcome_repaired: Outcome | None
    exact: bool
    first_line: bool
    similarity: float
    empty: bool
    over_run: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The scores of one scene and type of block, or of several: shares in 0..1, None where nothing was judged.

    `interval` is that of `passed`; None where all holes are of one file, which tells nothing of others.
    """

    scene: str
    block_type: str
    answers: int
    judged: int
    passed: float | None
    interval: Interval | None
    passed_repaired: float | None
    exact: float
    first_line: float
    similarity: float
    empty: float
    over_run: float


def read_answers(path: Path, dataset: Dataset) -> list[Answer]:
    """Rows of `task_id` and `text`. Raises InputError naming the line, also for a task that there is not."""
    tasks = {task.task_id: task for task in dataset.tasks}
    answers = []
    for row in read_rows(path):
        task = tasks.get(row.text("task_id"))
        if task is None:
            raise InputError(f"{row.where}: field 'task_id' names no task of the data set; leave the row out")
        answers.append(Answer(task, row.text("text")))
    if not answers:
        raise InputError(f"{path}: no answers; write a row of task_id and text for each")
    return answers


def score(judge: Judge, dataset: Dataset, answers: Sequence[Answer], workers: int) -> list[Scored]:
    """The scores, in the order of the answers."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(lambda answer: _score(judge, dataset, answer), answers))


def _score(judge: Judge, dataset: Dataset, answer: Answer) -> Scored:
    from rapidfuzz.distance import Indel

    task = answer.task
    given, truth = from_fence(answer.text), dataset.truth(task)
    mended = repaired(given, dataset.prefix(task), dataset.suffix(task))
    outcome = _outcome(judge, dataset, task, given)
    outcome_repaired = outcome if mended == given else _outcome(judge, dataset, task, mended)
    goes_on = bool(truth.strip()) and given.strip() != truth.strip() and given.strip().startswith(truth.strip())
    saved = outcome_repaired is Outcome.PASS and outcome is not Outcome.PASS
    return Scored(
        task=task,
        outcome=outcome,
        outcome_repaired=outcome_repaired,
        exact=given.strip() == truth.strip(),
        first_line=_first_line(given) == _first_line(truth),
        similarity=100 * Indel.normalized_similarity(given, truth),
        empty=not given.strip(),
        over_run=saved or (goes_on and outcome is not Outcome.PASS),
    )


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0].strip()


def _outcome(judge: Judge, dataset: Dataset, task: Task, answer: str) -> Outcome | None:
    if not task.tests:
        return None
    return judge.judge(Question(task.file, dataset.assembled(task, answer), task.tests, task.seconds)).outcome


def rows(scored: Iterable[Scored], seed: int) -> list[Row]:
    """A row for each scene and type of block, then one for each scene; sorted.

    Verdicts of `infra` are no verdicts: they are left out of the shares that passed.
    """
    groups: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        scene = f"{one.task.scene} with evidence" if one.task.with_evidence else one.task.scene
        kind = one.task.block_type
        for key in ((scene, kind), *(((scene, "all"),) if one.outcome is not None else ())):
            groups.setdefault(key, []).append(one)
    return [_row(*key, groups[key], seed) for key in sorted(groups, key=lambda key: (key[0], key[1] == "all", key[1]))]


def _row(scene: str, block_type: str, group: list[Scored], seed: int) -> Row:
    judged = [one for one in group if one.outcome not in {None, Outcome.INFRA}]
    again = [one for one in group if one.outcome_repaired not in {None, Outcome.INFRA}]
    return Row(
        scene=scene,
        block_type=block_type,
        answers=len(group),
        judged=len(judged),
        passed=_share(one.outcome is Outcome.PASS for one in judged) if judged else None,
        interval=_by_file(judged, seed),
        passed_repaired=_share(one.outcome_repaired is Outcome.PASS for one in again) if again else None,
        exact=_share(one.exact for one in group),
        first_line=_share(one.first_line for one in group),
        similarity=sum(one.similarity for one in group) / len(group),
        empty=_share(one.empty for one in group),
        over_run=_share(one.over_run for one in group),
    )


def _share(flags: Iterator[bool]) -> float:
    told = list(flags)
    return sum(told) / len(told)


def _by_file(judged: list[Scored], seed: int) -> Interval | None:
    """The interval of the share that passed, by resampling files: holes of one file have much in common."""
    import numpy as np

    from runner.stats.bootstrap import percentile_interval, resamples

    files = sorted({one.task.file for one in judged})
    if len(files) < 2:
        return None
    of_file = [[one.outcome is Outcome.PASS for one in judged if one.task.file == file] for file in files]
    passed, total = np.array([(sum(one), len(one)) for one in of_file], dtype=float).T
    estimate = float(passed.sum() / total.sum())
    drawn = resamples(len(files), DRAWS, seed)
    return percentile_interval(estimate, (drawn @ passed) / (drawn @ total))
