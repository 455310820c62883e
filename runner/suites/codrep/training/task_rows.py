"""What is measured of the tasks of a dataset, task by task, in one process or several."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from runner.errors import InputError
from runner.pool.blocks import spread
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask

CHUNK = 128

RowT = TypeVar("RowT")


def rows_of(dataset: CodrepDataset, jobs: int, measure_task: Callable[[CodrepTask], RowT | None]) -> list[RowT]:
    """What `measure_task` returns for the tasks, in their order; tasks for which it returns None are left out.

    Raises InputError where nothing is left.
    """
    rows = list(spread(dataset.task_paths(), partial(_work, dataset, measure_task), jobs, CHUNK))
    if not rows:
        raise InputError(f"{dataset.tasks.parent}: no task has a line that could have been replaced")
    return rows


def _work(
    dataset: CodrepDataset, measure_task: Callable[[CodrepTask], RowT | None], paths: Sequence[Path]
) -> list[RowT]:
    rows = (measure_task(dataset.read(path)) for path in paths)
    return [row for row in rows if row is not None]
