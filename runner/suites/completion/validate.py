"""Proves a data set again, in the repository that it was built from."""

from runner.errors import InputError
from runner.execution.repository_judge import Judge
from runner.pool.threads import on_threads
from runner.suites.completion.dataset import Dataset, digest
from runner.suites.completion.proving import Refuted, prove_again


def validate(judge: Judge, dataset: Dataset, workers: int) -> list[Refuted]:
    """The tasks whose proof does not hold. Raises InputError for a repository in which a file has another text."""
    refuse_other_files(judge, dataset)
    results = on_threads(workers, lambda task: prove_again(judge, dataset, task), dataset.tasks)
    return [result for result in results if result is not None]


def refuse_other_files(judge: Judge, dataset: Dataset) -> None:
    """Raise InputError where the repository is not the one that the spans are of."""
    for path, text in dataset.files.items():
        held = judge.files.get(path)
        if held is None or digest(held.read().decode("utf-8", "surrogateescape")) != digest(text):
            commit = f" at {dataset.about.commit}" if dataset.about.commit else ""
            raise InputError(f"{path}: not the text of the data set; give {dataset.about.repo}{commit} as --repo")
