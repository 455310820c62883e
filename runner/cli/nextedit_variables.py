"""Historian's variables in a `.env`: defaults of the options of like meaning, as its own program reads them."""

import os
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperOption

# What the original calls its options; the rest of what an option takes from the environment is ours.
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


def with_variables(context: typer.Context, given: dict[str, Any]) -> dict[str, Any]:
    """The options, those that nobody set taken from the nearest `.env`; a blank variable sets nothing.

    A list of commits that only a variable names gives way to a source that was typed; revisions without a source are
    of the repository here. Raises InputError for a `.env` that is no text.
    """
    from runner.console import say
    from runner.environment import sensitive_variables, unused, variables_of

    variables = variables_of(Path.cwd(), os.environ)
    told, file = variables.merged, variables.file
    withheld = variables.untrusted & sensitive_variables(file, variables.of_file).settings.keys() if file else set()
    found, left = dict(given), []
    for parameter in context.command.params:
        if not isinstance(parameter, TyperOption) or _source(context, parameter.name) != "DEFAULT":
            continue
        names = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar or ()
        name = next((name for name in names if name in NAMES and told.get(name, "").strip()), "")
        if name in withheld:
            left.append(name)
        elif name:
            value = told[name].strip()
            found[parameter.name] = Path(value) if parameter.type_descriptor.is_path else value
    if left and file is not None:
        say(unused(file, left))
    typed = [name for name in _SOURCES if _source(context, name) in {"COMMANDLINE", "DEFAULT_MAP"} and found.get(name)]
    if typed and "testset" not in typed:
        found["testset"] = None
    if not typed and found.get("rev"):
        found |= {"repo": Path(), "testset": None}
    return found


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return source.name if source is not None else "DEFAULT"
