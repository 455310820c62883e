"""The figures of completion answers: rates and means by scene and type of block, with intervals clustered by file.

Over several repositories each of these weighs alike (`repository_rates`).
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from runner.stats.intervals import Interval, rate_over_clusters
from runner.stats.pass_at_k import pass_at_k
from runner.suites.completion.repository_rates import (
    FILES,
    TaskMean,
    by_repository,
    interval_of,
    interval_subject,
    mean_of,
)

ALL = "all"
COMMENT = "COMMENT"
DRAWS = 2000
# Resamples of fewer files differ less than files do: intervals of two came out a tenth as wide as they should.
FEW_FILES = 10
_SOME_K = (1, 2, 5, 10, 20, 50, 100)
# What is reported of every answer, judged or not.
MEANS = ("exact", "first_line", "similarity", "es-token", "empty", "over_run")
COMMENT_MEANS = ("similarity",)
_HIGHEST = {"similarity": 100.0}


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer to one task as a chain took it: its scores by name, of which `pass` is missing without a verdict.

    `weak` is whether the task's tests pass by most mutants, None where that is unknown. `repo` is "" in a data set of
    one repository, and so is `hole`, which else names the text that the task asks for.
    """

    task_id: str
    scene: str
    block_type: str
    file: str
    missing: bool
    verdict: str | None
    scores: Mapping[str, float]
    weak: bool | None = None
    repo: str = ""
    hole: str = ""


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a group of answers.

    - `judged` answers have a verdict, `passed` of them pass; `infra` were put to the judge in vain and are in no rate.
    - `pass_at_k` by k: the mean over tasks, for every k that all tasks have answers for (Chen et al. 2021).
    - `interval` is that of pass@1, `means` are shares in 0..1 but for `similarity` (0..100), each with its interval;
      intervals are clustered by file, and missing for a single file, which says nothing about others.
    - `over` is what means are taken over, and what intervals speak of (`repository_rates`).
    """

    scene: str
    block_type: str
    tasks: int
    answers: int
    judged: int
    passed: int
    infra: int
    pass_at_k: dict[str, float]
    interval: Interval | None
    means: dict[str, float]
    intervals: dict[str, Interval]
    over: str = FILES


@dataclass(frozen=True, slots=True)
class Confusion:
    """Empty answers against holes in which nothing is missing: `tp` counts empty answers where nothing was missing."""

    tp: int
    fp: int
    fn: int
    tn: int


@dataclass(frozen=True, slots=True)
class ChainFigures:
    """One model with one prompt, its answers taken by one chain."""

    sut: str
    prompt: str
    chain: str
    figures: list[Figures]
    empty_answers: Confusion


def form_of(scene: str, *, with_evidence: bool) -> str:
    """The scene as reports name it: of 1.x there are two forms, 3 and 4 come with evidence always."""
    return f"{scene} with evidence" if with_evidence and scene.startswith("1") else scene


def figures(answers: Sequence[ScoredAnswer], seed: int = 0) -> list[Figures]:
    """Figures for each scene and type of block, for each scene, and for all; sorted.

    Comments, which nothing tests, stand apart: they are in no figure but their own, which is that of their similarity.
    """
    groups: dict[tuple[str, str], list[ScoredAnswer]] = {}
    for answer in answers:
        keys = [(answer.scene, answer.block_type)]
        if answer.block_type != COMMENT:
            keys += [(answer.scene, ALL), (ALL, answer.block_type), (ALL, ALL)]
        for key in keys:
            groups.setdefault(key, []).append(answer)

    def order(key: tuple[str, str]) -> tuple[bool, str, bool, str]:
        return key[0] == ALL, key[0], key[1] == ALL, key[1]

    return [_figures(*key, groups[key], seed) for key in sorted(groups, key=order)]


def whole_figures(answers: Sequence[ScoredAnswer], seed: int = 0) -> Figures:
    """The figures for all scenes and types of block, without comments."""
    return _figures(ALL, ALL, [answer for answer in answers if answer.block_type != COMMENT], seed)


def _figures(scene: str, block_type: str, answers: Sequence[ScoredAnswer], seed: int) -> Figures:
    judged = [answer for answer in answers if "pass" in answer.scores]
    names = COMMENT_MEANS if block_type == COMMENT else (*MEANS, *_added(answers))
    means = {name: [answer for answer in answers if name in answer.scores] for name in names}
    return Figures(
        scene=scene,
        block_type=block_type,
        tasks=len({answer.task_id for answer in answers}),
        answers=len(answers),
        judged=len(judged),
        passed=sum(answer.scores["pass"] > 0 for answer in judged),
        infra=sum(answer.verdict == "infra" for answer in answers),
        pass_at_k=_passes(judged),
        interval=interval(judged, "pass", seed),
        means={name: _mean(known, name) for name, known in means.items() if known},
        intervals={name: own for name, known in means.items() if (own := interval(known, name, seed)) is not None},
        over=interval_subject(len({answer.repo for answer in answers})),
    )


def _added(answers: Sequence[ScoredAnswer]) -> list[str]:
    """The metrics that `evals rescore` has added."""
    return sorted({name for answer in answers for name in answer.scores}.difference(MEANS, ["pass"]))


def _passes(judged: Sequence[ScoredAnswer]) -> dict[str, float]:
    tasks: dict[str, list[bool]] = {}
    for answer in judged:
        tasks.setdefault(answer.task_id, []).append(answer.scores["pass"] > 0)
    fewest = min(map(len, tasks.values()), default=0)
    ks = sorted({*(k for k in _SOME_K if k <= fewest), *([fewest] if fewest else [])})
    places = {answer.task_id: answer for answer in judged}
    return {
        str(k): mean_of(_grouped(places, {task: pass_at_k(len(own), sum(own), k) for task, own in tasks.items()}))
        for k in ks
    }


def _mean(answers: Sequence[ScoredAnswer], name: str) -> float:
    return mean_of(grouped(answers, name))


def grouped(answers: Sequence[ScoredAnswer], name: str) -> list[list[TaskMean]]:
    """Return by repository the mean of each task's answers."""
    return _grouped({answer.task_id: answer for answer in answers}, _values(answers, name))


