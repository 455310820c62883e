"""The data set and its repository, where runs of tests can be shut in."""

from pathlib import Path

import pytest

from runner.execution.isolation import Isolation
from runner.suites.completion.dataset import Dataset, DatasetOrigin, write_dataset
from tests.completion import CODE, EDGE, MORE, TASKS, write_repository
from tests.runner.cli.conftest import Call


@pytest.fixture(autouse=True)
def cells(isolation: Isolation) -> None:
    """All of it needs cells."""


@pytest.fixture(autouse=True)
def python(call: Call, plain_python: str, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001 - sets its own
    """Tests are run by an interpreter that starts soon."""
    monkeypatch.setenv("EVALS_PYTHON", plain_python)


@pytest.fixture
def pair(repo: Path) -> Path:
    """A data set beside the repository that it is of."""
    (repo / "sign.py").write_text(EDGE)
    (repo / "tests" / "test_sign.py").write_text(MORE)
    files = {"pair.py": CODE, "sign.py": EDGE}
    write_dataset(Dataset(DatasetOrigin("repo", "", "3.11", (), 4, 0), files, TASKS), repo.parent / "pair.jsonl")
    return repo.parent / "pair.jsonl"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return write_repository(tmp_path)
