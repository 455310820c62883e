"""The commits of a repository with what each touched, newest first, read in a few calls of git."""

import os
from collections.abc import Iterator, Sequence

from runner.errors import InputError
from runner.git import GitError, Repository
from runner.mine.case import MiningRefusal, Touching

# One call of git for so many commits: enough to forget what starting it costs, few enough for a limit to end early.
_AT_ONCE = 500
Pairs = Sequence[tuple[str, str]]


def read_history(
    repository: Repository, commits: Sequence[tuple[str, tuple[str, ...]]]
) -> Iterator[Touching | MiningRefusal]:
    """Of commits, each with its parents, what each touched against its parent, or why it is not looked at."""
    for start in range(0, len(commits), _AT_ONCE):
        part = commits[start : start + _AT_ONCE]
        single = [(sha, parents[0]) for sha, parents in part if len(parents) == 1]
        touched = dict(zip(single, _touched(repository, single), strict=True))
        for sha, parents in part:
            if len(parents) == 1:
                yield touched[sha, parents[0]]
            else:
                yield MiningRefusal.MERGE if parents else MiningRefusal.ROOT


def _touched(repository: Repository, pairs: Pairs) -> Iterator[Touching | MiningRefusal]:
    try:
        for (sha, parent), changes in zip(pairs, repository.changes_of_each(pairs), strict=True):
            yield Touching(sha, parent, changes)
    except GitError:
        # A tree or a text is missing, as in a partial clone: each commit by itself, to lose no other.
        for pair in pairs:
            yield _touched_alone(repository, pair)


def _touched_alone(repository: Repository, pair: tuple[str, str]) -> Touching | MiningRefusal:
    try:
        (changes,) = repository.changes_of_each([pair])
    except GitError:
        return MiningRefusal.MISSING_OBJECT
    return Touching(*pair, changes)


def refuse_empty(repository: Repository) -> None:
    """Raise InputError where HEAD names no commit, as in a repository without any."""
    try:
        repository.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitError:
        raise InputError(
            f"{repository.path}: HEAD names no commit yet; commit something, or name a revision with --rev"
        ) from None


def project_of(repository: Repository) -> str:
    """Return the repository's name: that of the folder it lies in, wherever in it one stands, without `.git`."""
    folder = os.fsdecode(repository.run("rev-parse", "--git-common-dir").removesuffix(b"\n"))
    place = (repository.path / folder).resolve()
    name = place.parent.name if place.name == ".git" else place.name.removesuffix(".git")
    return os.fsencode(name).decode("utf-8", "replace") or "repository"
