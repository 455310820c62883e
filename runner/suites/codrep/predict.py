"""Predictions for a folder of tasks, by a named predictor, in one process or several."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from runner.errors import InputError
from runner.suites.codrep import baselines
from runner.suites.codrep.dataset import Dataset, Task

Predictor = Callable[[Task], int]

# Tasks that a process is handed at a time: long enough to forget the hand-over, short enough to share out evenly.
CHUNK = 64
# The ranker, with its answers replaced wherever other tasks of the folder show the line.
WITH_SIBLINGS = "ranker+siblings"


@dataclass(frozen=True, slots=True)
class Choice:
    """Who predicts: a name of PREDICTORS, the seed of whatever is drawn, a model other than the shipped one."""

    name: str
    seed: int = 0
    model: Path | None = None


def predict(dataset: Dataset, choice: Choice, *, jobs: int = 1) -> Iterator[tuple[Path, int]]:
    """Each task's file and the predicted line, by number of task; the same for any number of `jobs`.

    Raises InputError for a name that no predictor has and for a malformed task.
    """
    if choice.name not in PREDICTORS:
        raise InputError(f"--sut: no predictor is called {choice.name!r}; there are {', '.join(PREDICTORS)}")
    shown = _shown_by_siblings(dataset) if choice.name == WITH_SIBLINGS else {}
    for path, line in _predict_each(dataset, choice, jobs):
        yield path, shown.get(path, line)


def _predict_each(dataset: Dataset, choice: Choice, jobs: int) -> Iterator[tuple[Path, int]]:
    paths = dataset.task_paths()
    chunks = [paths[at : at + CHUNK] for at in range(0, len(paths), CHUNK)]
    if jobs == 1:
        predictor = PREDICTORS[choice.name](choice)
        for path in paths:
            yield path, predictor(dataset.read(path))
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        found = pool.map(partial(answer_all, dataset, choice), chunks)
        for chunk, lines in zip(chunks, found, strict=True):
            yield from zip(chunk, lines, strict=True)


def answer_all(dataset: Dataset, choice: Choice, paths: Sequence[Path]) -> list[int]:
    """The predicted line of each task."""
    predictor = PREDICTORS[choice.name](choice)
    return [predictor(dataset.read(path)) for path in paths]


def _shown_by_siblings(dataset: Dataset) -> dict[Path, int]:
    from runner.suites.codrep.siblings import sibling_lines

    return sibling_lines(dataset)


def _trigram(_: Choice) -> Predictor:
    from runner.suites.codrep.similarities import trigram

    return trigram


def _formula(_: Choice) -> Predictor:
    from runner.suites.codrep.similarities import formula

    return formula


def _ranker(choice: Choice) -> Predictor:
    from runner.suites.codrep.model import model_at
    from runner.suites.codrep.ranker import ranking

    rank = ranking(model_at(choice.model))
    return lambda task: rank(task).answer


PREDICTORS: dict[str, Callable[[Choice], Predictor]] = {
    "ranker": _ranker,
    WITH_SIBLINGS: _ranker,
    "formula": _formula,
    "trigram": _trigram,
    "first": lambda _: baselines.first,
    "middle": lambda _: baselines.middle,
    "last": lambda _: baselines.last,
    "random": lambda choice: partial(baselines.any_line, seed=choice.seed),
    "worst": lambda _: baselines.worst,
}
