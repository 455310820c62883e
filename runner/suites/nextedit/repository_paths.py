"""Where a repository's commits can be read to their end: its objects, and the trees that are checked out from it."""

import os
from collections.abc import Iterator
from pathlib import Path

from runner.git import Repository
from runner.input_files import input_bytes

_TREE = b"worktree "


def objects_of(repository: Repository) -> Iterator[Path]:
    """The repository's own folder, wherever in its tree or in a linked one it was named, and objects it borrows."""
    folder = repository.run("rev-parse", "--git-common-dir").removesuffix(b"\n")
    own = (repository.path / os.fsdecode(folder)).resolve()
    yield own
    lenders = own / "objects" / "info" / "alternates"
    if lenders.is_file():
        for line in input_bytes(lenders, "repair the repository").splitlines():
            yield (own / "objects" / os.fsdecode(line)).resolve()


def trees_of(repository: Repository) -> Iterator[Path]:
    """The working trees, linked ones too; of a bare repository its own folder."""
    for line in repository.run("worktree", "list", "--porcelain").splitlines():
        if line.startswith(_TREE):
            yield Path(os.fsdecode(line.removeprefix(_TREE))).resolve()
