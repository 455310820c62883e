"""The bundle of each suite, made once a session."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.runner.bundles.bundled_runs import make_bundle


@pytest.fixture(scope="session")
def bundle_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The bundle of a small run of a suite; its database stands beside it."""
    return cache(lambda suite: make_bundle(suite, tmp_path_factory.mktemp(suite)))
