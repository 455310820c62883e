"""Which tasks a limited run takes: of every scene and type of block, and of every file."""

from collections import Counter
from dataclasses import replace
from itertools import product

from runner.suites.completion.dataset import ByteSpan, Dataset, DatasetOrigin, Task
from runner.suites.completion.task_choice import chosen

FILES = tuple(f"{name}.py" for name in "abcd")
SCENES = ("1.1", "2.1")
TYPES = ("IF", "STATEMENT")


def dataset(each: int) -> Dataset:
    """So many tasks of each file, scene and type, in the order in which a build writes them."""
    tasks = [
        Task(
            task_id=f"{scene}/{kind}/{file}:{start}",
            file=file,
            scene=scene,
            with_evidence=False,
            block_type=kind,
            span=ByteSpan(start, start, 1, 1),
            function="f",
            function_end=0,
            tests=(),
            tests_total=0,
            seconds=1,
            evidence=(),
            proof=None,
        )
        for scene, kind, file, start in product(SCENES, TYPES, FILES, range(each))
    ]
    return Dataset(DatasetOrigin("r", "", "3.11", (), 0, 0), dict.fromkeys(FILES, ""), tuple(tasks), ())


def test_a_limit_takes_as_many_of_each_scene_and_type_and_leaves_no_file_out() -> None:
    taken = chosen(dataset(30), None, 80)

    assert Counter((task.scene, task.block_type) for task in taken) == dict.fromkeys(product(SCENES, TYPES), 20)
    assert {task.file for task in taken} == set(FILES)


def test_a_larger_limit_takes_what_a_smaller_one_took_and_more() -> None:
    smaller, larger = (set(chosen(dataset(9), None, limit)) for limit in (10, 40))

    assert smaller < larger


def test_without_a_limit_all_tasks_of_the_scenes_are_taken() -> None:
    whole = dataset(2)

    assert chosen(whole, None, None) == whole.tasks
    assert {task.scene for task in chosen(whole, frozenset({"2.1"}), 1000)} == {"2.1"}


def test_a_limit_takes_as_many_of_each_repository() -> None:
    small, large = dataset(1).tasks, dataset(9).tasks
    tasks = (
        *(replace(task, task_id=f"a/{task.task_id}", repo="a") for task in small),
        *(replace(task, task_id=f"b/{task.task_id}", repo="b") for task in large),
    )

    taken = chosen(replace(dataset(0), tasks=tasks), None, 12)

    assert Counter(task.repo for task in taken) == {"a": 6, "b": 6}
