"""A data set of ours, written as Codev-Bench's files, is read back as what it was."""

import re
import shlex
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from runner.errors import InputError
from runner.suites.completion.codev.export import MODES, export
from runner.suites.completion.codev.judging import Reply, RepositoryJudges
from runner.suites.completion.codev.metadatas import CodevDir
from runner.suites.completion.codev.rules import GROUPS, Checks
from runner.suites.completion.codev.tasks import CodevTask, doubts, read_tasks
from runner.suites.completion.dataset import Dataset, DatasetOrigin, Task, read_dataset
from tests import codev
from tests.completion import CODE, EDGE, TASKS

CASES = Path(__file__).parents[4] / "cases" / "completion"
METADATA = Path("metadatas", "shelf", "test_metadata_funcname_passed_called.jsonl")


@pytest.fixture(scope="module")
def shelf() -> Dataset:
    return read_dataset(CASES / "shelf.jsonl")


@pytest.fixture(scope="module")
def folder(shelf: Dataset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is written of the shipped data set, with its repository beside it."""
    folder = tmp_path_factory.mktemp("codev")
    export(shelf, folder)
    (folder / "Source_Code_Copy").mkdir()
    (folder / "Source_Code_Copy" / "shelf").symlink_to(CASES / "shelf")
    return folder


def written(folder: Path, mode: str) -> list[CodevTask]:
    tasks, findings = read_tasks(folder / "prompts" / f"{mode}.jsonl", mode)
    assert not findings
    return tasks


def small(*tasks: Task, repo: str = "pair") -> Dataset:
    about = DatasetOrigin(repo, "", "3.11", (), 3, 0)
    return Dataset(about, {"pair.py": CODE, "sign.py": EDGE}, tasks)


@pytest.mark.parametrize("form", MODES, ids=MODES.values())
def test_each_scene_is_read_back(shelf: Dataset, folder: Path, form: tuple[str, bool]) -> None:
    ours = [task for task in shelf.tasks if (task.scene, task.with_evidence) == form]
    ours = [task for task in ours if task.block_type in GROUPS]

    tasks = written(folder, MODES[form])

    assert len(tasks) >= 19
    for task, read in zip(ours, tasks, strict=True):
        lines = f"#L{task.span.start_line}-L{task.span.end_line}"
        assert (read.file, read.block_type, read.middle) == (task.file, task.block_type, shelf.truth(task))
        assert read.row["block_key"].endswith(f"/shelf/{task.file}{lines}")
        assert read.prefix == shelf.prefix(task)
        assert (read.repo, read.tests, read.suffix) == ("shelf", task.tests, shelf.suffix(task))
        assert read.test_prefix + read.middle + read.test_suffix == shelf.files[task.file]
        assert read.prompt.endswith(f"<fim_prefix>{read.prefix}<fim_suffix>{read.suffix}<fim_middle>")
        assert all(piece.text in read.prompt for piece in task.evidence)
    assert not [*doubts(tasks, requested=True)]


def test_rows_have_the_fields_of_the_original(shelf: Dataset, folder: Path) -> None:
    tasks = [task for mode in MODES.values() for task in written(folder, mode)]

    assert {frozenset(task.row) for task in tasks} == {frozenset(codev.TASKS[0])}
    for task in tasks:
        path, first, last = re.fullmatch(r"(.*)#L(\d+)-L(\d+)", task.row["func_name"]).groups()  # type: ignore[union-attr]
        assert path == f"{folder.resolve()}/Source_Code/shelf/{task.file}"
        assert shelf.files[task.file].split("\n")[int(first) - 1].lstrip().startswith(("def ", "async def "))
        assert int(first) <= task.first <= int(last)
        assert task.row["test_middle"] == task.middle


def test_each_test_has_a_command(folder: Path) -> None:
    tasks = [task for mode in MODES.values() for task in written(folder, mode)]
    rows = [orjson.loads(line) for line in (folder / METADATA).read_bytes().splitlines()]

    assert not [*CodevDir(folder).findings(tasks)]
    assert {row["did"] for row in rows} == {test for task in tasks for test in task.tests}
    for row in rows:
        assert shlex.split(row["run_command"])[-1] == f"{folder.resolve()}/Source_Code/shelf/{row['did']}"
        assert f"{row['relative_path']}::{row['func_path']}" == row["did"]


def test_what_codev_bench_has_no_name_for_is_counted(tmp_path: Path) -> None:
    other = replace(TASKS[0], block_type="WITH")

    exported = export(small(*TASKS, other, replace(TASKS[0], scene="3")), tmp_path)

    assert sum(exported.written.values()) == 3
    assert exported.left_out == {
        "no tests": 1,
        "a mark of Codev-Bench in the text": 1,
        "type WITH": 1,
        "scene 3": 1,
    }


@pytest.mark.parametrize("repo", ["a/b", "..", "Source_Code"])
def test_a_repository_that_would_be_looked_for_elsewhere_is_refused(tmp_path: Path, repo: str) -> None:
    with pytest.raises(InputError, match="rename the folder"):
        export(small(TASKS[0], repo=repo), tmp_path / "codev")

    assert not (tmp_path / "codev").exists()


def test_how_far_the_checks_are_is_told(folder: Path) -> None:
    pairs = [(task, Reply("", "")) for task in written(folder, MODES["2.2", False])] * 2
    lines: list[str] = []

    with RepositoryJudges(Checks(empty=True), None, lambda *_: pytest.fail("no judge is needed")) as bench:
        judged = bench.judged(pairs[:25], 2, lines.append)

    assert all(verdict.ours for verdict in judged)
    assert lines == ["10 of 25 predictions are checked", "20 of 25 predictions are checked"]
