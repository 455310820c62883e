"""Siblings: the evidence of other commits, against trying every pair of places."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import CodrepDataset, open_dataset
from runner.suites.codrep.predictors.predict import WITH_SIBLINGS, Choice, predict
from runner.suites.codrep.predictors.siblings import (
    FARTHER_SIDE,
    LEAST_STRENGTH,
    REACH,
    SiblingLine,
    sibling_lines,
    strongest,
)
from runner.suites.codrep.predictors.systems import messages_of, predictor_system
from runner.suites.codrep.source_files import file_key
from suts.recorded import Recorded

LINES = st.lists(st.sampled_from(["a", "b", "c", "n", ""]), min_size=1, max_size=9)
BODY = ["int a;", "int b;", "int c;", "void f() {", "g(1);", "h(2);", "}", "int d;"]


def run_of(one: list[str], at: int, other: list[str], place: int, step: int) -> int:
    """How many lines in a row are equal from two places on."""
    count = 0
    while count < REACH:
        at, place = at + step, place + step
        if not (0 <= at < len(one) and 0 <= place < len(other)) or one[at] != other[place]:
            break
        count += 1
    return count


def plainly(new: str, program: list[str], siblings: list[list[str]]) -> SiblingLine | None:
    """The strongest evidence, every line tried with every place of the new line."""
    strengths: dict[int, float] = {}
    for sibling in siblings:
        for place in (index for index, line in enumerate(sibling) if line == new):
            for at in range(len(program)):
                above, below = (run_of(program, at, sibling, place, step) for step in (-1, 1))
                if above or below:
                    strength = 2 * min(above, below) + FARTHER_SIDE * max(above, below)
                    strengths[at] = max(strength, strengths.get(at, 0))
    best = [at for at, strength in strengths.items() if strength == max(strengths.values())]
    if len(best) != 1 or program[best[0]] in ("", new):
        return None
    return SiblingLine(best[0] + 1, strengths[best[0]])


@given(LINES, st.lists(LINES, max_size=3))
def test_the_evidence_is_the_strongest_of_all_pairs_of_places(program: list[str], siblings: list[list[str]]) -> None:
    assert strongest("n", program, siblings) == plainly("n", program, siblings)


@given(LINES, st.lists(LINES, min_size=1, max_size=3))
def test_the_order_of_siblings_does_not_count(program: list[str], siblings: list[list[str]]) -> None:
    assert strongest("n", program, siblings) == strongest("n", program, siblings[::-1])


@given(st.integers(0, 30), st.integers(0, 30))
def test_strength_is_twice_the_nearer_side_and_a_quarter_of_the_farther_one(above: int, below: int) -> None:
    around = [f"u{line}" for line in range(above)], [f"d{line}" for line in range(below)]

    found = strongest("new", [*around[0], "old", *around[1]], [[*around[0], "new", *around[1]]])

    near, far = sorted((min(above, REACH), min(below, REACH)))
    expected = SiblingLine(above + 1, 2 * near + far / 4) if above or below else None
    assert found == expected


def folder(root: Path, *tasks: tuple[str, list[str]], head: str = "package p;\nclass C {") -> CodrepDataset:
    """A dataset of tasks without solutions, each a new line and the lines of a class."""
    (root / "Tasks").mkdir(parents=True)
    for number, (new, lines) in enumerate(tasks, 1):
        text = "\n".join([new, "", head, *lines, "}"])
        (root / "Tasks" / f"{number}.txt").write_text(text)
    return open_dataset(root)


def after(old: str, new: str) -> list[str]:
    return [new if line == old else line for line in BODY]


def test_a_later_commit_answers_for_an_earlier_one(tmp_path: Path) -> None:
    dataset = folder(tmp_path / "D", ("g(7);", BODY), ("h(3);", after("g(1);", "g(7);")))

    assert sibling_lines(dataset) == {dataset.tasks / "1.txt": 7}


@pytest.mark.parametrize(
    "head",
    [
        pytest.param("package p;", id="no type"),
        pytest.param("class C {", id="no package"),
    ],
)
def test_files_that_are_not_known_by_package_and_type_have_no_siblings(head: str, tmp_path: Path) -> None:
    dataset = folder(tmp_path / "D", ("g(7);", BODY), ("h(3);", after("g(1);", "g(7);")), head=head)

    assert sibling_lines(dataset) == {}


def test_another_class_is_no_sibling(tmp_path: Path) -> None:
    dataset = folder(tmp_path / "D", ("g(7);", BODY), ("h(3);", after("g(1);", "g(7);")))
    path = dataset.tasks / "2.txt"
    path.write_text(path.read_text().replace("class C", "class E"))

    assert sibling_lines(dataset) == {}


def test_a_malformed_sibling_is_left_out(tmp_path: Path) -> None:
    dataset = folder(tmp_path / "D", ("g(7);", BODY), ("h(3);", after("g(1);", "g(7);")), ("x", BODY))
    (dataset.tasks / "3.txt").write_text("no task")

    assert sibling_lines(dataset) == {dataset.tasks / "1.txt": 7}


def test_evidence_that_is_too_weak_leaves_the_ranker_its_answer(tmp_path: Path) -> None:
    weak = ["x1", "int c;", "g(7);", "y1"]
    dataset = folder(tmp_path / "D", ("g(7);", ["x", "int c;", "g(1);", "y"]), ("h(3);", weak))
    program = ["package p;", "class C {", "x", "int c;", "g(1);", "y", "}"]

    evidence = strongest("g(7);", program, [["package p;", "class C {", *weak, "}"]])

    assert evidence is not None
    assert evidence.strength < LEAST_STRENGTH
    assert sibling_lines(dataset) == {}


def test_only_the_mode_with_siblings_looks_at_them(tmp_path: Path) -> None:
    # The ranker alone must take the likelier of two calls; a sibling shows that it was the other.
    dataset = folder(tmp_path / "D", ("g(h, 2);", BODY), ("k();", after("h(2);", "g(h, 2);")))

    alone, together = (dict(predict(dataset, Choice(name))) for name in ("ranker", WITH_SIBLINGS))

    first, second = dataset.task_paths()
    assert together[first] == 8
    assert together[second] == alone[second]


def test_a_run_with_siblings_answers_as_predictions_do(tmp_path: Path) -> None:
    dataset = folder(tmp_path / "D", ("g(h, 2);", BODY), ("k();", after("h(2);", "g(h, 2);")))
    (tmp_path / "D/Solutions").mkdir()
    for path in dataset.task_paths():
        (tmp_path / "D/Solutions" / path.name).write_text("8")
    cases = read_cases([open_dataset(tmp_path / "D")])

    sut = predictor_system(Choice(WITH_SIBLINGS), cases[:1])

    assert isinstance(sut, Recorded)
    assert sut.name == WITH_SIBLINGS
    assert sut._answers == {messages_of(cases[0]): "<line>8</line>"}


@pytest.mark.parametrize(
    "text, key",
    [
        pytest.param("  package a . b;\nclass C {", ("a", "C"), id="blanks in a name end it"),
        pytest.param("package a;\n@X public final class C<T> {", ("a", "C"), id="an annotation and a type parameter"),
        pytest.param("package a;\nclass C {\nclass D {", ("a", "C"), id="the first of two types"),
        pytest.param("package a;\n * the class D of old\nclass C {", ("a", "C"), id="a type that a comment names"),
        pytest.param("// package a;\nclass C {", None, id="a package that a comment names"),
    ],
)
def test_the_key_of_a_file_is_read_from_its_text(text: str, key: tuple[str, str] | None) -> None:
    assert file_key(text) == key
