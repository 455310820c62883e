"""A completion data set: source files once, and tasks that are spans of them, as JSON lines.

The rows, in this order, distinguished by `kind`: one `dataset` for each repository, then `file`, `task` and `survivor`
rows, which name theirs by `repo` if there are several. Spans are in bytes of UTF-8. What a model sees and what is
tested are functions of a file's text and a task's spans, so neither is stored; a file's digest guards that the
repository still is the one that the tasks were proved in.
"""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import orjson

from runner.errors import InputError
from runner.jsonl import Row, read_rows
from runner.storage.rows import to_json
from runner.suites.completion.provenance import Provenance

FORMAT = 1
SCENES = ("1.1", "1.2", "1.3", "2.1", "2.2", "3", "4")
_REBUILD = "build the data set again"
# The end of the names that tasks are given when they are built.
_PLACE = re.compile(r":(\d+)-(\d+)$")
# The name of a folder, and of no other than one beside the data set.
REPOSITORY = re.compile(r"(?!\.{1,2}$)[^/\\\x00-\x1f]+")


@dataclass(frozen=True, slots=True)
class ByteSpan:
    """A part of a file, in bytes; `start_line` and `end_line` count from 1 and are both inside."""

    start: int
    end: int
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """A piece of another place of the repository that is shown with a task."""

    path: str
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True)
class TriedMutant:
    """How the tests ended with the truth in the hole, but for `new` in place of `old` in its line `line` (from 1)."""

    line: int
    old: str
    new: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Proof:
    """That a task's tests see its hole: `filling` in the hole's place ended as `outcome`, the truth passed twice.

    `mutants` state how closely they look.
    """

    killed_by: str
    filling: str
    outcome: str
    failing: str | None = None
    mutants: tuple[TriedMutant, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One hole.

    - `scene`: 1.1, 1.2, 1.3, 2.1, 2.2, 3 or 4; `with_evidence` distinguishes the two forms of 1.x.
    - `function`: the dotted name of the function around the hole, "" for none; `function_end` its end, in bytes.
    - `tests`: the node ids that judge it, of `tests_total` that execute it; none for what only similarity can judge.
    - `seconds`: how long the tests took when they passed, rounded up.
    - `repo`: the name of its repository in a set of several, "" in a set of one.
    """

    task_id: str
    file: str
    scene: str
    with_evidence: bool
    block_type: str
    span: ByteSpan
    function: str
    function_end: int
    tests: tuple[str, ...]
    tests_total: int
    seconds: int
    evidence: tuple[Evidence, ...] = ()
    proof: Proof | None = None
    repo: str = ""

    @property
    def place(self) -> str:
        """Return the name of its file among those of all repositories."""
        return place_of(self.repo, self.file)

    @property
    def weak(self) -> bool | None:
        """Return whether at least half of the mutants pass its tests; None where none was tried."""
        if self.proof is None or not self.proof.mutants:
            return None
        passed = sum(mutant.outcome == "pass" for mutant in self.proof.mutants)
        return 2 * passed >= len(self.proof.mutants)


@dataclass(frozen=True, slots=True)
class Survivor:
    """A hole whose tests pass with every wrong filling that was tried: nothing tests it."""

    file: str
    block_type: str
    span: ByteSpan
    tests: tuple[str, ...]
    fillings: tuple[str, ...]
    repo: str = ""


@dataclass(frozen=True, slots=True)
class DatasetOrigin:
    """Where a data set comes from: the repository's name, its commit ("" where there is none) and what was used."""

    repo: str
    commit: str
    python: str
    isolation: tuple[str, ...]
    tests_passing: int
    tests_left_out: int
    format: int = FORMAT
    provenance: Provenance = field(default_factory=Provenance)


class _Kind(msgspec.Struct, frozen=True):
    """What every row says."""

    kind: str


class _File(msgspec.Struct, frozen=True):
    """A row of kind `file`."""

    path: str
    text: str
    sha256: str
    repo: str = ""


@dataclass(frozen=True)
class Dataset:
    """Everything of one file of JSON lines.

    `files` are texts by their places. A set of several repositories has `others` than the first one that it is `about`.
    """

    about: DatasetOrigin
    files: Mapping[str, str]
    tasks: tuple[Task, ...]
    survivors: tuple[Survivor, ...] = field(default=())
    others: tuple[DatasetOrigin, ...] = ()

    @cached_property
    def joined(self) -> bool:
        """Whether tasks name their repository; a part of a set of several may have those of one."""
        return bool(self.others) or any(task.repo for task in self.tasks)

    @property
    def origins(self) -> dict[str, DatasetOrigin]:
        """Each repository by the name that its tasks have."""
        return {about.repo: about for about in (self.about, *self.others)} if self.joined else {"": self.about}

    def placed_files(self, repo: str) -> dict[str, str]:
        """Return the texts of a repository's files by their places."""
        return {place: text for place, text in self.files.items() if place.startswith(place_of(repo, ""))}

    def files_of(self, repo: str) -> dict[str, str]:
        """Return the same by their paths in the repository."""
        return {place[len(place_of(repo, "")) :]: text for place, text in self.placed_files(repo).items()}

    @cached_property
    def _bytes(self) -> dict[str, bytes]:
        return {place: text.encode() for place, text in self.files.items()}

    def truth(self, task: Task) -> str:
        """What stood in the hole."""
        return self._bytes[task.place][task.span.start : task.span.end].decode()

    def prefix(self, task: Task) -> str:
        """What is seen before the hole."""
        return self._bytes[task.place][: task.span.start].decode()

    def suffix(self, task: Task) -> str:
        """What is seen behind the hole: in scene 1.2 not the rest of the function, in 1.3 nothing."""
        data = self._bytes[task.place]
        seen_from = {"1.2": task.function_end, "1.3": len(data)}.get(task.scene, task.span.end)
        return data[max(seen_from, task.span.end) :].decode()

    def assembled(self, task: Task, response: str) -> str:
        """The file that is tested: the response between what really stood around the hole, in every scene."""
        return self.prefix(task) + response + self._bytes[task.place][task.span.end :].decode()


def place_of(repo: str, path: str) -> str:
    """Return the name of a file among those of all repositories; it is its path in a set of one."""
    return f"{repo}/{path}" if repo else path


def digest(text: str) -> str:
    """The digest of a file's text."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def write_dataset(dataset: Dataset, path: Path) -> None:
    """Write a data set whole or not at all."""
    rows: list[dict[str, Any]] = [_about_row(about) for about in dataset.origins.values()]
    rows += [
        _of_repository({"kind": "file", "path": path, "sha256": digest(text), "text": text, "repo": repo})
        for repo in dataset.origins
        for path, text in sorted(dataset.files_of(repo).items())
    ]
    rows += [task_row(task) for task in dataset.tasks]
    rows += [_of_repository({"kind": "survivor", **asdict(survivor)}) for survivor in dataset.survivors]
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    part.replace(path)


def _about_row(about: DatasetOrigin) -> dict[str, Any]:
    """What a data set comes from as its row; without a provenance it is that of data sets which noted none."""
    row = {"kind": "dataset", **asdict(about)}
    if about.provenance == Provenance():
        del row["provenance"]
    return row


def _of_repository(row: dict[str, Any]) -> dict[str, Any]:
    """The same row; in a set of one repository it names none."""
    if not row["repo"]:
        del row["repo"]
    return row


def task_row(task: Task) -> dict[str, Any]:
    """A task as its row; of a task without mutants it is that of data sets which had none."""
    row = _of_repository({"kind": "task", **asdict(task)})
    if task.proof is not None and not task.proof.mutants:
        del row["proof"]["mutants"]
    return row


def read_dataset(path: Path) -> Dataset:
    """A data set; raises InputError naming file, line, field and fix."""
    by_kind: dict[str, list[Row]] = {"dataset": [], "file": [], "task": [], "survivor": []}
    for row in read_rows(path):
        kind = row.read(_Kind, _REBUILD).kind
        if kind not in by_kind:
            raise InputError(f"{row.where}: field 'kind' is {kind!r}; one of {', '.join(by_kind)} is needed")
        by_kind[kind].append(row)
    if not by_kind["dataset"]:
        raise InputError(f"{path}: a row of kind 'dataset' is needed, and there is none; build it again")
    about, *others = _origins(by_kind["dataset"])
    repositories = {about.repo, *(other.repo for other in others)} if others else {""}
    files = _files(by_kind["file"], repositories)
    tasks = tuple(_tasks(by_kind["task"], files))
    survivors = tuple(row.read(Survivor, _REBUILD) for row in by_kind["survivor"])
    return Dataset(about, files, tasks, survivors, tuple(others))


def _origins(rows: Sequence[Row]) -> list[DatasetOrigin]:
    """The repositories; if there are several, each has a name of its own, which can be that of a folder."""
    origins: dict[str, DatasetOrigin] = {}
    for row in rows:
        about = _about(row)
        if len(rows) > 1 and (about.repo in origins or not REPOSITORY.fullmatch(about.repo)):
            raise InputError(
                f"{row.where}: field 'repo' is {about.repo!r}; give each repository a folder name of its own"
            )
        origins[about.repo] = about
    return list(origins.values())


def _about(row: Row) -> DatasetOrigin:
    about = row.read(DatasetOrigin, _REBUILD)
    if about.format > FORMAT:
        raise InputError(
            f"{row.where}: field 'format' is {about.format}; {FORMAT} is the newest known, update the program"
        )
    return about


def _files(rows: Iterable[Row], repositories: Container[str]) -> dict[str, str]:
    files: dict[str, str] = {}
    for row in rows:
        file = row.read(_File, _REBUILD)
        if file.repo not in repositories:
            raise InputError(
                f"{row.where}: field 'repo' is {file.repo!r}, which no row of kind 'dataset' has; join again"
            )
        place = place_of(file.repo, file.path)
        if place in files:
            raise InputError(f"{row.where}: field 'path' is {file.path!r}, as in a row above; give each file one row")
        if digest(file.text) != file.sha256:
            raise InputError(f"{row.where}: fields 'text' and 'sha256' do not agree; build the data set again")
        files[place] = file.text
    return files


def _tasks(rows: Iterable[Row], files: Mapping[str, str]) -> Iterator[Task]:
    data = {path: text.encode("utf-8", "surrogateescape") for path, text in files.items()}
    known: set[str] = set()
    for row in rows:
        task = _task(row, data)
        if task.task_id in known:
            raise InputError(
                f"{row.where}: field 'task_id' is {task.task_id!r}, as in a row above; leave one of them out"
            )
        known.add(task.task_id)
        yield task


def _task(row: Row, data: Mapping[str, bytes]) -> Task:
    task, where = read_task(row), row.where
    if task.place not in data:
        raise InputError(
            f"{where}: field 'file' names {task.place!r}, of which there is no row; build the data set again"
        )
    if task.scene not in SCENES:
        raise InputError(f"{where}: field 'scene' is {task.scene!r}, none of {', '.join(SCENES)}; build it again")
    _refuse_unproved(where, task)
    _refuse_span(where, task, data[task.place])
    return task


def task_digest(task: object, text: str) -> str:
    """12 hexadecimal digits of SHA-256 over the row of a task and its file."""
    return sha256(to_json([task, text]).encode()).hexdigest()[:12]


def read_task(row: Row) -> Task:
    """A task from its row. Raises InputError naming the field and the fix."""
    return row.read(Task, _REBUILD)


def _refuse_unproved(where: str, task: Task) -> None:
    """Raise InputError for tests that are none, or that nobody has seen refuse anything."""
    words = [test for test in task.tests if test.startswith("-") or not test.strip()]
    if words:
        raise InputError(f"{where}: field 'tests' has {words[0]!r}, which is no test's id; build the data set again")
    if task.seconds < 0:
        raise InputError(f"{where}: field 'seconds' is {task.seconds}; give how long the tests take, 0 at least")
    tested = task.block_type != "COMMENT"
    if tested and (task.proof is None or not task.tests):
        name = "tests" if task.proof else "proof"
        raise InputError(
            f"{where}: field {name!r} is empty, which it may be of a COMMENT only; build the data set again"
        )


def _refuse_span(where: str, task: Task, data: bytes) -> None:
    """Raise InputError for a span that is no part of the file, or that parts a character."""
    span = task.span
    if not 0 <= span.start <= span.end <= len(data) or not 0 <= task.function_end <= len(data):
        raise InputError(f"{where}: field 'span' or 'function_end' is not within {task.file}; build the data set again")
    for edge in (span.start, span.end, task.function_end):
        # The second and further bytes of a character are 0x80 to 0xBF.
        if edge < len(data) and data[edge] & 0xC0 == 0x80:
            raise InputError(f"{where}: byte {edge} of {task.file} is within a character; build the data set again")
    first = data.count(b"\n", 0, span.start) + 1
    lines = first, first + data.count(b"\n", span.start, span.end)
    place = _PLACE.search(task.task_id)
    if lines != (span.start_line, span.end_line) or (place and [*map(int, place.groups())] != [span.start, span.end]):
        raise InputError(
            f"{where}: field 'span' is not what its lines or 'task_id' state: bytes {span.start} to {span.end} are in"
            f" lines {lines[0]} to {lines[1]}; build the data set again"
        )
