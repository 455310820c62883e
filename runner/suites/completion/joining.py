"""Several data sets as one: tasks keep their repository, and are called by it."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from runner.errors import InputError
from runner.suites.completion.dataset import REPOSITORY, Dataset, DatasetOrigin, place_of, read_dataset

_FEWEST = 2


def joined(files: Sequence[Path]) -> Dataset:
    """Return the tasks of several files, each of one repository or joined itself, in their order.

    Raises InputError for a file that is no data set, and for a repository that comes twice.
    """
    if len(files) < _FEWEST:
        raise InputError(f"{files[0]}: is one data set, and there is nothing to join it with; give two or more")
    parts = [_named(path) for path in files]
    origins: dict[str, tuple[DatasetOrigin, Path]] = {}
    for path, part in zip(files, parts, strict=True):
        for name, about in part.origins.items():
            if name in origins:
                other = origins[name][1]
                raise InputError(
                    f"{path}: field 'repo' is {name!r}, as in {other}; build one from a folder of another name"
                )
            origins[name] = (about, path)
    about, *others = (about for about, _ in origins.values())
    return Dataset(
        about,
        {place: text for part in parts for place, text in part.files.items()},
        tuple(task for part in parts for task in part.tasks),
        tuple(survivor for part in parts for survivor in part.survivors),
        tuple(others),
    )


def _named(path: Path) -> Dataset:
    """Return a data set whose tasks name their repository."""
    dataset = read_dataset(path)
    if dataset.joined:
        return dataset
    name = dataset.about.repo
    if not REPOSITORY.fullmatch(name):
        raise InputError(f"{path}: field 'repo' is {name!r}, which names no folder; build it again from a named one")
    return Dataset(
        dataset.about,
        {place_of(name, file): text for file, text in dataset.files.items()},
        tuple(replace(task, task_id=f"{name}/{task.task_id}", repo=name) for task in dataset.tasks),
        tuple(replace(survivor, repo=name) for survivor in dataset.survivors),
    )
