"""Tasks of the competition's form, made commits again, are mined as the tasks that they were."""

import os
import sys
from pathlib import Path

import pytest

from runner.mine.file_filter import file_filter
from runner.mine.mining import Search, mine
from runner.suites.codrep.dataset import open_datasets
from runner.suites.nextedit.new_repositories import write_pairs
from tests.codrep import SAMPLE

Tasks = dict[bytes, bytes]


def tasks_of(folder: Path, every: int = 1) -> Tasks:
    """The solutions of a dataset by the tasks' texts."""
    paths = sorted((folder / "Tasks").glob("*.txt"))[::every]
    return {path.read_bytes(): (folder / "Solutions" / path.name).read_bytes() for path in paths}


def mined_again(tasks: Tasks, folder: Path) -> Tasks:
    """What is mined from a repository of two commits for each task: its program, and that with the line replaced."""
    (folder / "repo.git").mkdir()
    write_pairs(folder / "repo.git", [commits_of(number, task, tasks[task]) for number, task in enumerate(tasks)])
    mine(Search("codrep", folder / "repo.git", file_filter("java", "", 10**7), ("refs/heads/pairs",)), folder / "out")
    return tasks_of(folder / "out")


def commits_of(number: int, task: bytes, solution: bytes) -> tuple[dict[bytes, bytes], dict[bytes, bytes]]:
    """The trees before and after a task's line was replaced."""
    new_line, _, before = task.split(b"\n", 2)
    lines = before.split(b"\n")
    old = lines[int(solution) - 1]
    lines[int(solution) - 1] = old[: len(old) - len(old.lstrip())] + new_line
    return {b"%d.java" % number: before}, {b"%d.java" % number: b"\n".join(lines)}


def test_every_shipped_task_is_mined_again_but_the_one_of_a_comment(tmp_path: Path) -> None:
    tasks = tasks_of(SAMPLE)

    mined = mined_again(tasks, tmp_path)

    missing = [task for task in tasks if mined.get(task) != tasks[task]]
    assert len(tasks) == 20
    assert [task.partition(b"\n")[0] for task in missing] == [b"* Temperatures are in degrees Fahrenheit."]


@pytest.mark.slow
@pytest.mark.conformance
def test_the_competition_s_tasks_are_mined_again_but_for_comments(tmp_path: Path) -> None:
    folders = [Path(name) for name in os.environ.get("EVALS_CODREP_DATASETS", "").split(os.pathsep) if name]
    if not folders:
        pytest.skip("the training data is not at hand: set EVALS_CODREP_DATASETS to its dataset folders")
    tasks: Tasks = {}
    for dataset in open_datasets(folders):
        tasks |= tasks_of(dataset.tasks.parent, every=40)

    mined = mined_again(tasks, tmp_path)

    same = sum(mined.get(task) == solution for task, solution in tasks.items())
    sys.stderr.write(f"{same} of {len(tasks)} tasks are mined again\n")
    assert all(mined.get(task, solution) == solution for task, solution in tasks.items())
    assert same >= 0.95 * len(tasks)
