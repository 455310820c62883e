"""`evals cases check` names what is wrong with folders of CodRep tasks, all at once."""

import json
from pathlib import Path

import pytest

from runner.suites.codrep.check import check_datasets
from tests.codrep import SAMPLE, write_dataset
from tests.runner.cli.conftest import Call, call

__all__ = ["call"]


def told(folder: Path, *, strict: bool = False) -> list[str]:
    return [
        str(finding).removeprefix(f"{folder}/").partition(";")[0]
        for finding in check_datasets(folder, strict=strict)[1]
    ]


@pytest.fixture
def made(tmp_path: Path) -> Path:
    return write_dataset(tmp_path / "Made", 5)


def test_the_shipped_sample_is_sound() -> None:
    assert check_datasets(SAMPLE, strict=True) == (20, ())


def test_every_bad_task_is_named_and_the_others_are_counted(made: Path) -> None:
    (made / "Tasks/1.txt").write_text("one line")
    (made / "Tasks/2.txt").write_text("new\nnot empty\nold\n")
    (made / "Solutions/3.txt").write_text("many")
    (made / "Solutions/4.txt").unlink()
    (made / "Solutions/9.txt").write_text("1")

    count, _ = check_datasets(made, strict=False)

    assert count == 1
    assert told(made) == [
        "Solutions/9.txt: file: is the solution of no task",
        "Tasks/1.txt: task: a task has a new line, an empty line and a program, this one 1 lines",
        "Tasks/2.txt: task: line 2 must be empty, it parts the new line from the program",
        f"Tasks/3.txt: task: {made}/Solutions/3.txt: a solution is one line number",
        f"Tasks/4.txt: task: {made}/Solutions/4.txt: the solution is missing",
    ]


@pytest.mark.parametrize(
    "old, problem",
    [
        pytest.param("  ", "line 1 is blank", id="blank"),
        pytest.param("\tnew  line", "line 1 differs from the new line in nothing but white space", id="the new line"),
    ],
)
def test_an_answer_that_cannot_be_right_is_found_by_the_strict_check(made: Path, old: str, problem: str) -> None:
    (made / "Tasks/1.txt").write_text(f"new line\n\n{old}\nother\n")
    (made / "Solutions/1.txt").write_text("1")

    assert told(made) == []
    assert told(made, strict=True) == [f"Tasks/1.txt: solution: {problem}"]


def test_a_folder_without_tasks_or_solutions_is_named(tmp_path: Path) -> None:
    (tmp_path / "D" / "Tasks").mkdir(parents=True)

    assert told(tmp_path / "D") == ["Tasks: folder: has no tasks", f"{tmp_path}/D: folder: has no folder Solutions"]
    assert told(tmp_path / "none") == [f"{tmp_path}/none: folder: there is no such folder"]


def test_the_command_checks_whatever_the_folder_holds(call: Call, made: Path) -> None:
    (made / "Solutions/3.txt").write_text("many")

    good, bad = call("cases", "check", SAMPLE, "--strict"), call("cases", "check", made, "--json")

    assert (good.code, good.out) == (0, f"20 cases, 0 skipped, 0 findings in {SAMPLE}\n")
    assert bad.code == 2
    report = json.loads(bad.out)
    assert (report["cases"], report["findings"][0]["field"]) == (4, "task")
