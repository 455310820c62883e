"""Predictions for a folder of tasks, by a named predictor, in one process or several."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from runner.errors import InputError
from runner.pool.blocks import spread
from runner.suites.codrep.dataset import CodrepDataset, CodrepTask
from runner.suites.codrep.predictors import baselines

Predictor = Callable[[CodrepTask], int]
OnBad = Callable[[InputError], None]

# Tasks that a process gets at a time: enough for the transfer not to matter, few enough to share them evenly.
CHUNK = 16
# The ranker, with its answers replaced wherever other tasks of the folder show the line.
WITH_SIBLINGS = "ranker+siblings"
# The one predictor that knows the solutions.
WORST = "worst"


@dataclass(frozen=True, slots=True)
class Choice:
    """A predictor: a name of PREDICTORS, the seed of random lines, and a model instead of the shipped one."""

    name: str
    seed: int = 0
    model: Path | None = None


def end_with(error: InputError) -> None:
    """Stop at a malformed task: raises its error."""
    raise error


def unscorable(dataset: CodrepDataset) -> list[str]:
    """A warning where predictions cannot be scored: a scorer takes a task's path to end at the first blank."""
    blank = [path for path in dataset.task_paths() if len(str(path).split()) > 1]
    if not blank:
        return []
    why = f"its path has a blank, where scorers take it to end, so they cannot read the predictions of {len(blank)}"
    return [f"{blank[0]}: {why} tasks; move the folder, or link it, to a path without blanks"]


def predict(
    dataset: CodrepDataset, choice: Choice, *, jobs: int = 1, on_bad: OnBad = end_with
) -> Iterator[tuple[Path, int]]:
    """Each task's file and the predicted line, by number of task; the same for any number of `jobs`.

    A malformed task is handed to `on_bad` and left out. Raises InputError for an unknown predictor, for a folder
    without tasks, and for `worst` where there are no solutions.
    """
    if choice.name not in PREDICTORS:
        raise InputError(f"--sut: no predictor is called {choice.name!r}; there are {', '.join(PREDICTORS)}")
    if not dataset.task_paths():
        raise InputError(f"{dataset.tasks}: no tasks: they are files called 1.txt, 2.txt and so on")
    if choice.name != WORST:
        dataset = replace(dataset, solutions=None)
    elif dataset.solutions is None:
        raise InputError(f"{dataset.tasks.parent}: no folder Solutions, which `worst` needs")
    siblings = _shown_by_siblings(dataset) if choice.name == WITH_SIBLINGS else {}
    paths = dataset.task_paths()
    for path, line in zip(paths, spread(paths, partial(_answer_all, dataset, choice), jobs, CHUNK), strict=True):
        if isinstance(line, InputError):
            on_bad(line)
        else:
            yield path, siblings.get(path, line)


def _answer_all(dataset: CodrepDataset, choice: Choice, paths: Sequence[Path]) -> list[int | InputError]:
    """The predicted line of each task, or why it cannot be read."""
    predictor = _predictor(choice)
    return [_answer(dataset, predictor, path) for path in paths]


@cache
def _predictor(choice: Choice) -> Predictor:
    """The predictor of a choice, made once in a process."""
    return PREDICTORS[choice.name](choice)


def _answer(dataset: CodrepDataset, predictor: Predictor, path: Path) -> int | InputError:
    try:
        task = dataset.read(path)
    except InputError as error:
        return error
    return predictor(task)


def _shown_by_siblings(dataset: CodrepDataset) -> dict[Path, int]:
    from runner.suites.codrep.predictors.siblings import sibling_lines

    return sibling_lines(dataset)


def _trigram(_: Choice) -> Predictor:
    from runner.suites.codrep.ranker.similarities import trigram

    return trigram


def _formula(_: Choice) -> Predictor:
    from runner.suites.codrep.ranker.similarities import formula

    return formula


def _ranker(choice: Choice) -> Predictor:
    from runner.suites.codrep.ranker.model import model_at
    from runner.suites.codrep.ranker.ranking import ranking

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
    WORST: lambda _: baselines.worst,
}
