"""The competition's score: the mean of tanh(distance) over all tasks, and how many lines were hit exactly.

The formula and the three printed lines are those of the competition's `evaluate.py`. Differences, each on purpose:
paths are normalised and task ids are accepted, a dataset named twice counts once, sums are exact (`math.fsum`), and
a bad line costs its own task 1 instead of ending the evaluation.
"""

import math
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from runner.errors import InputError
from runner.suites.codrep.dataset import CodrepDataset, count_lines, legible, read_answer
from runner.suites.codrep.source_files import mined_files, source_file

MISSING_LOSS = 1.0
RESAMPLES = 2000
# Of a longer field of a bad line only the beginning and the end are shown, in characters.
MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of the predictions that cannot be counted: its 1-based number and what is wrong with it."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class DatasetScore:
    """The score of some tasks; `distances` are |solution - prediction|, None for a task without a valid prediction.

    `files` names the source file of each task; without, each is taken to be of a file of its own.
    """

    name: str
    distances: tuple[int | None, ...]
    files: tuple[str, ...] = ()

    @property
    def tasks(self) -> int:
        """How many tasks there are."""
        return len(self.distances)

    @property
    def loss(self) -> float:
        """The average line error, 0 (best) to 1."""
        return math.fsum(map(task_loss, self.distances)) / self.tasks

    @property
    def recall(self) -> float:
        """The share of tasks whose line was hit."""
        return self.distances.count(0) / self.tasks


@dataclass(frozen=True, slots=True)
class Score:
    """One row a dataset, and the lines that were refused."""

    rows: tuple[DatasetScore, ...]
    bad_lines: tuple[BadLine, ...]

    @property
    def total(self) -> DatasetScore:
        """All tasks of all datasets together."""
        distances = tuple(distance for row in self.rows for distance in row.distances)
        return DatasetScore("all", distances, tuple(f"{row.name}/{file}" for row in self.rows for file in row.files))


def task_loss(distance: int | None) -> float:
    """The loss of one task: tanh of the distance in lines, 1 without a prediction."""
    return MISSING_LOSS if distance is None else math.tanh(distance)


def score(
    lines: Iterable[str], datasets: Sequence[CodrepDataset], *, strict: bool = False, by_file: bool = False
) -> Score:
    """Score predictions, one `<path or task id> <line>` each; what follows the number is ignored.

    A task with a bad line or with two predictions counts as one without a prediction; so does one whose solution
    cannot be read, which only a prediction asks for. With `strict` the first bad line raises InputError, where the
    original program ends. With `by_file` the rows say of which source file each task is: every task is read for it.
    Raises InputError when there are no tasks, and for a dataset without a folder Solutions.
    """
    book = _TaskBook(datasets)
    predicted: dict[Path, int | None] = {}
    bad: list[BadLine] = []
    for number, line in enumerate(lines, 1):
        try:
            path, distance = book.prediction(line, predicted)
            predicted[path] = distance
        except _RefusedLineError as error:
            if strict:
                raise InputError(f"predictions, line {number}: {error}") from None
            bad.append(BadLine(number, str(error)))
            if error.path is not None:
                predicted[error.path] = None
    return Score(tuple(book.rows(predicted, by_file=by_file)), tuple(bad))


def files_of(dataset: CodrepDataset) -> tuple[str, ...]:
    """The source file of each task of a dataset; a task that cannot be read stands for itself."""
    mined, tasks = mined_files(dataset), replace(dataset, solutions=None)
    files: list[str] = []
    for path in dataset.task_paths():
        try:
            files.append(source_file(tasks.read(path), mined))
        except InputError:
            files.append(dataset.case_id(path))
    return tuple(files)


def histogram(row: DatasetScore) -> dict[str, int]:
    """How many predictions were how many lines off: 0 to 5, `6-10`, `11-100`, `>100`, `none`."""
    return dict(Counter(map(_bin, row.distances)))


def _bin(distance: int | None) -> str:
    if distance is None:
        return "none"
    if distance <= 5:
        return str(distance)
    if distance <= 10:
        return "6-10"
    return "11-100" if distance <= 100 else ">100"


