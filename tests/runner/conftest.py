"""What the tests of the runner share: a database of their own, and property tests that a busy machine cannot fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from runner.store import Store

settings.register_profile("patient")
settings.load_profile("patient")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty evals.db."""
    opened = Store.open(tmp_path / "evals.db")
    yield opened
    opened.close()
