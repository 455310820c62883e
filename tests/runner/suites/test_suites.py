"""Every suite of the registry is a folder with the same five parts, and goes by its own name."""

import pytest

from runner.errors import InputError
from runner.suites import SUITES, suite_named
from tests.runner.suites.conversion import registered


@registered
def test_a_suite_goes_by_the_name_of_its_folder(name: str) -> None:
    suite = suite_named(name)

    assert suite.name == name
    assert SUITES[name].rpartition(".")[2] == name
    assert suite.plan.__module__.startswith(f"runner.suites.{name}.")


def test_a_suite_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(InputError, match="suite 'gone' is not known; known are diff_edit, nextedit, codrep"):
        suite_named("gone")
