"""Means over the tasks of several repositories: each repository weighs alike, however many tasks it has.

| repositories | of what the interval speaks |
|---|---|
| five and more | of all repositories like these: the repository is the unit (`rate_over_cases`) |
| fewer | of these repositories alone: files are the units within each (`rate_over_strata`) |

Two to four repositories say next to nothing of others: such an interval would be as wide as the scale.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runner.stats.intervals import Interval, mean_over_cases, rate_over_cases
from runner.stats.unlike_clusters import ClusteredMean, clustered_mean, mean_over_strata, pooled_rate, rate_over_strata

MANY = 5
# What an interval speaks of.
FILES, THESE, ALL_LIKE_THESE = "files", "these repositories", "repositories"


@dataclass(frozen=True, slots=True)
class TaskMean:
    """The mean of a task's answers, and where the task is; `hole` is the same for all that ask for one text."""

    repo: str
    file: str
    hole: str
    value: float


Groups = list[list[TaskMean]]


def by_repository(tasks: Iterable[TaskMean]) -> Groups:
    """Return the tasks of each repository, by their names."""
    groups: dict[str, list[TaskMean]] = {}
    for task in tasks:
        groups.setdefault(task.repo, []).append(task)
    return [groups[name] for name in sorted(groups)]


def interval_subject(repositories: int) -> str:
    """Return what the intervals of means over so many repositories speak of."""
    if repositories < 2:
        return FILES
    return THESE if repositories < MANY else ALL_LIKE_THESE


def cluster_over(repositories: int) -> str:
    """Return the field of a task that groups those which are not independent, in comparisons over so many."""
    return "repo" if repositories >= MANY else "file"


def mean_of(groups: Groups) -> float:
    """Return the mean over repositories of the mean over their tasks."""
    return math.fsum(_mean(group) for group in groups) / len(groups)


def interval_of(groups: Groups) -> Interval | None:
    """Return that mean with its interval; None where a repository of few has a single hole."""
    bounded = all(0 <= task.value <= 1 for group in groups for task in group)
    if len(groups) >= MANY:
        means = [_mean(group) for group in groups]
        return rate_over_cases(means, sum(map(len, groups))) if bounded else mean_over_cases(means)
    strata = _strata(groups)
    if not strata:
        return None
    return rate_over_strata(strata) if bounded else mean_over_strata(strata)


def pooled_interval(groups: Groups) -> Interval | None:
    """Return the rate over all tasks, which weigh alike, with an interval that speaks of the same."""
    counts = [len(group) for group in groups]
    if len(groups) >= MANY:
        return pooled_rate([math.fsum(task.value for task in group) for group in groups], counts)
    strata = _strata(groups)
    return rate_over_strata(strata, [count / sum(counts) for count in counts]) if strata else None


def _strata(groups: Groups) -> list[ClusteredMean]:
    """Return the mean of each repository, clustered by file; by hole where all tasks are of one file.

    None of them where that of one is not known.
    """
    strata = [_stratum(group) for group in groups]
    known = [stratum for stratum in strata if stratum is not None]
    return known if len(known) == len(groups) else []


def _stratum(tasks: Sequence[TaskMean]) -> ClusteredMean | None:
    several = len({task.file for task in tasks}) > 1
    clusters: dict[str, list[float]] = {}
    for task in tasks:
        clusters.setdefault(task.file if several else task.hole, []).append(task.value)
    values = [clusters[name] for name in sorted(clusters)]
    return clustered_mean([math.fsum(own) for own in values], [len(own) for own in values])


def _mean(tasks: Sequence[TaskMean]) -> float:
    return math.fsum(task.value for task in tasks) / len(tasks)
