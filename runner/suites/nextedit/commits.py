r"""A commit as a list of edits: what git's own diff says was changed, with both versions of every touched text.

Texts are decoded as UTF-8 with surrogate escapes, so every byte survives; a line ends at "\n" and nowhere else.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from pathlib import Path, PurePosixPath

from runner.git import CommitObject, GitError, LineRun, PathChange, Repository

_SIDES = 3
_BINARY_HEAD = 8000
_REGULAR = ("100644", "100755")
_ABSENT = "000000"


class EditKind(StrEnum):
    """What an edit does to its lines."""

    INSERT = "insert"
    DELETE = "delete"
    REPLACE = "replace"


class Refusal(StrEnum):
    """Why a commit cannot be replayed."""

    ROOT = "root"
    MERGE = "merge"
    TOO_FEW_EDITS = "too_few_edits"
    TOO_MANY_EDITS = "too_many_edits"
    TOO_MANY_FILES = "too_many_files"
    FILE_AND_FOLDER = "file_and_folder"
    MISSING_OBJECT = "missing_object"
    NO_REPOSITORY = "no_repository"


class Omission(StrEnum):
    """Why a touched file has no edits of its own."""

    BINARY = "binary"
    EMPTY = "empty"
    LINK = "link"
    MODE = "mode"
    RENAME = "rename"
    SUBMODULE = "submodule"
    TOO_LONG = "too_long"


class _OmittedError(Exception):
    """A touched file is left out."""

    def __init__(self, reason: Omission) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Span:
    """Lines `start` to `end` of a version of a file, 0-based, half-open; empty at the place of an insertion."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Edit:
    """One maximal run of changed lines.

    `idx` counts from 0 over all files in git's order; `before` and `after` are lines with their ends; `prefix` and
    `suffix` are up to three unchanged lines on either side, no further than the next edit.
    """

    idx: int
    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    parent: Span
    child: Span
    prefix: tuple[str, ...] = ()
    suffix: tuple[str, ...] = ()

    @property
    def kind(self) -> EditKind:
        """Insert, delete or replace."""
        if not self.before:
            return EditKind.INSERT
        return EditKind.REPLACE if self.after else EditKind.DELETE


@dataclass(frozen=True, slots=True)
class Touched:
    """A text file of the commit in both versions; None where it is absent; `old_path` if it was renamed."""

    path: str
    before: str | None
    after: str | None
    old_path: str | None = None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a commit comes from; `language` is what the list that it is from calls it, "" if it is from none."""

    sha: str
    parent: str
    project: str = ""
    url: str = ""
    authored: int = 0
    language: str = ""

    @property
    def case_id(self) -> str:
        """The name in a run: project and the first ten digits of the id."""
        return "-".join(part for part in (self.project, self.sha[:10]) if part)


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit to be replayed; `omitted` are touched paths without edits of their own, each with its reason."""

    origin: Origin
    message: str
    files: tuple[Touched, ...]
    edits: tuple[Edit, ...]
    omitted: Mapping[str, Omission] = field(default_factory=dict)

    @property
    def case_id(self) -> str:
        """The name in a run, its origin's."""
        return self.origin.case_id


@dataclass(frozen=True, slots=True)
class Refused:
    """A commit that cannot be replayed, and why."""

    sha: str
    reason: Refusal
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is replayed at all: numbers of edits and files per commit, bytes per version of a file."""

    min_edits: int = 2
    max_edits: int = 60
    max_files: int = 40
    max_bytes: int = 1_000_000
    merges: bool = False


def is_inside(path: str) -> bool:
    """Whether a relative path stays inside its tree and out of a repository's own folder."""
    parts = PurePosixPath(path).parts
    return bool(parts) and "\0" not in path and not path.startswith("/") and not {"..", ".git"} & set(parts)


