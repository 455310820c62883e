"""Which tasks of a data set a run has: of repositories that are new enough, of some scenes, and not too many."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from itertools import zip_longest
from pathlib import Path

from runner.errors import InputError
from runner.suites.completion.dataset import Dataset, Task

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The tasks of a repository whose first release is not after a date; `released` is "" where none is known."""

    repository: str
    tasks: int
    released: str

    @property
    def line(self) -> str:
        """For people."""
        return f"{self.tasks} of {self.repository} ({self.released or 'no date of a release is known'})"


def released_after(dataset: Dataset, day: date | None, file: Path) -> tuple[Dataset, tuple[LeftOut, ...]]:
    """Return the tasks of repositories that were first released after a day with the commit, and what is left out.

    All of them without a day. Raises InputError where none is left.
    """
    if day is None:
        return dataset, ()
    tasks = Counter(task.repo for task in dataset.tasks)
    out, kept = [], []
    for name, about in dataset.origins.items():
        released = about.provenance.released if _DAY.fullmatch(about.provenance.released) else ""
        if released > day.isoformat():
            kept.append(name)
        else:
            out.append(LeftOut(about.repo, tasks[name], released))
    if not kept:
        raise InputError(f"{file}: no task is left; {left_out_note(day.isoformat(), out)}; give an earlier day")
    return _only(dataset, kept), tuple(out)


def left_out_note(day: str, left_out: Sequence[LeftOut]) -> str:
    """Return what was left out, in a line."""
    tasks = sum(repository.tasks for repository in left_out)
    which = ", ".join(repository.line for repository in left_out)
    return f"--released-after {day} leaves out {tasks} tasks" + (f": {which}" if which else "")


def left_out_settings(day: date | None, left_out: Sequence[LeftOut]) -> dict[str, object]:
    """Return what a run keeps of it; nothing without a day."""
    if day is None:
        return {}
    return {"released_after": day.isoformat(), "left_out": [asdict(repository) for repository in left_out]}


def _only(dataset: Dataset, names: Sequence[str]) -> Dataset:
    about, *others = (dataset.origins[name] for name in names)
    return replace(
        dataset,
        about=about,
        files={place: text for name in names for place, text in dataset.placed_files(name).items()},
        tasks=tuple(task for task in dataset.tasks if task.repo in names),
        survivors=tuple(survivor for survivor in dataset.survivors if survivor.repo in names),
        others=tuple(others),
    )


def chosen(dataset: Dataset, scenes: frozenset[str] | None, limit: int | None) -> tuple[Task, ...]:
    """The tasks of these scenes, at most `limit`: taken by turns from each repository, scene and type of block.

    In each of these by the digests of their names: the first ones in their order would all be of one file.
    """
    tasks = [task for task in dataset.tasks if scenes is None or task.scene in scenes]
    if limit is None or limit >= len(tasks):
        return tuple(tasks)
    repositories: dict[str, list[Task]] = {}
    for task in tasks:
        repositories.setdefault(task.repo, []).append(task)
    rows = [_in_turn(own) for own in repositories.values()]
    kept = {task.task_id for task in _by_turns(rows)[:limit]}
    return tuple(task for task in tasks if task.task_id in kept)


def _in_turn(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks of a repository by turns from each scene and type of block."""
    scenes: dict[tuple[str, bool], dict[str, list[Task]]] = {}
    for task in tasks:
        blocks = scenes.setdefault((task.scene, task.with_evidence), {})
        blocks.setdefault(task.block_type, []).append(task)
    # Each scene begins with another type of block, so that few tasks are of many kinds.
    drawn = [[sorted(tasks, key=_draw) for tasks in blocks.values()] for blocks in scenes.values()]
    return _by_turns([_by_turns(_rotated(blocks, at)) for at, blocks in enumerate(drawn)])


def _draw(task: Task) -> str:
    return hashlib.sha256(task.task_id.encode()).hexdigest()


def _rotated(groups: list[list[Task]], by: int) -> list[list[Task]]:
    at = by % len(groups)
    return groups[at:] + groups[:at]


def _by_turns(groups: list[list[Task]]) -> list[Task]:
    return [task for turn in zip_longest(*groups) for task in turn if task is not None]