def loss_interval(row: DatasetScore, seed: int = 0, level: float = 0.95) -> tuple[float, float]:
    """A percentile bootstrap interval of the average line error over `RESAMPLES` draws of as many source files."""
    # numpy is loaded only where it is needed.
    import numpy as np

    from runner.stats.bootstrap import resampled_means

    losses: dict[object, list[float]] = defaultdict(list)
    for file, distance in zip(row.files or range(row.tasks), row.distances, strict=True):
        losses[file].append(task_loss(distance))
    groups = losses.values()
    means = resampled_means(list(map(math.fsum, groups)), list(map(len, groups)), RESAMPLES, seed)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def official_lines(score: Score) -> str:
    """The three lines that the competition's program prints."""
    total = score.total
    return (
        f"Total files: {total.tasks}\n"
        f"Average line error: {total.loss} (the lower, the better)\n"
        f"Recall@1: {total.recall} (the higher, the better)"
    )


class _RefusedLineError(Exception):
    """Why a line does not count, and whose prediction it spoils."""

    def __init__(self, reason: str, path: Path | None = None) -> None:
        super().__init__(reason)
        self.path = path


class _TaskBook:
    """The tasks of the chosen datasets, found by path however it is written, or by id."""

    def __init__(self, datasets: Sequence[CodrepDataset]) -> None:
        self._paths = {dataset: dataset.task_paths() for dataset in datasets}
        self._solutions: dict[Path, Path] = {}
        self._ids: dict[str, list[Path]] = defaultdict(list)
        for dataset, paths in self._paths.items():
            if dataset.solutions is None:
                raise InputError(f"{dataset.tasks.parent}: no folder Solutions, so nothing can be scored")
            for path in paths:
                self._solutions[path] = dataset.solutions / path.name
                self._ids[dataset.case_id(path)].append(path)
        if not self._solutions:
            raise InputError("the chosen datasets hold no tasks")
        self._resolved = {path.parent.resolve(): path.parent for path in self._solutions}

    def prediction(self, line: str, taken: Collection[Path]) -> tuple[Path, int]:
        """The task file in a line of predictions, and how many lines off it is; `taken` are those that had theirs."""
        fields = line.split()
        if len(fields) < 2:
            raise _RefusedLineError("a prediction is a path and a line number")
        name, written = map(_shortened, fields[:2])
        path = self._find(fields[0])
        try:
            guess = int(fields[1])
        except ValueError:
            raise _RefusedLineError(f"{written} should be an integer", path) from None
        if path is None:
            # Unlike Path.exists, this finds no file, rather than fails, where the name cannot be one.
            exists = os.path.exists(fields[0])  # noqa: PTH110
            raise _RefusedLineError(f"{name} is in none of the chosen datasets" if exists else f"{name} does not exist")
        try:
            answer, last = read_answer(self._solutions[path]), count_lines(path)
        except InputError as error:
            raise _RefusedLineError(str(error), path) from error
        if not 1 <= guess <= last:
            raise _RefusedLineError(f"{name}: expected a line number from 1 to {last}, found {written}", path)
        if path in taken:
            raise _RefusedLineError(f"a second prediction for {name}", path)
        return path, abs(answer - guess)

    def _find(self, name: str) -> Path | None:
        named = self._ids.get(name, ())
        if len(named) > 1:
            raise _RefusedLineError(f"{name} is a task of {len(named)} of the chosen datasets; give its path")
        if named:
            return named[0]
        if "\0" in name:
            return None
        path = Path(os.path.abspath(name))  # noqa: PTH100 - folds `a/..`, which Path.absolute keeps
        if path in self._solutions:
            return path
        folder = self._resolved.get(path.parent.resolve())
        inside = folder / path.name if folder else None
        return inside if inside in self._solutions else None

    def rows(self, predicted: Mapping[Path, int | None], *, by_file: bool) -> Iterator[DatasetScore]:
        """The score of each dataset, which is called by its folder where others have its name."""
        names = Counter(dataset.name for dataset in self._paths)
        for dataset, paths in self._paths.items():
            name = dataset.name if names[dataset.name] == 1 else legible(str(dataset.tasks.parent))
            yield DatasetScore(name, tuple(map(predicted.get, paths)), files_of(dataset) if by_file else ())


def _shortened(field: str) -> str:
    """Shorten a field of a bad line to a length that a message can have."""
    return field if len(field) <= MOST_SHOWN else f"{field[: MOST_SHOWN // 2]}...{field[-MOST_SHOWN // 2 :]}"
