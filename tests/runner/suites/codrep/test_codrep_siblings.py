"""Evidence from other tasks of a folder, and that it stays apart from what one file tells."""

import time
from pathlib import Path

import pytest

from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.predictors.siblings import MOST_PLACES, SiblingLine, sibling_lines, strongest
from runner.suites.codrep.source_files import file_key

BEFORE = ["package a;", "class B {", "int c;", "int d;", "", "void e() {", "f();", "g();", "}", "}"]
AFTER = [line.replace("f();", "f(1);") for line in BEFORE]


@pytest.mark.parametrize(
    "text, key",
    [
        pytest.param("package a.b;\n\npublic class C {", ("a.b", "C"), id="a class"),
        pytest.param("package a;\n/** A class of its own.\n * class No\n */\ninterface D {", ("a", "D"), id="comments"),
        pytest.param("package a;\nenum E { F }", ("a", "E"), id="an enum"),
        pytest.param("class C {", None, id="no package"),
        pytest.param("package a;", None, id="no type"),
    ],
)
def test_a_file_is_known_by_package_and_type(text: str, key: tuple[str, str] | None) -> None:
    assert file_key(text) == key


def test_a_sibling_that_has_the_new_line_shows_its_place() -> None:
    assert strongest("f(1);", BEFORE, [AFTER]) == SiblingLine(line=7, strength=2 * 3 + 0.25 * 6)


def test_a_sibling_without_the_new_line_shows_nothing() -> None:
    assert strongest("f(2);", BEFORE, [AFTER]) is None


def test_two_places_that_are_alike_are_no_evidence() -> None:
    program = ["a", "x", "b", "a", "y", "b"]

    assert strongest("n", program, [["a", "n", "b"]]) is None


def test_a_line_that_is_the_new_line_already_is_no_evidence() -> None:
    assert strongest("f(1);", AFTER, [AFTER]) is None


@pytest.mark.parametrize("times, found", [(MOST_PLACES, SiblingLine(3, 5.0)), (MOST_PLACES + 1, None)])
def test_a_line_that_a_sibling_has_very_often_shows_no_place(times: int, found: SiblingLine | None) -> None:
    program = ["a", "b", "old;", "c", "d", "e", "f"]
    sibling = ["a", "b", "}", *program[3:], *["}"] * (times - 1)]

    assert strongest("}", program, [sibling]) == found


def test_blank_lines_before_anything_are_passed_over_soon() -> None:
    began = time.process_time()

    assert file_key("\n" * 100_000 + "package a;\nclass B {") == ("a", "B")
    assert time.process_time() - began < 2


def test_only_sure_matches_answer_for_a_folder(tmp_path: Path) -> None:
    programs = {"1": ("f(1);", BEFORE), "2": ("g(2);", AFTER), "3": ("f(1);", [line + " " for line in BEFORE[5:]])}
    (tmp_path / "D/Tasks").mkdir(parents=True)
    for name, (new, lines) in programs.items():
        (tmp_path / "D/Tasks" / f"{name}.txt").write_text("\n".join([new, "", *lines]))
    dataset = open_dataset(tmp_path / "D")

    assert sibling_lines(dataset) == {dataset.tasks / "1.txt": 7}
