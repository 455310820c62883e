"""Checks dataset folders: that each task can be read and, with `strict`, that its answer can be right."""

from collections.abc import Iterator
from pathlib import Path

from runner.errors import InputError
from runner.findings import Finding
from runner.suites.codrep.dataset import CodrepDataset, open_datasets


def check_datasets(folder: Path, *, strict: bool) -> tuple[int, tuple[Finding, ...]]:
    """Return how many tasks in a folder can be read, and all that is wrong with them. Raises nothing."""
    try:
        datasets = open_datasets([folder])
    except InputError as error:
        return 0, (_finding(folder, "folder", error, "fix the folder"),)
    good, findings = 0, list[Finding]()
    for dataset in datasets:
        paths = dataset.task_paths()
        wrong = [finding for path in paths for finding in _check_task(dataset, path, strict)]
        findings += (*_check_folder(dataset, paths), *wrong)
        good += len(paths) - len({finding.file for finding in wrong})
    return good, tuple(findings)


def _check_folder(dataset: CodrepDataset, paths: tuple[Path, ...]) -> Iterator[Finding]:
    if not paths:
        yield Finding(dataset.tasks, "folder", "has no tasks", "add files called 1.txt, 2.txt and so on")
    if dataset.solutions is None:
        yield Finding(dataset.tasks.parent, "folder", "has no folder Solutions", "add it, or predict only")
        return
    known = {path.name for path in paths}
    for solution in sorted(dataset.solutions.glob("*.txt")):
        if solution.name not in known:
            yield Finding(solution, "file", "is the solution of no task", "remove it, or add the task")


def _check_task(dataset: CodrepDataset, path: Path, strict: bool) -> Iterator[Finding]:
    try:
        task = dataset.read(path)
    except InputError as error:
        yield _finding(path, "task", error, "fix the task or its solution, or remove both")
        return
    if not strict or task.answer is None:
        return
    old, new = task.lines[task.answer - 1], task.new_line
    if not old.strip():
        yield Finding(path, "solution", f"line {task.answer} is blank", "name the line that was replaced")
    elif "".join(old.split()) == "".join(new.split()):
        why = f"line {task.answer} differs from the new line in nothing but white space"
        yield Finding(path, "solution", why, "name the line that was replaced")


def _finding(file: Path, field: str, error: InputError, fix: str) -> Finding:
    """An error of reading as a finding; some errors name the file of a solution."""
    return Finding(file, field, str(error).removeprefix(f"{file}: "), fix)
