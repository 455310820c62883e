"""Rows made on another machine are read here, or refused by one line each."""

import json
from pathlib import Path
from typing import Any

import pytest

from runner.errors import InputError
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.tasks import (
    doubts,
    is_simulated,
    prediction_files,
    prompt_files,
    read_tasks,
    rebased,
)
from tests.codev import FULL, MAIN, TASKS, codev_dir, cut, task, write_rows


@pytest.mark.parametrize(
    "path, found",
    [
        pytest.param(f"{MAIN}/Source_Code/pair/a/b.py", ("pair", "a/b.py"), id="as published"),
        pytest.param("/x/Source_Code_Copy/pair/b.py", ("pair", "b.py"), id="the copy"),
        pytest.param("Source_Code/pair/b.py", ("pair", "b.py"), id="relative"),
        pytest.param("C:\\data\\Source_Code\\pair\\a\\b.py", ("pair", "a/b.py"), id="Windows"),
    ],
)
def test_a_path_of_another_machine_is_rebased(path: str, found: tuple[str, str]) -> None:
    assert rebased(path) == found


@pytest.mark.parametrize("path", ["/home/x/pair/b.py", "/x/Source_Code/pair", "/x/Source_Code/../etc/passwd/b", ""])
def test_a_path_that_leads_elsewhere_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="does not go through Source_Code"):
        rebased(path)


def test_a_task_is_read_with_its_place(tmp_path: Path) -> None:
    (first, *_), findings = read_tasks(write_rows(tmp_path / "m.jsonl", TASKS), "m")

    assert findings == []
    assert (first.repo, first.file, first.first) == ("pair", "pair.py", 5)
    assert first.case_id == "m:1:pair/pair.py#L5-L5"
    assert first.tests == ("t-double",)
    assert first.row == TASKS[0]


def test_without_a_text_to_test_it_is_what_is_shown(tmp_path: Path) -> None:
    row = {name: value for name, value in TASKS[0].items() if not name.startswith("test_")}

    ((found,), _) = read_tasks(write_rows(tmp_path / "m.jsonl", [row]), "m")

    assert (found.test_prefix, found.test_suffix) == (found.prefix, found.suffix)


@pytest.mark.parametrize(
    "changes, told",
    [
        pytest.param({"block_key": "pair.py"}, "write it as FILE#L<start>-L<end>", id="no lines"),
        pytest.param({"block_key": "/x/pair.py#L1-L2"}, "does not go through Source_Code", id="nowhere"),
        pytest.param({"middle": None}, "field 'middle' is null; make it a string", id="no truth"),
        pytest.param({"unit_test_ids": "t"}, "field 'unit_test_ids' is a string; make it an array", id="no list"),
    ],
)
def test_a_bad_row_is_told_by_line_and_field(tmp_path: Path, changes: dict[str, object], told: str) -> None:
    path = write_rows(tmp_path / "m.jsonl", [TASKS[0], TASKS[1] | changes])

    tasks, (finding,) = read_tasks(path, "m")

    assert len(tasks) == 1
    assert finding.startswith(f"{path}:2: ")
    assert told in finding


def test_every_bad_row_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text("{\n[]\n" + json.dumps({"block_key": 1}))

    assert len(read_tasks(path, "m")[1]) == 3


def test_prompts_are_files_or_folders(tmp_path: Path) -> None:
    folder = codev_dir(tmp_path) / "prompts"

    assert len(prompt_files([folder])) == 2
    assert prompt_files([folder / f"{FULL}.jsonl"]) == [folder / f"{FULL}.jsonl"]
    with pytest.raises(InputError, match=r"no \*.jsonl in it"):
        prompt_files([tmp_path / "Source_Code_Copy"])


def test_predictions_are_found_with_their_scene_and_model(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "predicts" / FULL / "predictions" / "gpt.jsonl", TASKS)

    assert prediction_files(tmp_path) == [(FULL, "gpt", path)]
    assert prediction_files(path) == [(FULL, "gpt", path)]
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="no predictions"):
        prediction_files(empty)


def metadata(folder: Path, **row: object) -> CodevDir:
    codev_dir(folder)
    path = folder / "metadatas" / "pair" / "test_metadata_funcname_passed_called.jsonl"
    write_rows(path, [{"did": "t", **row}])
    return CodevDir(folder)


COMMAND = f"cd {MAIN}/Source_Code/pair && python -m pytest {MAIN}/Source_Code/pair/tests/test_pair.py::test_double"


