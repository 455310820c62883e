"""Codev-Bench's tasks: the rows of `prompts/*.jsonl`, or of predictions, with the paths of another machine rebased."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from runner.errors import InputError
from runner.jsonl import Row, each_row

_SOURCES = frozenset({"Source_Code", "Source_Code_Copy"})
MARKS = ("<fim_prefix>", "<fim_suffix>", "<fim_middle>")
_KEY = re.compile(r"(.*)#L(\d+)-L(\d+)", re.DOTALL)


class TaskRow(msgspec.Struct, frozen=True):
    """A row of a file of prompts; scenes whose files are shown whole may leave out the fields `test_…`."""

    block_key: str
    block_type: str
    prompt: str
    prefix: str
    suffix: str
    middle: str
    test_prefix: str | None = None
    test_suffix: str | None = None
    unit_test_ids: tuple[str, ...] = ()


class PredictionRow(msgspec.Struct, frozen=True):
    """What a row of predictions has besides; a `latency` that is no number counts as unknown."""

    response: str
    response_original_text: str | None = None
    latency: Any = None


@dataclass(frozen=True, slots=True)
class CodevAnswer:
    """What a row of predictions says beside its task; `latency` in seconds."""

    text: str
    response: str
    latency: float | None


@dataclass(frozen=True, slots=True)
class CodevTask:
    """One row. `prefix`, `suffix`, `middle` are what a model sees and the truth, `test_…` what is to be tested.

    `repo` and `file` are the rebased path of `block_key`, `first` the 1-based line that its block begins in; `mode`
    is the name of the prompts' file, `row` the object as it was read.
    """

    case_id: str
    mode: str
    where: str
    row: Mapping[str, Any]
    repo: str
    file: str
    first: int
    block_type: str
    prompt: str
    prefix: str
    suffix: str
    middle: str
    test_prefix: str
    test_suffix: str
    tests: tuple[str, ...]
    answered: CodevAnswer | None = None

    @property
    def first_line(self) -> str:
        """The first line of the block, of the file with the truth in the hole."""
        lines = (self.test_prefix + self.middle + self.test_suffix).split("\n")
        return lines[self.first - 1] if self.first <= len(lines) else ""


def short_digest(text: str) -> str:
    """12 hexadecimal digits of SHA-256."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def rebased(path: str) -> tuple[str, str]:
    """The repository and the path in it, of an absolute path on whatever machine the data was made.

    Raises ValueError for a path that does not go through `Source_Code`.
    """
    parts = PurePosixPath(path.replace("\\", "/")).parts
    at = next((at for at in range(len(parts) - 1, -1, -1) if parts[at] in _SOURCES), None)
    if at is None or len(parts) < at + 3 or ".." in parts[at:]:
        raise ValueError(f"{path!r} does not go through Source_Code/<repository>/")
    return parts[at + 1], "/".join(parts[at + 2 :])


def prompt_files(paths: Iterable[Path]) -> list[Path]:
    """The files that are given, and those of folders, by name. Raises InputError where there is none."""
    files: list[Path] = []
    for path in paths:
        inside = sorted(file for file in path.iterdir() if file.name.endswith(".jsonl")) if path.is_dir() else [path]
        if not inside:
            raise InputError(f"{path}: no *.jsonl in it; give a folder such as prompts, or a file")
        files += inside
    return files


def prediction_files(folder: Path) -> list[tuple[str, str, Path]]:
    """(mode, model, file) of predictions: one file, or those that stand in `<mode>/predictions/` below a folder."""
    if not folder.is_dir():
        return [(_mode_of(folder), folder.name.removesuffix(".jsonl"), folder)]
    files = sorted(folder.glob("**/predictions/*.jsonl")) or sorted(folder.glob("*.jsonl"))
    if not files:
        raise InputError(f"--predictions {folder}: no predictions/*.jsonl below it; give a file or another folder")
    return [(_mode_of(path), path.name.removesuffix(".jsonl"), path) for path in files]


def _mode_of(path: Path) -> str:
    return path.parent.parent.name if path.parent.name == "predictions" else "predictions"


def is_simulated(model: str) -> bool:
    """Whether predictions are those of a simulated model, by the name of their file."""
    return model.startswith(("sim_", "sim/"))


def doubts(tasks: Sequence[CodevTask], *, requested: bool) -> Iterator[str]:
    """Yield a line about each oddity of usable tasks: the first row that has it, and how many more do.

    Of prompts only where they are `requested`.
    """
    unmarked = [(task, next((mark for mark in MARKS if mark not in task.prompt), "")) for task in tasks]
    if requested:
        rows = [
            (task, f"field 'prompt' has no {mark}, so it does not show where the hole is")
            for task, mark in unmarked
            if mark
        ]
        yield from _once(rows)
    unfit = "fields 'test_prefix' and 'test_suffix' are not of the file that 'prefix' and 'suffix' show"
    yield from _once([(task, unfit) for task in tasks if not _fits(task)])


def _once(rows: Sequence[tuple[CodevTask, str]]) -> Iterator[str]:
    if rows:
        (first, what), more = rows[0], len(rows) - 1
        yield f"{first.where}: {what}{f', and the same in {more} more rows' if more else ''}; fix or omit them"


def _fits(task: CodevTask) -> bool:
    """Whether what is shown is a part of what is tested, next to the hole before it and anywhere behind it."""
    return task.test_prefix.endswith(task.prefix) and task.suffix in task.test_suffix


def read_tasks(path: Path, mode: str, *, answered: bool = False) -> tuple[list[CodevTask], list[str]]:
    """The tasks of a file, and a line about each row that is none; with `answered` rows are predictions.

    Raises InputError for a file that cannot be read.
    """
    tasks: list[CodevTask] = []
    findings: list[str] = []
    for row in each_row(path):
        try:
            if isinstance(row, InputError):
                raise row
            task = _task(row, mode, len(tasks) + len(findings) + 1)
            tasks.append(replace(task, answered=_answered(row)) if answered else task)
        except InputError as error:
            findings.append(str(error))
    if not tasks and not findings:
        findings.append(f"{path}: no rows in it; leave the file out")
    return tasks, findings


def _task(row: Row, mode: str, number: int) -> CodevTask:
    form = row.read(TaskRow)
    key = form.block_key
    match = _KEY.fullmatch(key)
    if match is None:
        raise InputError(f"{row.where}: field 'block_key' is {key!r}; write it as FILE#L<start>-L<end>")
    try:
        repo, file = rebased(match[1])
    except ValueError as error:
        raise InputError(f"{row.where}: field 'block_key': {error}; fix the path") from None
    return CodevTask(
        case_id=f"{mode}:{number}:{repo}/{file}#L{match[2]}-L{match[3]}",
        mode=mode,
        where=row.where,
        row=row.values,
        repo=repo,
        file=file,
        first=int(match[2]),
        block_type=form.block_type,
        prompt=form.prompt,
        prefix=form.prefix,
        suffix=form.suffix,
        middle=form.middle,
        test_prefix=form.prefix if form.test_prefix is None else form.test_prefix,
        test_suffix=form.suffix if form.test_suffix is None else form.test_suffix,
        tests=form.unit_test_ids,
    )


def _answered(row: Row) -> CodevAnswer:
    form = row.read(PredictionRow)
    is_number = isinstance(form.latency, int | float) and not isinstance(form.latency, bool)
    text = form.response_original_text
    return CodevAnswer(
        text=f"```\n{form.response}\n```" if text is None else text,
        response=form.response,
        latency=float(form.latency) if is_number else None,
    )
