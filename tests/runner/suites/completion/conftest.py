"""What the tests of the completion suite share: a judge of a small repository, in the strongest cells there are."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.execution.copies import JudgeTarget, target
from runner.execution.isolation import Isolation, strongest
from runner.execution.repository_judge import Judge
from tests.completion import write_repository


@pytest.fixture(scope="session")
def interpreter(plain_python: str) -> JudgeTarget:
    return target(plain_python, os.environ["PATH"])


@pytest.fixture(scope="session")
def with_plugins() -> JudgeTarget:
    """The interpreter of these tests, which has plug-ins of pytest."""
    return target(sys.executable, os.environ["PATH"])


@pytest.fixture(scope="session")
def isolation() -> Isolation:
    return strongest()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return write_repository(tmp_path)


JudgeOf = Callable[[Path], Judge]


@pytest.fixture
def judge(repo: Path, interpreter: JudgeTarget, isolation: Isolation) -> Iterator[Judge]:
    with Judge(repo, interpreter, isolation) as made:
        yield made
