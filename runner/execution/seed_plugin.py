"""A pytest plugin that lets each test draw the same numbers by chance every time; it runs in the tested interpreter.

Nothing of ours can be imported there, and the interpreter may be as old as 3.9. What is traced, what is proved and what
is judged are then the same runs. Not pinned are generators that a test makes for itself, and what the system draws.
"""

import random  # noqa: F401 - so that it is there, and not imported only by what is tested
import sys

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Seed again before fixtures are made."""
    _pin()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call() -> None:
    """Seed again before the test, whichever fixtures existed already."""
    _pin()


def _pin() -> None:
    for name in ("random", "numpy.random"):
        # Whatever stands there under that name: a repository may have one of its own.
        seed = getattr(sys.modules.get(name), "seed", None)
        if callable(seed):
            seed(0)
