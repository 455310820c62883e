"""Where the whole tree of a commit is read from: a repository, or the texts that a bundle carries."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from runner.execution.workspace import File, Files, files_at, files_of
from runner.git import Repository
from runner.suites.nextedit.commits import Commit

# Larger files are no source that people write.
LARGEST = 1_000_000
# More of a project is neither searched nor written into a bundle: it takes seconds and a third of a gigabyte to rank.
_MOST = 30_000_000


class Tree(Protocol):
    """The files of a commit before it; can be sent to a worker process.

    `whole` is whether it has all files of the project, and not only those that the commit touches; `identity` is
    another for other files.
    """

    @property
    def whole(self) -> bool:
        """Whether the files are all of the project's."""
        ...

    @property
    def identity(self) -> str:
        """What distinguishes it from other trees."""
        ...

    @contextmanager
    def __call__(self) -> Iterator[Files]:
        """Yield the files, readable within the context."""
        ...


@dataclass(frozen=True, slots=True)
class RepositoryTree:
    """The tree of a commit in a repository."""

    path: Path
    commit: str
    whole: bool = True

    @property
    def identity(self) -> str:
        """The commit, whose id depends on every file."""
        return self.commit

    @contextmanager
    def __call__(self) -> Iterator[Files]:
        """Yield the files, which are read from the repository one by one."""
        with Repository(self.path) as repository:
            yield files_at(repository, self.commit)


@dataclass(frozen=True, slots=True)
class BundleTree:
    """The texts that a bundle holds: of the files that its commit touches, and of others if it carries them."""

    touched: Mapping[str, str]
    others: Mapping[str, str] | None = None

    @property
    def whole(self) -> bool:
        """Whether the bundle carries more than what its commit touches."""
        return self.others is not None

    @property
    def identity(self) -> str:
        """A digest of all texts."""
        texts = sorted({**self.touched, **(self.others or {})}.items())
        return hashlib.sha256(repr(texts).encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @contextmanager
    def __call__(self) -> Iterator[Files]:
        """Yield the files."""
        yield files_of({**self.touched, **(self.others or {})})


def text_of(file: File) -> str | None:
    """Return a file as text; None if it is none, or too large."""
    content = file.read()
    if len(content) > LARGEST or b"\0" in content:
        return None
    return content.decode("utf-8", "surrogateescape")


def other_texts(commit: Commit, tree: Tree) -> dict[str, str]:
    """Return the texts of a project that a commit does not touch, by path; what is no text or too large is left out.

    Those that end like touched ones come first, and what would make it more than 30 MB is left out.
    """
    ends = {PurePosixPath(touched.path).suffix for touched in commit.files}
    texts: dict[str, str] = {}
    left = _MOST
    with tree() as files:
        for path in sorted(untouched(commit, files), key=lambda path: (PurePosixPath(path).suffix not in ends, path)):
            text = text_of(files[path])
            if text is None:
                continue
            left -= len(text.encode("utf-8", "surrogateescape"))
            if left < 0:
                break
            texts[path] = text
    return texts


def untouched(commit: Commit, files: Files) -> list[str]:
    """Return the paths that the commit does not touch under any name, sorted."""
    touched = {path for file in commit.files for path in (file.path, file.old_path)} | set(commit.omitted)
    return sorted(path for path in files if path not in touched)
