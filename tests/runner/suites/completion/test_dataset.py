"""A data set on disk, and what it shows of a task."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import InputError
from runner.jsonl import Row
from runner.suites.completion.dataset import (
    ByteSpan,
    Dataset,
    DatasetOrigin,
    Evidence,
    Proof,
    Survivor,
    Task,
    read_dataset,
    read_task,
    write_dataset,
)
from runner.suites.completion.provenance import Provenance
from tests.any_json import ANY_JSON

TEXT = "# ü\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n"
START = TEXT.encode().index(b"return 1")
SPAN = ByteSpan(START, START + len("return 1"), 3, 3)
TASK = Task(
    task_id="1.1/STATEMENT/a.py:18-26",
    file="a.py",
    scene="1.1",
    with_evidence=True,
    block_type="STATEMENT",
    span=SPAN,
    function="f",
    function_end=SPAN.end,
    tests=("tests/test_a.py::test_f",),
    tests_total=2,
    seconds=1,
    evidence=(Evidence("b.py", 1, 2, "def h(): ..."),),
    proof=Proof("pass", "pass", "fail", "tests/test_a.py::test_f"),
)
DATASET = Dataset(
    DatasetOrigin("repo", "", "3.11", ("process-group",), 3, 1, provenance=Provenance("MIT", "LICENSE", "2023-11-14")),
    {"a.py": TEXT},
    (TASK,),
    (Survivor("a.py", "STATEMENT", SPAN, ("t",), ("pass", "")),),
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_dataset(DATASET, tmp_path / "d.jsonl")

    found = read_dataset(tmp_path / "d.jsonl")

    assert (found.about, found.files, found.tasks, found.survivors) == (
        DATASET.about,
        DATASET.files,
        DATASET.tasks,
        DATASET.survivors,
    )
    assert [path.name for path in tmp_path.iterdir()] == ["d.jsonl"]


@pytest.mark.parametrize(
    "scene, suffix",
    [
        ("1.1", "\n\n\ndef g():\n    return 2\n"),
        ("1.2", "\n\n\ndef g():\n    return 2\n"),
        ("1.3", ""),
    ],
)
def test_a_scene_shows_what_it_shows_and_tests_the_whole_file(scene: str, suffix: str) -> None:
    task = replace(TASK, scene=scene)

    assert DATASET.truth(task) == "return 1"
    assert DATASET.prefix(task) == "# ü\ndef f():\n    "
    assert DATASET.suffix(task) == suffix
    assert DATASET.assembled(task, "return 1") == TEXT
    assert DATASET.assembled(task, "") == TEXT.replace("return 1", "")


def test_scene_1_2_hides_the_rest_of_the_function() -> None:
    whole = replace(TASK, scene="1.2", function_end=len(TEXT.encode()))

    assert DATASET.suffix(whole) == ""


def broken(old: bytes, new: bytes, path: Path) -> Path:
    write_dataset(DATASET, path)
    path.write_bytes(path.read_bytes().replace(old, new))
    return path


@pytest.mark.parametrize(
    "old, new, told",
    [
        pytest.param(b'"kind":"dataset"', b'"kind":"data"', "field 'kind' is 'data'", id="kind"),
        pytest.param(b'"format":1', b'"format":9', "field 'format' is 9", id="format"),
        pytest.param(b"return 2", b"return 3", "fields 'text' and 'sha256' do not agree", id="text"),
        pytest.param(b'"file":"a.py"', b'"file":"z.py"', "'z.py', of which there is no row", id="file"),
        pytest.param(b'"scene"', b'"scenery"', "scenery", id="field"),
        pytest.param(b'"start_line":3,', b"", "start_line", id="span"),
        pytest.param(b'"scene":"1.1"', b'"scene":"7"', "field 'scene' is '7', none of 1.1", id="scene"),
        pytest.param(
            b'"scene":"1.1"',
            b'"scene":7',
            "field 'scene' is a number; make it a string, or build the data set again",
            id="type",
        ),
        pytest.param(
            b'"seconds":1', b'"seconds":true', "field 'seconds' is true or false; make it a whole number", id="number"
        ),
        pytest.param(b'"with_evidence":true', b'"with_evidence":1', "is a number; make it true or false", id="flag"),
        pytest.param(
            b'"tests":["tests', b'"tests":[3,"tests', "field 'tests[0]' is a number; make it a string", id="tests"
        ),
        pytest.param(
            b'"tests":["tests/', b'"tests":["--pdb","tests/', "has '--pdb', which is no test's id", id="option"
        ),
        pytest.param(b'"tests":["tests/', b'"tests":["","tests/', "has '', which is no test's id", id="empty test"),
        pytest.param(b'"tests":["tests/test_a.py::test_f"]', b'"tests":[]', "field 'tests' is empty", id="no tests"),
        pytest.param(b'"seconds":1', b'"seconds":-1', "field 'seconds' is -1", id="seconds"),
        pytest.param(
            b'"evidence":[', b'"evidence":[3,', "field 'evidence[0]' is a number; make it an object", id="evidence"
        ),
        pytest.param(
            b'"evidence":[', b'"evidence":null,"a":[', "field 'evidence' is null; make it an array", id="no evidence"
        ),
        pytest.param(
            b'"killed_by":"pass"', b'"killed_by":null', "field 'proof.killed_by' is null; make it a string", id="proof"
        ),
        pytest.param(b'"start":18', b'"start":-1', "is not within a.py", id="before the file"),
        pytest.param(b'"end":26', b'"end":9999', "is not within a.py", id="behind the file"),
        pytest.param(b'"end":26', b'"end":17', "is not within a.py", id="ends before it begins"),
        pytest.param(b'"start":18', b'"start":3', "byte 3 of a.py is within a character", id="half a character"),
        pytest.param(b'"function_end":26', b'"function_end":3', "is within a character", id="half a character's end"),
        pytest.param(b'"path":"a.py"', b'"path":3', "field 'path' is a number", id="path"),
    ],
)
def test_a_broken_row_is_named_with_its_mend(old: bytes, new: bytes, told: str, tmp_path: Path) -> None:
    path = broken(old, new, tmp_path / "d.jsonl")

    with pytest.raises(InputError, match=r"d\.jsonl:") as raised:
        read_dataset(path)

    assert told in str(raised.value)


@given(st.dictionaries(st.sampled_from(sorted(asdict(TASK))), ANY_JSON))
def test_whatever_a_row_holds_is_a_task_or_one_error(values: dict[str, Any]) -> None:
    row = Row("d.jsonl:3", asdict(TASK) | values)

    try:
        task = read_task(row)
    except InputError as error:
        assert str(error).startswith("d.jsonl:3: ")  # noqa: PT017 - a task is as good an end
    else:
        assert task.task_id == row.values["task_id"]


def test_the_shipped_data_set_is_written_as_it_was_read(tmp_path: Path) -> None:
    shipped = Path(__file__).parents[4] / "cases" / "completion" / "shelf.jsonl"

    write_dataset(read_dataset(shipped), tmp_path / "again.jsonl")

    assert (tmp_path / "again.jsonl").read_bytes() == shipped.read_bytes()


def test_only_a_comment_may_be_without_a_proof(tmp_path: Path) -> None:
    comment = replace(TASK, block_type="COMMENT", tests=(), proof=None)
    write_dataset(replace(DATASET, tasks=(comment,)), tmp_path / "comment.jsonl")
    write_dataset(replace(DATASET, tasks=(replace(TASK, proof=None),)), tmp_path / "code.jsonl")

    assert read_dataset(tmp_path / "comment.jsonl").tasks == (comment,)
    with pytest.raises(InputError, match=r"code\.jsonl:3: field 'proof' is empty, which it may be of a COMMENT only"):
        read_dataset(tmp_path / "code.jsonl")


def test_a_file_without_a_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_bytes(b"")

    with pytest.raises(InputError, match="a row of kind 'dataset' is needed, and there is none"):
        read_dataset(tmp_path / "d.jsonl")


@pytest.mark.parametrize(
    "old, new",
    [
        pytest.param(b'"start":18', b'"start":19', id="the beginning"),
        pytest.param(b'"end":26', b'"end":25', id="the end"),
        pytest.param(b'"start_line":3', b'"start_line":2', id="its line"),
        pytest.param(b"a.py:18-26", b"a.py:18-27", id="the name"),
    ],
)
def test_a_span_that_was_moved_is_told_by_its_line(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "d.jsonl"
    write_dataset(DATASET, path)
    path.write_bytes(path.read_bytes().replace(old, new, 1))

    with pytest.raises(InputError, match=r"d.jsonl:3: field 'span' is not what its lines or 'task_id' state"):
        read_dataset(path)
