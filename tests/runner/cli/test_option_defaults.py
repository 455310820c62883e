"""A command that asks models has every shared option, each with the default of the record that it fills in."""

from dataclasses import MISSING, Field, fields
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from runner.cli import app
from runner.run.options import AskOptions
from runner.suites.diff_edit.options import DiffOptions
from runner.suites.edit.options import EditOptions


def parameters(*path: str) -> dict[str, Any]:
    """The parameters of a command by their names in Python."""
    command: Any = get_command(app)
    for name in path:
        assert isinstance(command, TyperGroup)
        command = command.commands[name]
    return {parameter.name: parameter for parameter in command.params}


def default(field: "Field[Any]") -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


@pytest.mark.parametrize(
    "path, options",
    [
        pytest.param(("diff",), DiffOptions, id="diff"),
        pytest.param(("edit", "run"), EditOptions, id="edit run"),
    ],
)
def test_an_option_has_the_default_of_its_field(path: tuple[str, ...], options: type[AskOptions]) -> None:
    taken = parameters(*path)

    assert {field.name for field in fields(AskOptions)} <= taken.keys()
    assert {field.name: taken[field.name].default for field in fields(options) if default(field) is not MISSING} == {
        field.name: default(field) for field in fields(options) if default(field) is not MISSING
    }
