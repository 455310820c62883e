"""Suites that do not run by the one path yet: their tests may fail until they do."""

import pytest

from runner.suites import SUITES

# To be emptied, and then to go with its users.
UNCONVERTED = {"codrep", "completion", "nextedit"}

registered = pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            marks=[pytest.mark.xfail(reason="is being moved to the one run path", strict=False)]
            if name in UNCONVERTED
            else [],
        )
        for name in SUITES
    ],
)
