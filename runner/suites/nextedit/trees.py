"""The trees that systems work in: a scratch copy of each commit's files, as they were before it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from runner.execution.workspace import Workspace, scratch
from runner.suites.nextedit.commits import Commit
from runner.suites.nextedit.sources import Ready


def trees_of(commits: Sequence[Ready]) -> Callable[[Commit], AbstractContextManager[Workspace]]:
    """What makes the tree of each of these commits."""
    ready = {commit.commit.case_id: commit for commit in commits}

    @contextmanager
    def tree_of(commit: Commit) -> Iterator[Workspace]:
        with ready[commit.case_id].tree() as files, scratch(files, commit.origin.project or "tree") as workspace:
            yield workspace

    return tree_of
