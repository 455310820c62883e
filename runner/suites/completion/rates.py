"""The figures of completion answers: rates and means by scene and type of block, with intervals clustered by file."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from runner.stats.intervals import Interval, rate_over_clusters
from runner.stats.pass_at_k import pass_at_k

ALL = "all"
COMMENT = "COMMENT"
DRAWS = 2000
# Resamples of fewer files differ less than files do: intervals of two came out a tenth as wide as they should.
FEW_FILES = 10
_SOME_K = (1, 2, 5, 10, 20, 50, 100)
# What is told of every answer, judged or not.
MEANS = ("exact", "first_line", "similarity", "es-token", "empty", "over_run")
COMMENT_MEANS = ("similarity",)
_HIGHEST = {"similarity": 100.0}


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer to one task as a chain took it: its scores by name, of which `pass` is missing without a verdict."""

    task_id: str
    scene: str
    block_type: str
    file: str
    missing: bool
    verdict: str | None
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of a group of answers.

    - `judged` answers have a verdict, `passed` of them pass; `infra` were put to the judge in vain and are in no rate.
    - `pass_at_k` by k: the mean over tasks, for every k that all tasks have answers for (Chen et al. 2021).
    - `interval` is that of pass@1, `means` are shares in 0..1 but for `similarity` (0..100), each with its interval;
      intervals are clustered by file, and missing for a single file, which tells nothing of others.
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


@dataclass(frozen=True, slots=True)
class Confusion:
    """Empty answers against holes in which nothing is missing: `tp` said nothing where nothing was missing."""

    tp: int
    fp: int
    fn: int
    tn: int


def form_of(scene: str, *, with_evidence: bool) -> str:
    """The scene as reports name it: of 1.x there are two forms, 3 and 4 come with evidence always."""
    return f"{scene} with evidence" if with_evidence and scene.startswith("1") else scene


def figures(answers: Sequence[Answered], seed: int = 0) -> list[Figures]:
    """Figures for each scene and type of block, for each scene, and for all; sorted.

    Comments, which nothing tests, stand apart: they are in no figure but their own, which is that of their similarity.
    """
    groups: dict[tuple[str, str], list[Answered]] = {}
    for one in answers:
        told = [(one.scene, one.block_type)]
        if one.block_type != COMMENT:
            told += [(one.scene, ALL), (ALL, one.block_type), (ALL, ALL)]
        for key in told:
            groups.setdefault(key, []).append(one)

    def order(key: tuple[str, str]) -> tuple[bool, str, bool, str]:
        return key[0] == ALL, key[0], key[1] == ALL, key[1]

    return [_figures(*key, groups[key], seed) for key in sorted(groups, key=order)]


def _figures(scene: str, block_type: str, answers: Sequence[Answered], seed: int) -> Figures:
    judged = [one for one in answers if "pass" in one.scores]
    names = COMMENT_MEANS if block_type == COMMENT else (*MEANS, *_added(answers))
    means = {name: [one for one in answers if name in one.scores] for name in names}
    return Figures(
        scene=scene,
        block_type=block_type,
        tasks=len({one.task_id for one in answers}),
        answers=len(answers),
        judged=len(judged),
        passed=sum(one.scores["pass"] > 0 for one in judged),
        infra=sum(one.verdict == "infra" for one in answers),
        pass_at_k=_passes(judged),
        interval=by_file(judged, "pass", seed),
        means={name: _mean(known, name) for name, known in means.items() if known},
        intervals={
            name: interval for name, known in means.items() if (interval := by_file(known, name, seed)) is not None
        },
    )


def _added(answers: Sequence[Answered]) -> list[str]:
    """The metrics that `evals rescore` has added."""
    return sorted({name for one in answers for name in one.scores}.difference(MEANS, ["pass"]))


def _passes(judged: Sequence[Answered]) -> dict[str, float]:
    tasks: dict[str, list[bool]] = {}
    for one in judged:
        tasks.setdefault(one.task_id, []).append(one.scores["pass"] > 0)
    fewest = min(map(len, tasks.values()), default=0)
    wanted = sorted({*(k for k in _SOME_K if k <= fewest), *([fewest] if fewest else [])})
    return {
        str(k): math.fsum(pass_at_k(len(each), sum(each), k) for each in tasks.values()) / len(tasks) for k in wanted
    }


def _mean(answers: Sequence[Answered], name: str) -> float:
    return math.fsum(_values(answers, name).values()) / len({one.task_id for one in answers})


def _values(answers: Iterable[Answered], name: str) -> dict[str, float]:
    """By task the mean of its answers: tasks weigh alike."""
    found: dict[str, list[float]] = {}
    for one in answers:
        found.setdefault(one.task_id, []).append(one.scores[name])
    return {task: math.fsum(values) / len(values) for task, values in found.items()}


def by_file(answers: Sequence[Answered], name: str, seed: int) -> Interval | None:
    """The interval of a mean over tasks, clustered by file: holes of one file have much in common.

    By resampling files; where these are few, or all alike, as of a rate (`rate_over_clusters`), unless it is a number
    without such bounds.
    """
    file_of = {one.task_id: one.file for one in answers}
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
    found = rate_over_clusters(sums, counts) if as_rate else _resampled(sums, counts, seed)
    return found and Interval(_mean(answers, name), highest * found.low, highest * found.high)


def _resampled(sums: Sequence[float], counts: Sequence[int], seed: int) -> Interval | None:
    import numpy as np

    from runner.stats.bootstrap import percentile_interval, resamples

    drawn = resamples(len(sums), DRAWS, seed)
    return percentile_interval(math.fsum(sums) / sum(counts), (drawn @ np.array(sums)) / (drawn @ np.array(counts)))


def confusion(answers: Iterable[Answered]) -> Confusion:
    """Who said nothing, against where nothing was missing; comments are left out."""
    counted: dict[tuple[bool, bool], int] = {}
    for one in answers:
        if one.block_type != COMMENT:
            key = (not one.missing, one.scores["empty"] > 0)
            counted[key] = counted.get(key, 0) + 1

    def count(*, complete: bool, said_nothing: bool) -> int:
        return counted.get((complete, said_nothing), 0)

    return Confusion(
        tp=count(complete=True, said_nothing=True),
        fp=count(complete=False, said_nothing=True),
        fn=count(complete=True, said_nothing=False),
        tn=count(complete=False, said_nothing=False),
    )
