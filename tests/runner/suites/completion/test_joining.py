"""Data sets of several repositories as one: what is kept, and what is refused."""

from dataclasses import replace
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.suites.completion.codev.export import export
from runner.suites.completion.dataset import Survivor, read_dataset, write_dataset
from runner.suites.completion.joining import joined
from runner.suites.completion.licences import is_permissive, licence_notes
from runner.suites.completion.repositories import named, repositories_in
from tests.joined import FILE, PROVENANCE, SIZES, source, truth, write_three


@pytest.fixture
def three(tmp_path: Path) -> Path:
    return write_three(tmp_path)


def test_tasks_keep_their_repository_and_its_files_with_all_that_is_known_of_it(three: Path) -> None:
    dataset = read_dataset(three)

    assert {name: about.provenance for name, about in dataset.origins.items()} == PROVENANCE
    assert {name: sum(task.repo == name for task in dataset.tasks) for name in SIZES} == SIZES
    assert {name: dataset.files_of(name) for name in SIZES} == {name: {FILE: source(SIZES[name])} for name in SIZES}
    assert len({task.task_id for task in dataset.tasks}) == sum(SIZES.values())
    for task in dataset.tasks:
        assert task.file == FILE
        assert task.task_id.startswith(f"{task.repo}/1.1/STATEMENT/{FILE}:")
        assert dataset.truth(task).startswith("return x + ")


def test_a_joined_set_is_read_as_it_was_written_and_can_be_joined_again(three: Path) -> None:
    dataset = read_dataset(three)
    span = dataset.tasks[0].span
    dataset = replace(dataset, survivors=(Survivor(FILE, "IF", span, ("t",), ("pass",), repo="ada"),))
    write_dataset(dataset, three)
    other = read_dataset(three.parent / "ada.jsonl")
    write_dataset(replace(other, about=replace(other.about, repo="dan")), three.parent / "dan.jsonl")

    again = joined([three.parent / "dan.jsonl", three])

    assert read_dataset(three) == dataset
    assert list(again.origins) == ["dan", *SIZES]
    assert again.tasks[2:] == dataset.tasks
    assert again.survivors == dataset.survivors


@pytest.mark.parametrize(
    "old, new, told",
    [
        pytest.param('"repo":"cid","commit"', '"repo":"ada","commit"', "3: field 'repo' is 'ada'", id="twice"),
        pytest.param('"repo":"cid","commit"', '"repo":"..","commit"', "3: field 'repo' is '..'", id="no folder"),
        pytest.param('"repo":"cid"}\n', '"repo":"dan"}\n', "6: field 'repo' is 'dan', which no row", id="unknown"),
        pytest.param(',"repo":"cid"}\n', "}\n", "6: field 'repo' is ''", id="none"),
    ],
)
def test_a_repository_that_is_none_is_told_by_its_line(three: Path, old: str, new: str, told: str) -> None:
    text = three.read_text()
    assert old in text
    three.write_text(text.replace(old, new, 1))

    with pytest.raises(InputError) as raised:
        read_dataset(three)

    assert str(raised.value).startswith(f"{three}:{told}")


def test_the_same_repository_twice_is_no_set_of_several(three: Path) -> None:
    ada = three.parent / "ada.jsonl"

    with pytest.raises(InputError, match=r"ada\.jsonl: field 'repo' is 'ada', as in .*three\.jsonl; build one from a"):
        joined([three, ada])
    with pytest.raises(InputError, match="nothing to join it with"):
        joined([ada])


def test_the_repositories_are_beside_the_set_or_where_a_path_with_their_names_says(three: Path) -> None:
    dataset = read_dataset(three)

    beside, given = repositories_in(dataset, three, None), repositories_in(dataset, three, Path("src/{repo}/head"))

    assert [named(beside, name) for name in SIZES] == [three.parent / name for name in SIZES]
    assert [named(given, name) for name in SIZES] == [Path(f"src/{name}/head") for name in SIZES]
    with pytest.raises(
        InputError, match=r"--repo src: is one folder, and the tasks are of ada, bob, cid; write \{repo\}"
    ):
        repositories_in(dataset, three, Path("src"))
    with pytest.raises(InputError, match=r"--repo: is missing, and there is no .*ada; give the root of ada"):
        repositories_in(dataset, three.parent / "no" / "three.jsonl", None)


def test_codev_bench_gets_the_tests_of_each_repository(three: Path) -> None:
    written = export(read_dataset(three), three.parent / "codev")

    assert sum(written.written.values()) == sum(SIZES.values())
    assert sorted(path.name for path in (three.parent / "codev" / "metadatas").iterdir()) == sorted(SIZES)
    (rows,) = (three.parent / "codev" / "prompts").iterdir()
    assert rows.read_text().count("Source_Code/cid/sums.py#L") == 2 * SIZES["cid"]
    assert f'"middle":"{truth(4)}"' in rows.read_text()


def test_licences_that_differ_are_told_and_those_that_ask_for_more() -> None:
    assert list(licence_notes({"a": "MIT", "b": "MIT"})) == []
    assert list(licence_notes({"a": "MIT", "b": "GPL-3.0-only", "c": "unknown"})) == [
        "licences: MIT (a); GPL-3.0-only (b); unknown (c)",
        "not known to let their code be passed on among other code: b (GPL-3.0-only), c (unknown)",
    ]


@pytest.mark.parametrize(
    "expression, expected",
    [
        ("BSD-3-Clause", True),
        ("GPL-2.0-or-later OR MIT", True),
        ("MIT AND GPL-2.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("LicenseRef-Own", False),
    ],
)
def test_an_expression_is_permissive_if_one_of_its_alternatives_is(expression: str, expected: bool) -> None:
    assert is_permissive(expression) is expected
