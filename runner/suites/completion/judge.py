"""Opens the judge of a repository: its tests run in the strongest cells that this machine permits."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from runner.console import say
from runner.execution.copies import target
from runner.execution.isolation import Isolation, Weak, permitted
from runner.execution.repository_judge import Judge
from runner.execution.verdicts import Known


@contextmanager
def judge_of(repo: Path, python: str, known: Known, weak: Weak, hidden: Sequence[Path] = ()) -> Iterator[Judge]:
    """A judge of a repository, which asks nothing again that is `known`; stderr says how its tests are isolated.

    `hidden` are files that answers may not read, such as the data set, which holds what stood in the holes. Raises
    InputError where this machine cannot isolate tests, unless `weak` allows that.
    """
    with judge_in(repo, python, stated_isolation(weak), known, hidden) as judge:
        yield judge


def stated_isolation(weak: Weak) -> Isolation:
    """Return how tests are isolated, and say it. Raises InputError where this machine cannot, unless `weak`."""
    isolation = permitted(weak)
    say(f"tests run in cells: {', '.join(isolation.means)}")
    return isolation


def judge_in(repo: Path, python: str, isolation: Isolation, known: Known, hidden: Sequence[Path] = ()) -> Judge:
    """Return the judge of a repository, to be entered; `python` is the path or name of an interpreter, "" for ours."""
    return Judge(repo, target(interpreter_of(python), search_path()), isolation, known, hidden)


def interpreter_of(name: str) -> str:
    """The absolute path of an interpreter, from a path or a name; "" is the one that runs this program.

    Links stay: an environment's interpreter is one.
    """
    program = name or sys.executable
    path = shutil.which(program, path=search_path())
    return program if path is None else str(Path(path).absolute())


def search_path() -> str:
    """Where programs are looked for, also by the tests."""
    return os.environ.get("PATH", os.defpath)


def database_files(db: Path) -> tuple[Path, ...]:
    """A database, and the files beside it that it has while it is written."""
    return tuple(db.with_name(db.name + end) for end in ("", "-wal", "-shm"))
