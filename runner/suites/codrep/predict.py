"""Predictions for a folder of tasks, by a named predictor, in one process or several."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from runner.errors import InputError
from runner.suites.codrep import baselines
from runner.suites.codrep.dataset import Dataset, Task

Predictor = Callable[[Task], int]

# Tasks that a process is handed at a time: long enough to forget the hand-over, short enough to share out evenly.
CHUNK = 64

# Each is made from a seed; only `random` has a use for it.
PREDICTORS: dict[str, Callable[[int], Predictor]] = {
    "first": lambda _: baselines.first,
    "middle": lambda _: baselines.middle,
    "last": lambda _: baselines.last,
    "random": lambda seed: partial(baselines.any_line, seed=seed),
    "worst": lambda _: baselines.worst,
}


def predict(dataset: Dataset, name: str, *, jobs: int = 1, seed: int = 0) -> Iterator[tuple[Path, int]]:
    """Each task's file and the predicted line, by number of task; the same for any number of `jobs`.

    Raises InputError for a name that no predictor has and for a malformed task.
    """
    if name not in PREDICTORS:
        raise InputError(f"--sut: no predictor is called {name!r}; there are {', '.join(PREDICTORS)}")
    paths = dataset.task_paths()
    chunks = [paths[at : at + CHUNK] for at in range(0, len(paths), CHUNK)]
    answer = partial(answer_all, dataset, name, seed)
    if jobs == 1:
        for chunk in chunks:
            yield from zip(chunk, answer(chunk), strict=True)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        for chunk, lines in zip(chunks, pool.map(answer, chunks), strict=True):
            yield from zip(chunk, lines, strict=True)


def answer_all(dataset: Dataset, name: str, seed: int, paths: tuple[Path, ...]) -> list[int]:
    """The predicted line of each task."""
    predictor = PREDICTORS[name](seed)
    return [predictor(dataset.read(path)) for path in paths]
