"""What holds for all tests: a machine that is busy with something else fails none, nor does a file of its user."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.warm_evals import warm_evals

# How long an example takes tells how busy the machine is; what is to be fast is measured by `make bench`.
settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=50)
# By `pytest --hypothesis-profile thorough`, of the properties that state no number of their own.
settings.register_profile("thorough", settings.get_profile("any machine"), max_examples=2000)
settings.load_profile("any machine")


def pytest_collection_finish() -> None:
    """What is collected lives until the end: no search for garbage is to go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def user_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A user's folders without settings and without trusted files, for programs that are started, too."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
            patched.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        # Tables have all their columns unless a test sets a width.
        patched.delenv("COLUMNS", raising=False)
        # GNU readline, which pytest loads, sets it for started programs behind the back of `os.environ`.
        os.unsetenv("COLUMNS")
        yield


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PATH on which `evals` starts fast, for scripts that start it many times."""
    with warm_evals(tmp_path_factory.mktemp("warm")) as folder:
        yield f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin"
