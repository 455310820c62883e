"""What the tests of the runner share: a database of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty evals.db."""
    opened = Store.open(tmp_path / "evals.db")
    yield opened
    opened.close()
