"""What the tests of the runner share: a database of their own, and cells where the machine permits them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.execution.isolation import Cell, Isolation, strongest
from runner.storage.store import Store
from tests.pythons import bare_python
from tests.runner.cells import running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty evals.db."""
    opened = Store.open(tmp_path / "evals.db")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def isolation() -> Isolation:
    found = strongest()
    if not found.whole:
        pytest.skip("this machine permits no namespaces with a bound on processes")
    return found


@pytest.fixture(scope="session")
def plain_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An interpreter that has pytest without plug-ins, for tests that run those of a repository."""
    return bare_python(tmp_path_factory.mktemp("python"))


@pytest.fixture
def cell(tmp_path: Path, isolation: Isolation) -> Iterator[Cell]:
    folder = tmp_path / "cell"
    folder.mkdir()
    yield Cell(folder, isolation, processes=32)
    assert running(folder) == []
