"""The CodRep competition's folders: tasks, answers, and the order in which they are read.

A dataset is a folder with `Tasks/<k>.txt` and `Solutions/<k>.txt`. A task's first line is the new line of code, its
second is empty, and the rest is the whole file before the change; its solution is a 1-based line number of that
file. Format: the CodRep 2018 machine learning on source code competition (Chen and Monperrus, arXiv 1807.03200).
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from runner.errors import InputError
from runner.input_files import read_bytes


@dataclass(frozen=True, slots=True)
class CodrepTask:
    """One task; `answer` is the 1-based line that `new_line` replaced, None where no solution is at hand.

    `lines` are the lines of the program as they stand, without their newlines.
    """

    case_id: str
    path: Path
    new_line: str
    lines: tuple[str, ...]
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class CodrepDataset:
    """One folder of tasks, or every n-th of them from the `first` (0) on; `solutions` is None where there are none."""

    name: str
    tasks: Path
    solutions: Path | None
    every: int = 1
    first: int = 0

    def task_paths(self) -> tuple[Path, ...]:
        """The task files, by number; files whose names are no numbers follow in the order of their names."""
        return tuple(sorted(self.tasks.glob("*.txt"), key=_by_number)[self.first :: self.every])

    def case_id(self, path: Path) -> str:
        """The id of the task in file `path`, such as `Dataset1/12`."""
        return f"{self.name}/{legible(path.stem)}"

    def read(self, path: Path) -> CodrepTask:
        """The task in file `path`. Raises InputError when it or its solution is malformed."""
        new_line, lines = split_task(_text(path), path)
        return CodrepTask(self.case_id(path), path, new_line, lines, self.answer(path, len(lines)))

    def answer(self, path: Path, lines: int | None = None) -> int | None:
        """The solution of the task in file `path`, None where there are none. Raises InputError as `read_answer`."""
        return read_answer(self.solutions / path.name, lines) if self.solutions else None


def _by_number(path: Path) -> tuple[bool, int, str]:
    number = path.stem
    return (not number.isdecimal(), int(number) if number.isdecimal() else 0, number)


def open_dataset(folder: Path) -> CodrepDataset:
    """The dataset in `folder`, which is a dataset or its Tasks folder. Raises InputError when it is neither."""
    # The competition's scorer knows a task by its whole path without `..`, so this is how paths are printed.
    root = Path(os.path.abspath(folder))  # noqa: PTH100 - folds `a/..`, which Path.absolute keeps
    if not root.exists():
        raise InputError(f"{folder}: there is no such folder")
    if not (root / "Tasks").is_dir() and root.name == "Tasks":
        root = root.parent
    if not (root / "Tasks").is_dir():
        raise InputError(f"{folder}: no folder Tasks: name a dataset folder, which holds Tasks/ and Solutions/")
    solutions = root / "Solutions"
    return CodrepDataset(legible(root.name), root / "Tasks", solutions if solutions.is_dir() else None)


def legible(text: str) -> str:
    """A text in which bytes of a path that are no UTF-8 stand as replacement characters."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def open_datasets(folders: Sequence[Path]) -> tuple[CodrepDataset, ...]:
    """The datasets in `folders`, as `find_datasets` has them. Raises InputError, also when two have one name."""
    datasets = find_datasets(folders)
    names = [dataset.name for dataset in datasets]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name}: two dataset folders have this name, so their task ids would be the same")
    return datasets


def find_datasets(folders: Sequence[Path]) -> tuple[CodrepDataset, ...]:
    """The datasets in `folders`; a folder that holds dataset folders stands for all of them; each counts once.

    Raises InputError when a folder is no dataset and holds none.
    """
    datasets: dict[Path, CodrepDataset] = {}
    for folder in folders:
        inside = sorted(path.parent for path in folder.glob("*/Tasks") if path.is_dir())
        for root in inside or [folder]:
            dataset = open_dataset(root)
            datasets.setdefault(dataset.tasks.resolve(), dataset)
    return tuple(datasets.values())


def split_task(text: str, path: Path) -> tuple[str, tuple[str, ...]]:
    """The new line and the program of a task's text. Raises InputError when it has no empty second line.

    Only a line feed ends a line: a form feed or a carriage return is part of its line. The last needs none. But
    where a carriage return is all that line 2 has, the file has Windows' line ends, and none of them is text.
    """
    pieces = text.split("\n")
    if pieces[-1] == "":
        pieces.pop()
    if pieces[1:2] == ["\r"]:
        pieces = [piece.removesuffix("\r") for piece in pieces]
    if len(pieces) < 3:
        raise InputError(f"{path}: a task has a new line, an empty line and a program, this one {len(pieces)} lines")
    if pieces[1] != "":
        raise InputError(f"{path}: line 2 must be empty, it parts the new line from the program")
    return pieces[0], tuple(pieces[2:])


def count_lines(path: Path) -> int:
    """How many lines the program of the task in `path` has. Raises InputError when it cannot be read."""
    data = _bytes(path)
    return data.count(b"\n") + (not data.endswith(b"\n")) - 2


def read_answer(path: Path, lines: int | None = None) -> int:
    """The line number in a solution file. Raises InputError when it is no number or, with `lines`, out of range."""
    if not path.exists():
        raise InputError(f"{path}: the solution is missing")
    try:
        answer = int(_bytes(path))
    except ValueError:
        raise InputError(f"{path}: a solution is one line number") from None
    if answer < 1 or (lines is not None and answer > lines):
        program = "a program" if lines is None else f"the program of {lines} lines"
        raise InputError(f"{path}: line {answer} is not in {program}")
    return answer


def _text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 become the replacement character, a byte order mark stays."""
    return _bytes(path).decode("utf-8", "replace")


def _bytes(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
