"""The competition's folders: what a line is, what is refused, in which order tasks come."""

import os
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.suites.codrep.dataset import count_lines, open_dataset, open_datasets, read_answer, split_task
from tests.codrep import tasks_of


def write_dataset(root: Path, tasks: dict[str, tuple[str, str]]) -> Path:
    """A dataset folder with a task and a solution for each name."""
    for folder in ("Tasks", "Solutions"):
        (root / folder).mkdir(parents=True)
    for name, (task, solution) in tasks.items():
        (root / "Tasks" / f"{name}.txt").write_bytes(task.encode())
        (root / "Solutions" / f"{name}.txt").write_bytes(solution.encode())
    return root


@pytest.mark.parametrize(
    "text, lines",
    [
        pytest.param("n\n\na\nb", ("a", "b"), id="no newline at the end"),
        pytest.param("n\n\na\nb\n", ("a", "b"), id="a newline at the end"),
        pytest.param("n\n\na\n\n", ("a", ""), id="an empty last line counts"),
        pytest.param("n\n\na\fb\nc", ("a\fb", "c"), id="a form feed parts no lines"),
        pytest.param("n\n\na\r\nb\r\n", ("a\r", "b\r"), id="a carriage return parts no lines"),
        pytest.param("n\n\na\u2028b\x85c\x0bd", ("a\u2028b\x85c\x0bd",), id="Unicode separators part no lines"),
        pytest.param("n\n\n\ufeffa\nb", ("\ufeffa", "b"), id="a byte order mark stays"),
        pytest.param("n\r\n\r\na\r\n\tb\r\n", ("a", "\tb"), id="Windows' line ends throughout"),
        pytest.param("n\r\n\r\na\r\nb", ("a", "b"), id="the same without the last"),
    ],
)
def test_a_program_is_parted_at_line_feeds_alone(text: str, lines: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "1.txt"
    path.write_bytes(text.encode())

    assert split_task(text, path) == ("n", lines)
    assert count_lines(path) == len(lines)


@pytest.mark.parametrize(
    "text, reason",
    [
        pytest.param("", "this one 0 lines", id="an empty file"),
        pytest.param("n\n\n", "this one 2 lines", id="no program"),
        pytest.param("n\nx\ny", "line 2 must be empty", id="a second line that is not empty"),
    ],
)
def test_a_malformed_task_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        split_task(text, Path("Tasks/1.txt"))


def test_tasks_come_by_number_with_their_answers(tmp_path: Path) -> None:
    root = write_dataset(tmp_path / "D", {n: (f"new {n}\n\na\nb\n", "2") for n in ("10", "2", "1")})

    tasks = tasks_of(root)

    assert [task.case_id for task in tasks] == ["D/1", "D/2", "D/10"]
    assert {(task.lines, task.answer) for task in tasks} == {(("a", "b"), 2)}


def test_bytes_that_are_no_utf_8_are_read_all_the_same(tmp_path: Path) -> None:
    root = write_dataset(tmp_path / "D", {"1": ("n\n\na", "1")})
    (root / "Tasks/1.txt").write_bytes(b"n\n\ncaf\xe9\nb")

    (task,) = tasks_of(root)

    assert task.lines == ("caf\N{REPLACEMENT CHARACTER}", "b")


def test_a_dataset_is_opened_by_its_tasks_folder_too(tmp_path: Path) -> None:
    root = write_dataset(tmp_path / "D", {"1": ("n\n\na", "1")})

    assert open_dataset(root / "Tasks") == open_dataset(root)


def test_names_that_are_no_text_give_ids_that_are(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / os.fsdecode(b"caf\xe9"), {os.fsdecode(b"\xff"): ("n\n\na", "1")})
    path = folder / "Tasks" / os.fsdecode(b"\xff.txt")

    dataset = open_dataset(folder)

    assert dataset.task_paths() == (path,)
    assert dataset.case_id(path) == "caf\ufffd/\ufffd"


def test_the_path_of_a_dataset_has_no_detours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_dataset(tmp_path / "D", {"1": ("n\n\na", "1")})
    monkeypatch.chdir(root / "Solutions")

    found = [open_dataset(Path(name)) for name in ("..", "../", "../Tasks/", "../../D/Tasks/..")]

    assert {dataset.task_paths() for dataset in found} == {(root / "Tasks/1.txt",)}
    assert {dataset.name for dataset in found} == {"D"}


def test_a_dataset_without_solutions_has_no_answers(tmp_path: Path) -> None:
    (tmp_path / "D/Tasks").mkdir(parents=True)
    (tmp_path / "D/Tasks/1.txt").write_text("n\n\na\n")

    (task,) = tasks_of(tmp_path / "D")

    assert task.answer is None


def test_a_folder_of_datasets_stands_for_them_and_none_counts_twice(tmp_path: Path) -> None:
    for name in ("A", "B"):
        write_dataset(tmp_path / name, {"1": ("n\n\na", "1")})

    found = open_datasets([tmp_path, tmp_path / "B", tmp_path / "A/../B"])

    assert [dataset.name for dataset in found] == ["A", "B"]


def test_two_datasets_of_one_name_are_refused(tmp_path: Path) -> None:
    roots = [write_dataset(tmp_path / place / "D", {"1": ("n\n\na", "1")}) for place in ("x", "y")]

    with pytest.raises(InputError, match="D: two dataset folders have this name"):
        open_datasets(roots)


@pytest.mark.parametrize("name, reason", [("", "no folder Tasks"), ("missing", "there is no such folder")])
def test_a_folder_without_tasks_is_refused(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=reason):
        open_dataset(tmp_path / name)


@pytest.mark.parametrize(
    "solution, reason",
    [
        pytest.param("x", "one line number", id="no number"),
        pytest.param("0", "not in the program", id="line 0"),
        pytest.param("3", "not in the program", id="past the end"),
    ],
)
def test_a_solution_that_names_no_line_is_refused(solution: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text(solution)

    with pytest.raises(InputError, match=reason):
        read_answer(tmp_path / "1.txt", 2)


def test_a_solution_is_refused_though_nobody_counted_the_lines(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("0")

    with pytest.raises(InputError, match="line 0 is not in a program"):
        read_answer(tmp_path / "1.txt")


def test_a_task_without_its_solution_is_refused(tmp_path: Path) -> None:
    root = write_dataset(tmp_path / "D", {"1": ("n\n\na", "1")})
    (root / "Solutions/1.txt").unlink()

    with pytest.raises(InputError, match="the solution is missing"):
        tasks_of(root)
