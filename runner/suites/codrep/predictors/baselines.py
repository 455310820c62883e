"""Predictors without a model: fixed places, a random line, the worst line, and two similarities.

`first`, `middle`, `last`, `random` and `worst` are the competition's own baselines; `trigram` is the ranking of the
July 2018 leader without its filters (Dice over character trigrams); `formula` adds up four similarities by hand.
"""

import random

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepTask


def first(_: CodrepTask) -> int:
    """Line 1."""
    return 1


def middle(task: CodrepTask) -> int:
    """The line half way down, and line 1 of a program of one line."""
    return max(1, len(task.lines) // 2)


def last(task: CodrepTask) -> int:
    """The last line."""
    return len(task.lines)


def worst(task: CodrepTask) -> int:
    """The end of the file that is farther from the answer. Raises InputError when the answer is not at hand."""
    if task.answer is None:
        raise InputError(f"{task.path}: the worst line needs the solution, which is not there")
    return 1 if task.answer - 1 > len(task.lines) - task.answer else len(task.lines)


def any_line(task: CodrepTask, seed: int = 0) -> int:
    """A uniformly drawn line: the same for the same task and seed, in any order of tasks."""
    return random.Random(f"{seed} {task.case_id}").randint(1, len(task.lines))