def _grouped(places: Mapping[str, ScoredAnswer], values: Mapping[str, float]) -> list[list[TaskMean]]:
    return by_repository(
        TaskMean(places[task].repo, places[task].file, places[task].hole, value) for task, value in values.items()
    )


def _values(answers: Iterable[ScoredAnswer], name: str) -> dict[str, float]:
    """By task the mean of its answers: tasks weigh alike."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        values.setdefault(answer.task_id, []).append(answer.scores[name])
    return {task: math.fsum(values) / len(values) for task, values in values.items()}


def interval(answers: Sequence[ScoredAnswer], name: str, seed: int) -> Interval | None:
    """The interval of a mean: clustered by file in a single repository, else as `repository_rates` says."""
    highest = _HIGHEST.get(name, 1.0)
    groups = [[replace(task, value=task.value / highest) for task in group] for group in grouped(answers, name)]
    if len(groups) < 2:
        return by_file(answers, name, seed)
    own = interval_of(groups)
    return own and Interval(highest * own.estimate, highest * own.low, highest * own.high)


def by_file(answers: Sequence[ScoredAnswer], name: str, seed: int) -> Interval | None:
    """The interval of a mean over tasks, clustered by file: holes of one file have much in common.

    By resampling files; where these are few, or all alike, as of a rate (`rate_over_clusters`), unless it is a number
    without such bounds.
    """
    file_of = {answer.task_id: answer.file for answer in answers}
    files = sorted(set(file_of.values()))
    if len(files) < 2:
        return None
    by: dict[str, list[float]] = {file: [] for file in files}
    highest = _HIGHEST.get(name, 1.0)
    for task, value in _values(answers, name).items():
        by[file_of[task]].append(value / highest)
    # Sums that do not depend on the order in which answers came.
    sums, counts = [math.fsum(values) for values in by.values()], [len(values) for values in by.values()]
    alike = len({total / count for total, count in zip(sums, counts, strict=True)}) == 1
    bounded = all(0 <= value <= 1 for values in by.values() for value in values)
    as_rate = bounded and (len(files) < FEW_FILES or alike)
    interval = rate_over_clusters(sums, counts) if as_rate else _resampled(sums, counts, seed)
    return interval and Interval(_mean(answers, name), highest * interval.low, highest * interval.high)


def _resampled(sums: Sequence[float], counts: Sequence[int], seed: int) -> Interval | None:
    import numpy as np

    from runner.stats.bootstrap import percentile_interval, resamples

    drawn = resamples(len(sums), DRAWS, seed)
    return percentile_interval(math.fsum(sums) / sum(counts), (drawn @ np.array(sums)) / (drawn @ np.array(counts)))


def confusion(answers: Iterable[ScoredAnswer]) -> Confusion:
    """Count empty answers against holes where nothing was missing; comments, and holes left unfilled, are left out."""
    counted: dict[tuple[bool, bool], int] = {}
    for answer in answers:
        if answer.block_type != COMMENT and "empty" in answer.scores:
            key = (not answer.missing, answer.scores["empty"] > 0)
            counted[key] = counted.get(key, 0) + 1

    def count(*, complete: bool, empty: bool) -> int:
        return counted.get((complete, empty), 0)

    return Confusion(
        tp=count(complete=True, empty=True),
        fp=count(complete=False, empty=True),
        fn=count(complete=True, empty=False),
        tn=count(complete=False, empty=False),
    )
