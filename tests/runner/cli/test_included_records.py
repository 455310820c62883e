"""Commands whose records include other records: their options are options of the command too."""

from dataclasses import dataclass, field
from typing import Annotated

import typer
from typer import Option
from typer.testing import CliRunner

from runner.cli.command import command, filled, register, values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    depth: Annotated[int, Option("--depth", min=0, help="The depth.")] = 1
    names: Annotated[list[str] | None, Option("--name-it", help="Names.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    word: Annotated[str, Option("--word", help="A word.")]
    shared: Shared = field(default_factory=Shared)
    last: Annotated[bool, Option("--last", help="Whether it is the last.")] = False


def called(*words: str) -> list[Options]:
    seen: list[Options] = []

    def go(options: Options) -> None:
        seen.append(options)

    app = typer.Typer()
    register(app, "go", Options, go)
    CliRunner().invoke(app, list(words))
    return seen


def test_an_included_record_is_filled_from_its_own_options() -> None:
    (options,) = called("--word", "a", "--depth", "3", "--name-it", "x", "--name-it", "y", "--last")

    assert options == Options(word="a", shared=Shared(depth=3, names=["x", "y"]), last=True)


def test_its_defaults_are_those_of_the_record() -> None:
    assert called("--word", "a") == [Options(word="a")]


def test_its_bounds_hold() -> None:
    assert called("--word", "a", "--depth", "-1") == []


def test_values_of_a_record_fill_it_again() -> None:
    options = Options(word="a", shared=Shared(depth=7))

    assert values_of(options) == {"word": "a", "depth": 7, "names": None, "last": False}
    assert filled(Options, values_of(options)) == options


def test_a_command_keeps_the_name_and_the_help_of_what_it_calls() -> None:
    def go(options: Options) -> None:
        """Go somewhere."""
        raise AssertionError(options)

    assert (command(Options, go).__name__, command(Options, go).__doc__) == ("go", "Go somewhere.")
