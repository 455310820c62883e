"""Every suite of the registry is a folder with the same five parts, and goes by its own name."""

from importlib import import_module
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.suites import SUITES, suite_named

FIVE = {"plan", "attempt", "score", "replay", "report"}


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_goes_by_the_name_of_its_folder(name: str) -> None:
    suite = suite_named(name)

    assert suite.name == name
    assert SUITES[name].rpartition(".")[2] == name


@pytest.mark.parametrize("name", SUITES)
def test_a_suite_has_its_five_parts_in_five_modules_of_their_names(name: str) -> None:
    suite, package = suite_named(name), import_module(SUITES[name])

    folder = Path(str(package.__file__)).parent
    assert {path.stem for path in folder.glob("*.py")} >= FIVE
    parts = (suite.plan, suite.attempt, suite.score, suite.replay, suite.report)
    assert {part.__module__.rpartition(".")[2] for part in parts} == FIVE


def test_a_suite_that_does_not_exist_is_refused_with_those_that_do() -> None:
    with pytest.raises(InputError, match="suite 'gone' is not known; known are diff_edit, nextedit,"):
        suite_named("gone")
