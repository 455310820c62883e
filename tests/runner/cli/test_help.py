"""Help: options in groups, values with names that say what they are, nothing wider than 80 columns."""

import re
from collections.abc import Iterator

import pytest
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from runner.cli import app
from runner.cli.help import value_name
from tests.runner.cli.conftest import Call


def commands(group: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], TyperCommand | TyperGroup]]:
    assert isinstance(group, TyperGroup)
    for name, command in group.commands.items():
        assert isinstance(command, TyperCommand | TyperGroup)
        yield (*path, name), command
        if isinstance(command, TyperGroup):
            yield from commands(command, (*path, name))


COMMANDS = [pytest.param(*entry, id=" ".join(entry[0])) for entry in commands(get_command(app))]


@pytest.mark.parametrize("path,command", COMMANDS)
def test_help_fits_80_columns_and_names_no_type_of_the_program(
    path: tuple[str, ...], command: TyperCommand, call: Call
) -> None:
    done = call(*path, "--help")

    assert command.name == path[-1]
    assert max(map(len, done.out.splitlines())) <= 80
    assert re.findall(r"--\S+ <|x[<>]=?\d", done.out) == []


@pytest.mark.parametrize("path,command", COMMANDS)
def test_every_value_has_a_name(path: tuple[str, ...], command: TyperCommand) -> None:
    values = [one for one in command.params if isinstance(one, TyperArgument | TyperOption)]

    unnamed = [one.name for one in values if value_name(one) == "VALUE"]

    assert unnamed == [], path


def test_common_options_come_first() -> None:
    headings = ["Arguments", "Models", "Cases and answers", "Cost", "Run", "Output", "Speed", "Sampling"]
    found = re.findall(r"^(\w[\w ]*):$", help_of("diff"), re.MULTILINE)

    assert [heading for heading in found if heading in headings] == headings


@pytest.mark.parametrize(
    "line", ["--budget USD ", "--model-ids MODELS ", "-n, --valid-attempts-per-case N", "--db FILE "]
)
def test_a_value_says_what_it_is(line: str) -> None:
    assert line in help_of("diff")


def test_other_names_of_an_option_stand_after_its_text() -> None:
    assert re.search(
        r"--parser NAME\s+The parser\. \[default: xml-tools-v2\] Also\s+--parsing-function\.", help_of("diff")
    )


def help_of(name: str) -> str:
    command = get_command(app).commands[name]  # type: ignore[attr-defined]  # a group
    return str(command.get_help(command.context_class(command, info_name=name)))