def clashes(paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each path that is a folder on the way to another of the paths, with that one: no tree holds both as files."""
    names = set(paths)
    for path in paths:
        yield from ((str(parent), path) for parent in PurePosixPath(path).parents if str(parent) in names)


# A file is asked about for each prediction.
@lru_cache(maxsize=16)
def split_lines(text: str) -> tuple[str, ...]:
    """The lines of a text with their ends; the last may have none."""
    lines = text.split("\n")
    return (*(line + "\n" for line in lines[:-1]), *((lines[-1],) if lines[-1] else ()))


def read_commit(
    repository: Repository,
    sha: str,
    limits: Limits,
    *,
    project: str = "",
    url: str = "",
    changes: tuple[PathChange, ...] | None = None,
) -> Commit | Refused:
    """The commit with the full id `sha`, against its first parent. Raises nothing for a commit that git can name.

    `changes` are what it touched, where that is known already.
    """
    try:
        about = repository.commit(sha)
        refusal = _refuse_parents(about, limits)
        if refusal is not None:
            return Refused(sha, refusal)
        changes = repository.changes(about.parents[0], sha) if changes is None else changes
        if len(changes) > limits.max_files:
            return Refused(sha, Refusal.TOO_MANY_FILES, f"{len(changes)} files")
        origin = Origin(sha, about.parents[0], project or project_of(repository.path), url, about.authored)
        return _assemble(repository, origin, about.message, changes, limits)
    except GitError as error:
        return Refused(sha, Refusal.MISSING_OBJECT, str(error))


def project_of(path: Path) -> str:
    """Return what a repository's project is called: its folder, of a bare one without `.git`."""
    folder = path.resolve()
    return folder.parent.name if folder.name == ".git" else folder.name.removesuffix(".git")


def _refuse_parents(about: CommitObject, limits: Limits) -> Refusal | None:
    if not about.parents:
        return Refusal.ROOT
    return Refusal.MERGE if len(about.parents) > 1 and not limits.merges else None


def _assemble(
    repository: Repository, origin: Origin, message: str, changes: tuple[PathChange, ...], limits: Limits
) -> Commit | Refused:
    runs = repository.runs(origin.parent, origin.sha)
    files: list[tuple[Touched, tuple[LineRun, ...]]] = []
    omitted: dict[str, Omission] = {}
    for change in changes:
        path = os.fsdecode(change.new_path)
        try:
            touched = _read_change(repository, path, change, limits)
        except _OmittedError as error:
            omitted[path] = error.reason
        else:
            files.append((touched, runs.get((change.old_id, change.new_id), ())))
    return gather(origin, message, files, omitted, limits)


def gather(
    origin: Origin,
    message: str,
    files: Sequence[tuple[Touched, tuple[LineRun, ...]]],
    omitted: Mapping[str, Omission],
    limits: Limits,
) -> Commit | Refused:
    """The commit whose files have these runs of changed lines, or why it is not replayed."""
    names = [name for touched, _ in files for name in (touched.path, touched.old_path) if name is not None]
    # A file that moves is at its new path from the beginning, so that it is in nobody's way but others'.
    moved = {frozenset((touched.old_path, touched.path)) for touched, _ in files}
    clash = next((pair for pair in clashes(names) if frozenset(pair) not in moved), None)
    if clash is not None:
        # Half-way through the commit a tree would have to hold both.
        return Refused(origin.sha, Refusal.FILE_AND_FOLDER, " and ".join(clash))
    edits: list[Edit] = []
    for touched, runs in files:
        edits += cut_edits(touched, runs, first=len(edits))
    if not limits.min_edits <= len(edits) <= limits.max_edits:
        reason = Refusal.TOO_FEW_EDITS if len(edits) < limits.min_edits else Refusal.TOO_MANY_EDITS
        return Refused(origin.sha, reason, f"{len(edits)} edits")
    return Commit(origin, message, tuple(touched for touched, _ in files), tuple(edits), omitted)


def _read_change(repository: Repository, path: str, change: PathChange, limits: Limits) -> Touched:
    modes = {mode for mode in (change.old_mode, change.new_mode) if mode != _ABSENT}
    if not modes <= set(_REGULAR):
        raise _OmittedError(Omission.SUBMODULE if "160000" in modes else Omission.LINK)
    if change.old_id == change.new_id:
        raise _OmittedError(Omission.RENAME if change.status == "R" else Omission.MODE)
    before = _read_side(repository, change.old_mode, change.old_id, limits)
    after = _read_side(repository, change.new_mode, change.new_id, limits)
    if not before and not after:
        raise _OmittedError(Omission.EMPTY)
    return Touched(path, before, after, os.fsdecode(change.old_path) if change.status == "R" else None)


def _read_side(repository: Repository, mode: str, blob_id: str, limits: Limits) -> str | None:
    if mode == _ABSENT:
        return None
    content = repository.blob(blob_id, limits.max_bytes)
    if content is None:
        raise _OmittedError(Omission.TOO_LONG)
    if b"\0" in content[:_BINARY_HEAD]:
        raise _OmittedError(Omission.BINARY)
    return content.decode("utf-8", "surrogateescape")


def cut_edits(touched: Touched, runs: tuple[LineRun, ...], *, first: int) -> Iterator[Edit]:
    """The edits of one file from git's runs of changed lines, numbered from `first`."""
    old, new = split_lines(touched.before or ""), split_lines(touched.after or "")
    for position, run in enumerate(runs):
        floor = runs[position - 1].old_end if position else 0
        ceiling = runs[position + 1].old_start if position + 1 < len(runs) else len(old)
        yield Edit(
            idx=first + position,
            path=touched.path,
            before=old[run.old_start : run.old_end],
            after=new[run.new_start : run.new_end],
            parent=Span(run.old_start, run.old_end),
            child=Span(run.new_start, run.new_end),
            prefix=old[max(floor, run.old_start - _SIDES) : run.old_start],
            suffix=old[run.old_end : min(ceiling, run.old_end + _SIDES)],
        )
