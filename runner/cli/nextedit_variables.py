"""Historian's variables in a `.env`: defaults of the options of like meaning, as its own program reads them."""

import os
from pathlib import Path
from typing import TypeVar

import typer
from typer.core import TyperOption

from runner.cli.command import filled, values_of

RecordT = TypeVar("RecordT")

# The original's names of its options; other variables of an option are not read from a `.env`.
NAMES = (
    "SUT",
    "EVAL_SET",
    "REPOS_DIR",
    "OUTPUT_DIR",
    "LOG_DIR",
    "FLOW_ANALYSIS",
    "INVOKER_MODEL_PATH",
    "LOCATOR_MODEL_PATH",
    "GENERATOR_MODEL_PATH",
    "DEVICE",
)
_SOURCES = ("cases", "repo", "testset")


def with_variables(context: typer.Context, options: RecordT) -> RecordT:
    """Return the options, with unset ones taken from the nearest `.env`; a blank variable sets nothing.

    A list of commits that only a variable names gives way to a source that was typed; revisions without a source are
    of the repository here. Raises InputError for a `.env` that is no text.
    """
    from runner.console import say
    from runner.environment import sensitive_variables, unused, variables_of

    variables = variables_of(Path.cwd(), os.environ)
    file, merged = variables.file, variables.merged
    sensitive = sensitive_variables(file, variables.of_file).settings.keys() if file else set()
    withheld = variables.untrusted & sensitive
    values, unused_names = values_of(options), []
    for parameter in context.command.params:
        if not isinstance(parameter, TyperOption) or not is_default(context, parameter.name):
            continue
        names = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar or ()
        name = next((name for name in names if name in NAMES and merged.get(name, "").strip()), "")
        if name in withheld:
            unused_names.append(name)
        elif name:
            value = merged[name].strip()
            values[parameter.name] = Path(value) if parameter.type_descriptor.is_path else value
    if unused_names and file is not None:
        say(unused(file, unused_names))
    typed = [name for name in _SOURCES if _source(context, name) in {"COMMANDLINE", "DEFAULT_MAP"} and values.get(name)]
    if typed and "testset" not in typed:
        values["testset"] = None
    if not typed and values.get("rev"):
        values |= {"repo": Path(), "testset": None}
    return filled(type(options), values)


def is_default(context: typer.Context, name: str) -> bool:
    """Return whether an option is unset: by the command line, by a variable and by a file."""
    return _source(context, name) == "DEFAULT"


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return source.name if source is not None else "DEFAULT"
