"""Proves a data set again, in the repository that it was built from."""

from collections.abc import Mapping

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.pool.threads import on_threads
from runner.suites.completion.dataset import Dataset, digest, place_of
from runner.suites.completion.proving import Refuted, prove_again


def validate(judges: Mapping[str, Judge], dataset: Dataset, workers: int) -> list[Refuted]:
    """The tasks whose proof does not hold. Raises InputError for a repository in which a file has another text."""
    refuse_other_files(judges, dataset)
    results = on_threads(workers, lambda task: prove_again(judges[task.repo], dataset, task), dataset.tasks)
    return [result for result in results if result is not None]


def refuse_other_files(judges: Mapping[str, Judge], dataset: Dataset) -> None:
    """Raise InputError where a repository is not the one that the spans are of."""
    for name, about in dataset.origins.items():
        for path, text in dataset.files_of(name).items():
            held = judges[name].files.get(path)
            if held is None or digest(held.read().decode("utf-8", "surrogateescape")) != digest(text):
                commit = f" at {about.commit}" if about.commit else ""
                place = place_of(name, path)
                raise InputError(f"{place}: not the text of the data set; give {about.repo}{commit} as --repo")
