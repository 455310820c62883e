"""Codev-Bench's data beside its prompts: the repositories as they were, and which test an id stands for."""

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import msgspec

from runner.errors import InputError
from runner.jsonl import Row, read_rows
from runner.suites.completion.codev.tasks import CodevTask, rebased

COPY = "Source_Code_Copy"
TESTS = "test_metadata_funcname_passed_called.jsonl"
_INTERPRETERS = ("myenv/bin/python", "myenv/Scripts/python.exe")


class MetadataRow(msgspec.Struct, frozen=True):
    """A row about a test."""

    did: str
    relative_path: str | None = None
    func_path: str | None = None
    run_command: str | None = None


@dataclass(frozen=True)
class CodevDir:
    """A folder with `Source_Code_Copy` and `metadatas`, as the original's MAIN_DIR has them."""

    folder: Path

    def repository(self, repo: str) -> Path:
        """Where a repository lies, untouched."""
        return self.folder / COPY / repo

    def interpreter(self, repo: str) -> Path | None:
        """The interpreter of a repository's own environment, if it has brought one."""
        places = (self.folder / source / repo / name for source in ("Source_Code", COPY) for name in _INTERPRETERS)
        return next((place for place in places if place.exists()), None)

    @cached_property
    def _tests(self) -> dict[str, dict[str, str]]:
        return {}

    def tests(self, repo: str) -> dict[str, str]:
        """Node ids by the ids of the tests. Raises InputError naming file, line and field."""
        if repo not in self._tests:
            path = self.folder / "metadatas" / repo / TESTS
            self._tests[repo] = dict(_read_tests(path, self.repository(repo))) if path.is_file() else {}
        return self._tests[repo]

    def node_ids(self, task: CodevTask) -> tuple[str, ...]:
        """The node ids of a task's tests, in their order; an id that is none in the metadata may be a node id itself.

        Raises InputError for one that is neither.
        """
        known, ids = self.tests(task.repo), []
        for test in task.tests:
            node = known.get(test, test)
            if not (self.repository(task.repo) / node.partition("::")[0]).is_file():
                raise InputError(
                    f"{task.where}: field 'unit_test_ids': {test!r} is in no {TESTS} of metadatas/{task.repo}, and no"
                    " file of the repository; fix the id"
                )
            ids.append(node)
        return tuple(ids)

    def findings(self, tasks: Iterable[CodevTask]) -> Iterator[str]:
        """A line about each task that cannot be tested here."""
        for task in tasks:
            if not self.repository(task.repo).is_dir():
                yield f"{task.where}: no {COPY}/{task.repo} in {self.folder}; add the repository, or leave the row out"
            elif not (self.repository(task.repo) / task.file).is_file():
                yield f"{task.where}: field 'block_key': no {task.file} in {COPY}/{task.repo}; fix the path"
            elif not task.tests:
                yield f"{task.where}: field 'unit_test_ids' is empty; name tests, or leave --check-unittest out"
            else:
                try:
                    self.node_ids(task)
                except InputError as error:
                    yield str(error)


def _read_tests(path: Path, root: Path) -> Iterator[tuple[str, str]]:
    for row in read_rows(path):
        test = row.read(MetadataRow)
        yield test.did, _node_id(row, test, root)


def _node_id(row: Row, test: MetadataRow, root: Path) -> str:
    """`relative_path::func_path`, as far as that is a file here; else what the command runs."""
    file = (test.relative_path or "").replace("\\", "/")
    # The path may count from the repository or from the folder of all of them.
    for path in (file, file.partition("/")[2]):
        if path and (root / path).is_file():
            node = (test.func_path or "").removeprefix(f"{file}::").removeprefix(f"{path}::")
            names, bracket, parameters = node.partition("[")
            names = names if "::" in names else names.replace(".", "::")
            return f"{path}::{names}{bracket}{parameters}" if names else path
    return _from_command(row, test.run_command or "", root)


def _from_command(row: Row, command: str, root: Path) -> str:
    """The node id that a shell command gives to pytest, whatever machine its paths are of."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise InputError(f"{row.where}: field 'run_command': {error}; close the quotes") from None
    for word in reversed(words):
        path, separator, names = word.partition("::")
        place = _here(path, root)
        if re.search(r"\.py$", path) and (root / place).is_file():
            return f"{place}{separator}{names}"
    raise InputError(
        f"{row.where}: neither 'relative_path' nor 'run_command' names a test file of {root}; fix one of them"
    )


def _here(path: str, root: Path) -> str:
    try:
        repo, file = rebased(path)
    except ValueError:
        return path
    return file if repo == root.name else path