@pytest.mark.parametrize(
    "row, node",
    [
        pytest.param(
            {"relative_path": "tests/test_pair.py", "func_path": "TestClamp::test_low"},
            "tests/test_pair.py::TestClamp::test_low",
            id="a path in the repository",
        ),
        pytest.param(
            {"relative_path": "pair/tests/test_pair.py", "func_path": "TestClamp.test_low"},
            "tests/test_pair.py::TestClamp::test_low",
            id="a path that begins with the repository, a dotted name",
        ),
        pytest.param(
            {"relative_path": "tests/test_pair.py", "func_path": "tests/test_pair.py::test_double"},
            "tests/test_pair.py::test_double",
            id="a whole node",
        ),
        pytest.param(
            {"relative_path": "tests/test_pair.py", "func_path": "TestClamp.test_low[1.5-a.b]"},
            "tests/test_pair.py::TestClamp::test_low[1.5-a.b]",
            id="dots in its parameters",
        ),
        pytest.param({"run_command": COMMAND}, "tests/test_pair.py::test_double", id="only a command"),
        pytest.param(
            {"run_command": "pytest tests/test_pair.py -k double"}, "tests/test_pair.py", id="a command by a file"
        ),
    ],
)
def test_an_id_stands_for_a_test(tmp_path: Path, row: dict[str, object], node: str) -> None:
    assert metadata(tmp_path, **row).tests("pair") == {"t": node}


@pytest.mark.parametrize(
    "row, told",
    [
        pytest.param({"run_command": "make test"}, "neither 'relative_path' nor 'run_command' names", id="no file"),
        pytest.param({"run_command": "pytest 'x"}, "close the quotes", id="an open quote"),
    ],
)
def test_an_id_that_stands_for_nothing_is_refused(tmp_path: Path, row: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=told):
        metadata(tmp_path, **row).tests("pair")


@pytest.mark.parametrize(
    "changes, told",
    [
        pytest.param({"unit_test_ids": ["nobody"]}, "'nobody' is in no test_metadata", id="an unknown test"),
        pytest.param({"unit_test_ids": []}, "field 'unit_test_ids' is empty", id="no test"),
        pytest.param({"block_key": "/Source_Code/none/a.py#L1-L1"}, "no Source_Code_Copy/none in", id="no repository"),
        pytest.param({"block_key": "/Source_Code/pair/a.py#L1-L1"}, "no a.py in Source_Code_Copy/pair", id="no file"),
    ],
)
def test_what_cannot_be_tested_here_is_told(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    folder = CodevDir(codev_dir(tmp_path))
    tasks, _ = read_tasks(write_rows(tmp_path / "m.jsonl", [task("x + x", **changes)]), "m")

    (finding,) = folder.findings(tasks)

    assert told in finding


def test_an_id_may_be_a_node_itself(tmp_path: Path) -> None:
    node = "tests/test_pair.py::test_double"
    tasks, _ = read_tasks(write_rows(tmp_path / "m.jsonl", [task("x + x", unit_test_ids=[node])]), "m")

    assert CodevDir(codev_dir(tmp_path)).node_ids(tasks[0]) == (node,)


def test_the_interpreter_that_a_repository_brings_is_found(tmp_path: Path) -> None:
    folder = CodevDir(codev_dir(tmp_path))
    assert folder.interpreter("pair") is None

    python = tmp_path / "Source_Code" / "pair" / "myenv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()

    assert folder.interpreter("pair") == python


@pytest.mark.parametrize(
    "changes, told",
    [
        pytest.param({"prompt": "Complete."}, "field 'prompt' has no <fim_prefix>, so", id="no marker"),
        pytest.param(
            {"prompt": "<fim_prefix>a<fim_suffix>"}, "field 'prompt' has no <fim_middle>, so", id="one missing"
        ),
        pytest.param({"test_prefix": "x = 1\n"}, "fields 'test_prefix' and 'test_suffix' are not of", id="prefix"),
        pytest.param({"test_suffix": ""}, "fields 'test_prefix' and 'test_suffix' are not of", id="suffix"),
    ],
)
def test_what_looks_wrong_is_told_once_for_all_rows(tmp_path: Path, changes: dict[str, Any], told: str) -> None:
    row = task("return x + x", **changes)
    tasks, findings = read_tasks(write_rows(tmp_path / "m.jsonl", [task("return x + x"), row, row]), "m")

    (line,) = doubts(tasks, requested=True)

    assert findings == []
    assert line.startswith(f"{tmp_path / 'm.jsonl'}:2: {told}")
    assert line.endswith(", and the same in 1 more rows; fix or omit them")


def test_what_is_cut_off_for_the_model_looks_right(tmp_path: Path) -> None:
    tasks, _ = read_tasks(write_rows(tmp_path / "m.jsonl", [*TASKS, *map(cut, TASKS)]), "m")

    assert list(doubts(tasks, requested=True)) == []


def test_prompts_of_predictions_are_nobodys_to_read(tmp_path: Path) -> None:
    tasks, _ = read_tasks(write_rows(tmp_path / "m.jsonl", [task("return x + x", prompt="")]), "m")

    assert list(doubts(tasks, requested=False)) == []


@pytest.mark.parametrize(
    "model, simulated", [("sim_truth_time=virtual", True), ("sim/truth", True), ("simple-7b", False), ("gpt-x", False)]
)
def test_files_of_simulated_models_are_known_by_their_names(model: str, simulated: bool) -> None:
    assert is_simulated(model) is simulated
