"""Commands made of records: each field is an option of its annotation and default, and the call gets the record."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from typer import Argument, Option
from typer.core import TyperCommand
from typer.main import get_command
from typer.testing import CliRunner

from runner.cli.command import command, filled, record_of, register, values_of
from runner.cli.defaults import take_variables


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Options that records include."""

    slots: Annotated[int, Option("--max-concurrency", "--slots", min=1, help="Attempts at once.")] = 2
    rpm: Annotated[float | None, Option("--rpm", help="Requests a minute.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """One option of each kind."""

    folder: Annotated[Path, Argument(metavar="DIR", help="A folder.")]
    name: Annotated[str, Option("--name", help="A name.")]
    pace: Pace
    limit: Annotated[int | None, Option("--limit", help="A limit.")] = None
    kind: Annotated[Literal["diff", "whole"], Option("--kind", help="A kind.")] = "diff"
    tags: Annotated[list[str] | None, Option("--tag", help="A tag.")] = None
    metrics: Annotated[list[str], Option("--metrics", help="Metrics.")] = field(default_factory=lambda: ["sari"])
    strict: Annotated[bool, Option("--strict", help="Be strict.")] = False
    digest: str = field(init=False, default="computed")


SMALLEST = ("folder", "--name", "a")


def app_of(record: type[Any], call: Callable[[Any], None]) -> typer.Typer:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    register(app, "it", record, call)
    return app


def parsed(*words: str, env: dict[str, str] | None = None) -> Options:
    """The record that a call with these words gets."""
    calls: list[Options] = []
    done = CliRunner().invoke(app_of(Options, calls.append), words, env=env, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    (options,) = calls
    return options


def refused(*words: str) -> str:
    """The error of a call with these words."""
    calls: list[Options] = []
    done = CliRunner().invoke(app_of(Options, calls.append), words)
    assert done.exit_code == 2
    assert calls == []
    return done.stderr.strip().split("\n")[-1]


def test_a_field_s_default_is_its_option_s() -> None:
    assert parsed(*SMALLEST) == Options(folder=Path("folder"), name="a", pace=Pace())


def test_each_option_fills_its_field() -> None:
    words = ("--limit", "3", "--kind", "whole", "--strict", "--slots", "7", "--rpm", "1.5")

    options = parsed(*SMALLEST, *words)

    assert (options.limit, options.kind, options.strict) == (3, "whole", True)
    assert options.pace == Pace(slots=7, rpm=1.5)


def test_an_option_that_is_repeated_gives_a_list_in_place_of_the_default() -> None:
    options = parsed(*SMALLEST, "--tag", "x", "--tag", "y", "--metrics", "bleu")

    assert options.tags == ["x", "y"]
    assert options.metrics == ["bleu"]


def test_one_call_s_list_is_not_the_next_one_s() -> None:
    parsed(*SMALLEST).metrics.append("planted")

    assert parsed(*SMALLEST).metrics == ["sari"]


@pytest.mark.parametrize(
    "words, error",
    [
        pytest.param(("folder",), "Missing option '--name'", id="a required option"),
        pytest.param(("--name", "a"), "Missing argument 'DIR'", id="a required argument"),
        pytest.param((*SMALLEST, "--kind", "half"), "'half' is not one of 'diff', 'whole'", id="not of the set"),
        pytest.param((*SMALLEST, "--limit", "many"), "Invalid value for '--limit'", id="not a number"),
        pytest.param(
            (*SMALLEST, "--slots", "0"),
            "Invalid value for '--max-concurrency' / '--slots'",
            id="an included option below its minimum",
        ),
        pytest.param((*SMALLEST, "--digest", "x"), "No such option", id="a field that is computed"),
    ],
)
def test_a_bad_command_line_is_refused_before_the_call(words: tuple[str, ...], error: str) -> None:
    assert error in refused(*words)


def test_help_shows_each_option_and_the_call_s_docstring() -> None:
    def call(_options: Options) -> None:
        """Do what the record says."""

    shown = CliRunner().invoke(app_of(Options, call), ["--help"]).stdout

    assert "Do what the record says." in shown
    for words in (
        "DIR",
        "--name",
        "--max-concurrency N",
        "Also --slots.",
        "--kind diff|whole",
        "default: sari",
        "Requests a minute.",
    ):
        assert words in shown
    assert "digest" not in shown


def test_an_included_record_s_options_stand_in_its_place() -> None:
    made = get_command(app_of(Options, lambda _options: None))

    names = [parameter.name for parameter in made.params]

    assert names == ["folder", "name", "slots", "rpm", "limit", "kind", "tags", "metrics", "strict"]


def test_variables_are_named_by_the_first_name_of_an_option() -> None:
    made = get_command(app_of(Options, lambda _options: None))
    assert isinstance(made, TyperCommand)

    take_variables(("it",), made)

    variables = {parameter.name: parameter.envvar for parameter in made.params}
    assert variables["slots"] == ["EVALS_IT_MAX_CONCURRENCY", "EVALS_MAX_CONCURRENCY"]
    assert variables["tags"] == ["EVALS_IT_TAG", "EVALS_TAG"]
    assert variables["folder"] is None


def test_values_go_into_a_record_and_come_out_of_it() -> None:
    options = parsed(*SMALLEST, "--rpm", "2")
    values = values_of(options)

    assert values["rpm"] == 2.0
    assert "pace" not in values
    assert "digest" not in values
    assert filled(Options, values) == options


@pytest.mark.parametrize("name", ["strict", "rpm"])
def test_an_option_without_a_value_gets_no_default_behind_typer_s_back(name: str) -> None:
    values = values_of(parsed(*SMALLEST))
    del values[name]

    with pytest.raises(KeyError, match=name):
        filled(Options, values)


def test_two_options_of_one_name_are_refused_when_the_command_is_made() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Twice(Pace):
        pace: Pace

    with pytest.raises(ValueError, match="duplicate parameter name: 'slots'"):
        command(Twice, lambda _options: None)


def test_a_field_may_take_the_command_s_context() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class WithContext:
        context: typer.Context
        name: Annotated[str, Option("--name")] = ""

    calls: list[WithContext] = []

    CliRunner().invoke(app_of(WithContext, calls.append), ["--name", "a"], obj="carried", catch_exceptions=False)

    assert [(call.context.obj, call.name) for call in calls] == [("carried", "a")]


def run(options: Options) -> None:
    """Do nothing with them."""
    del options


def test_the_record_of_a_function_is_the_type_of_its_parameter() -> None:
    assert record_of(run) is Options
