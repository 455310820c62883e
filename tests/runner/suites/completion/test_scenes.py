"""What of a file is seen in each scene, and what is shown beside it."""

import pytest

from runner.suites.completion.blocks import blocks
from runner.suites.completion.dataset import Dataset, DatasetOrigin, Task
from runner.suites.completion.evidence import Index
from runner.suites.completion.holes import Hole, holes_of
from runner.suites.completion.scenes import SCENES, forms, task_of

USE = '''\
"""Uses of shapes."""

from pack.shapes import area, width


def total(shapes):
    whole = width(shapes)  # as wide as all of them
    for shape in shapes:
        whole += area(shape)
    return whole


def other(shapes):
    return [shape for shape in shapes]
'''
SHAPES = '''\
def area(shape):
    """How large it is."""
    return shape.width * shape.height


def width(shapes):
    return sum(shape.width for shape in shapes)


def total_width(shapes):
    whole = 0
    for shape in shapes:
        whole += shape.width
    return whole
'''
FILES = {"pack/use.py": USE, "pack/shapes.py": SHAPES}
ALL = frozenset(SCENES)


def holes(kind: str) -> list[Hole]:
    data = USE.encode()
    return [
        hole
        for block in blocks(data)
        for hole in holes_of("pack/use.py", data, block, seed=0)
        if block.type == kind and block.span.start_line < 12
    ]


def tasks(hole: Hole, scenes: frozenset[str] = ALL) -> dict[str, Task]:
    return {
        f"{task.scene}+" if task.with_evidence else task.scene: task
        for scene, told in forms(scenes)
        if (task := task_of(hole, USE.encode(), Index(FILES), scene, with_evidence=told)) is not None
    }


def seen(task: Task) -> tuple[str, str, str]:
    dataset = Dataset(DatasetOrigin("pack", "", "3.11", (), 1, 0), FILES, (task,))
    return dataset.prefix(task), dataset.truth(task), dataset.suffix(task)


LOOP = "for shape in shapes:\n        whole += area(shape)"


def test_a_whole_block_is_a_task_of_every_scene_of_whole_blocks() -> None:
    assert set(tasks(holes("FOR")[0])) == {"1.1", "1.1+", "1.2", "1.2+", "1.3", "1.3+", "3", "4"}


@pytest.mark.parametrize("kind, scene", [("inner", "2.1"), ("empty", "2.2")])
def test_other_holes_have_a_scene_of_their_own(kind: str, scene: str) -> None:
    hole = next(one for one in holes("FOR") if one.kind == kind)

    assert set(tasks(hole)) == {scene}


@pytest.mark.parametrize(
    "scene, suffix",
    [
        pytest.param("1.1", USE.partition(LOOP)[2], id="all"),
        pytest.param("1.2", USE.partition("return whole")[2], id="what is behind the function"),
        pytest.param("1.3", "", id="nothing"),
        pytest.param("3", USE.partition(LOOP)[2], id="all, with what the hole names"),
        pytest.param("4", USE.partition(LOOP)[2], id="all, with what is alike"),
    ],
)
def test_each_scene_shows_its_part_behind_the_hole(scene: str, suffix: str) -> None:
    prefix, truth, behind = seen(tasks(holes("FOR")[0])[scene])

    assert (prefix, truth) == (USE.partition(LOOP)[0], LOOP)
    assert behind == suffix


def test_a_whole_file_is_tested_whatever_is_seen() -> None:
    for task in tasks(holes("FOR")[0]).values():
        dataset = Dataset(DatasetOrigin("pack", "", "3.11", (), 1, 0), FILES, (task,))

        assert dataset.assembled(task, LOOP) == USE


def test_evidence_is_what_the_visible_text_imports() -> None:
    found = tasks(holes("FOR")[0])

    assert [one.text.partition("(")[0] for one in found["1.1+"].evidence] == ["def area", "def width"]
    assert [one.text.partition("(")[0] for one in found["3"].evidence] == ["def area"]
    assert found["1.1"].evidence == ()


def test_like_functions_are_shown_and_never_the_one_around_the_hole() -> None:
    shown = [one.text.partition("(")[0] for one in tasks(holes("FOR")[0])["4"].evidence]

    assert shown[0] == "def total_width"
    assert "def total" not in shown


def test_a_comment_is_a_task_of_the_first_scene_only() -> None:
    assert set(tasks(holes("COMMENT")[0])) == {"1.1"}


def test_an_import_outside_of_functions_has_no_rest_of_a_function() -> None:
    found = tasks(holes("IMPORT")[0])

    assert "1.2" not in found
    assert found["1.3"].function == ""


def test_only_scenes_that_are_asked_for_are_laid_out() -> None:
    assert set(tasks(holes("FOR")[0], frozenset({"1.2", "3"}))) == {"1.2", "1.2+", "3"}


def test_names_of_tasks_tell_scene_block_and_place() -> None:
    found = tasks(holes("FOR")[0])
    start = USE.encode().index(LOOP.encode())

    assert found["1.3+"].task_id == f"1.3+evidence/FOR/pack/use.py:{start}-{start + len(LOOP)}"
    assert len({task.task_id for task in found.values()}) == len(found)
