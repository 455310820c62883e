"""Values of options that are read without typer's validators: always as typer would have read them."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer import Argument, Option
from typer.main import get_command

from runner.cli.plain_values import reading_plainly

WORDS = (
    "",
    "0",
    "3",
    "03",
    " 3",
    "-3",
    "3.5",
    "3.",
    ".5",
    "1e3",
    "inf",
    "nan",
    "9" * 30,
    "a,b",
    ".",
    "/no/such",
    "three",
)
VALUES = st.one_of(
    st.none(), st.sampled_from(WORDS), st.text(max_size=6), st.integers(-9, 99), st.floats(), st.booleans()
)


def command(  # noqa: PLR0917 - typer calls it by names
    folder: Annotated[Path, Argument()],
    models: Annotated[list[str] | None, Argument()] = None,
    name: Annotated[str, Option()] = "",
    count: Annotated[int | None, Option(min=2, max=40)] = None,
    clamped: Annotated[int, Option(min=2, max=40, clamp=True)] = 3,
    share: Annotated[float, Option(min=0.5)] = 1,
    file: Annotated[Path | None, Option()] = None,
    existing: Annotated[Path | None, Option(exists=True, dir_okay=False)] = None,
    kind: Annotated[Literal["diff", "whole"], Option()] = "diff",
    since: Annotated[datetime | None, Option()] = None,
    files: Annotated[list[Path] | None, Option()] = None,
    upper: Annotated[str, Option(callback=lambda value: value and value.upper())] = "",
    parsed: Annotated[int, Option(parser=len)] = 0,
    strict: Annotated[bool, Option("--strict")] = False,
) -> None:
    """Do nothing: only its parameters are of interest."""


def made() -> Any:  # noqa: ANN401 - typer's types are private
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return get_command(app)


CONTEXT = typer.Context(made())
THEIRS = {parameter.name: parameter for parameter in made().params}
OURS = {parameter.name: parameter for parameter in reading_plainly(made().params)}


def read(parameter: Any, value: object) -> tuple[type, str]:  # noqa: ANN401 - typer's types are private
    """A value's type and look, or those of the refusal."""
    try:
        found = parameter.process_value(CONTEXT, value)
    except Exception as error:  # noqa: BLE001 - whatever it is, it has to be the same
        found = error
    return type(found), str(found)


@pytest.mark.parametrize("name", THEIRS)
@given(value=st.one_of(VALUES, st.lists(VALUES, max_size=2), st.tuples(VALUES)))
def test_a_value_is_read_as_typer_reads_it(name: str, value: object) -> None:
    assert read(OURS[name], value) == read(THEIRS[name], value)
