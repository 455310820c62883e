"""What mining deals in: cases, the reasons why a commit or a file gives none, and the counts of both."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from runner.git import PathChange, Repository
from runner.mine.file_filter import SOURCES, FileFilter

Unit = Literal["commits", "files"]


class MiningRefusal(StrEnum):
    """Why a commit, or a file that it changed, gives no case."""

    # A commit's own.
    ROOT = "root"
    MERGE = "merge"
    MISSING_OBJECT = "missing_object"
    SEVERAL_FILES = "several_files"
    TOO_MANY_FILES = "too_many_files"
    FILE_AND_FOLDER = "file_and_folder"
    TOO_FEW_EDITS = "too_few_edits"
    TOO_MANY_EDITS = "too_many_edits"
    # Its message's.
    NO_MESSAGE = "no_message"
    VERSION_BUMP = "version_bump"
    REVERT = "revert"
    FIXUP = "fixup"
    # A file's, before it is read.
    ADDED = "added"
    DELETED = "deleted"
    NO_FILE = "no_file"
    NO_CHANGE = "no_change"
    LANGUAGE = "language"
    PATH = "path"
    # Its texts'.
    TOO_LONG = "too_long"
    BINARY = "binary"
    NOT_UTF8 = "not_utf8"
    LINE_ENDS = "line_ends"
    BLANK_FILE = "blank_file"
    # The edit's.
    LINES = "lines"
    BLANK = "blank"
    SPACE = "space"
    COMMENT = "comment"
    TOO_MANY_LINES = "too_many_lines"
    SYNTAX = "syntax"
    OUT_OF_REACH = "out_of_reach"
    DUPLICATE = "duplicate"


class CaseRefusedError(Exception):
    """A commit or a file gives no case."""

    def __init__(self, reason: MiningRefusal) -> None:
        super().__init__(str(reason))
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Touching:
    """A commit with one parent, and what it touched."""

    sha: str
    parent: str
    changes: tuple[PathChange, ...]


@dataclass(frozen=True, slots=True)
class Case:
    """A case that was found: two are the same whose `key` is.

    `files` gives, for the case's number counted from 1, its files by their paths in the folder; `about` describes it
    in the manifest, beside its commit.
    """

    key: bytes
    languages: tuple[str, ...]
    files: Callable[[int], Mapping[str, bytes]]
    about: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class MiningSource:
    """Where cases are looked for, and in what; `project` is the repository's name."""

    repository: Repository
    project: str
    files: FileFilter


@dataclass(frozen=True, slots=True)
class CaseKind:
    """A kind of cases: `look` gives a case or a refusal for each of its units of a commit.

    `folders` are there even without a case; `languages` are those of the files that are mined by default.
    """

    unit: Unit
    folders: tuple[str, ...]
    look: Callable[[MiningSource, Touching], Iterator[Case | MiningRefusal]]
    languages: frozenset[str] = SOURCES


@dataclass(slots=True)
class Tally:
    """Counts of what was read, and of what was refused and why; `files` are counted where they are the units."""

    unit: Unit
    commits: int = 0
    files: int = 0
    cases: int = 0
    refused_commits: Counter[MiningRefusal] = field(default_factory=Counter)
    refused_files: Counter[MiningRefusal] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
