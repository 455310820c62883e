"""What the tests of the completion suite share: a judge of a small repository, in the strongest cells there are."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runner.isolation import Isolation, strongest
from runner.suites.completion.copies import Target, target
from runner.suites.completion.judge import Judge

CODE = '''\
"""Two functions."""


def double(x):
    return x + x


def clamp(x, low, high):
    if x < low:
        return low
    while x > high:
        x -= 1
    return x
'''
TESTS = """\
from pair import clamp, double


def test_double():
    assert double(3) == 6


def test_clamp():
    assert clamp(9, 1, 4) == 4


def test_low():
    assert clamp(0, 1, 4) == 1
"""


@pytest.fixture(scope="session")
def interpreter() -> Target:
    return target(sys.executable, os.environ["PATH"])


@pytest.fixture(scope="session")
def isolation() -> Isolation:
    return strongest()


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "tests").mkdir(parents=True)
    (folder / "pair.py").write_text(CODE)
    (folder / "tests" / "test_pair.py").write_text(TESTS)
    return folder


JudgeOf = Callable[[Path], Judge]


@pytest.fixture
def judge(repo: Path, interpreter: Target, isolation: Isolation) -> Iterator[Judge]:
    with Judge(repo, interpreter, isolation) as made:
        yield made
