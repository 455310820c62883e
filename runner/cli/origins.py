"""The origin of an option's value: printed by `--explain-config`, and before an error about the value."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

from runner.cli.defaults import (
    Defaults,
    called_commands,
    commands_of,
    find_file,
    load_defaults,
    long_names,
    take_variables,
)
from runner.errors import InputError, InputErrors

EXPLAIN = "--explain-config"

_CREDENTIALS = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class Configured:
    """What the context of every command has: the file's defaults, and whether to explain instead of calling."""

    defaults: Defaults
    explain: bool


@dataclass(frozen=True, slots=True)
class OptionOrigin:
    """One option's value and its origin: a place in a file, a variable, `command line` or `default`."""

    option: str
    value: object
    origin: str


class CommandContext(typer.Context):
    """The context of a command: explains its options instead of calling it, and names the origin of a bad value."""

    def invoke(self, callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as its base
        """Call the command, or print where its options come from."""
        if self.obj.explain:
            _explain(self)
            raise typer.Exit
        try:
            return super().invoke(callback, *args, **kwargs)
        except InputError as error:
            origin = _blamed(self, str(error))
            if not origin or isinstance(error, InputErrors):
                raise
            raise InputError(f"{origin}: {error}") from error


def run_configured(group: object, words: list[str], folder: Path) -> object:
    """Run the command that these words call, with defaults from the nearest evals.toml and from EVALS_*.

    Raises InputError for a bad file, and whatever the command raises.
    """
    # The keys of a file are checked against all commands; without a file only the called one is loaded.
    commands = dict(commands_of(group) if find_file(folder) else called_commands(group, words))
    for path, command in commands.items():
        take_variables(path, command)
        command.context_class = CommandContext
        command.epilog = f"Each option can be set in evals.toml ([{'.'.join(path)}]) or by EVALS_*; see {EXPLAIN}."
    asked = words[: words.index("--")] if "--" in words else words
    defaults = load_defaults(commands, folder)
    configured = Configured(defaults, explain=EXPLAIN in asked)
    if configured.explain:
        words = [word for word in words if word != EXPLAIN]
        for command in commands.values():
            for parameter in command.params:
                # Explaining options does not need their values.
                parameter.required = False
    assert callable(group)
    # By its own name, however it was started: `python -m` would call it otherwise.
    result: object = group(words, prog_name="evals", standalone_mode=False, default_map=defaults.values, obj=configured)
    return result


def origin_of(context: typer.Context, parameter: TyperOption | TyperArgument) -> str:
    """Return where the value came from; "" for a default."""
    source = context.get_parameter_source(parameter.name)
    kind = source.name if source is not None else "DEFAULT"
    if kind == "ENVIRONMENT":
        variables = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar or ()
        return next(name for name in variables if os.environ.get(name))
    if kind == "DEFAULT_MAP":
        place: str = context.obj.defaults.places[_path(context), parameter.name]
        return place
    return "command line" if kind == "COMMANDLINE" else ""


def refused_origin(error: typer.TyperException) -> str:
    """Return the place or variable of a value that typer refused; "" if it was on the command line."""
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    if not isinstance(context, CommandContext) or not isinstance(parameter, TyperOption):
        return ""
    origin = origin_of(context, parameter)
    return "" if origin == "command line" else origin


def _path(context: typer.Context) -> tuple[str, ...]:
    words: list[str] = []
    at: Any = context
    while at.parent is not None:
        words.insert(0, at.info_name or "")
        at = at.parent
    return tuple(words)


def _blamed(context: typer.Context, message: str) -> str:
    """Return the place or variable that set the option or value that the message begins with; "" if there is none."""
    for option in context.command.params:
        if isinstance(option, TyperOption):
            origin = origin_of(context, option)
            value = context.params.get(option.name)
            starts = (*(f"--{name}" for name in long_names(option)), *([str(value)] if value else []))
            if origin not in {"", "command line"} and message.startswith(tuple(f"{start}:" for start in starts)):
                return origin
    return ""


def _origins(context: typer.Context) -> Iterator[OptionOrigin]:
    command = context.command
    assert isinstance(command, TyperCommand)
    for parameter in command.params:
        if isinstance(parameter, TyperOption | TyperArgument):
            name = parameter.opts[0] if isinstance(parameter, TyperOption) else parameter.name.upper()
            value = context.params.get(parameter.name)
            hidden = isinstance(parameter, TyperOption) and parameter.hide_input and value
            shown = "[hidden]" if hidden else _plain(value)
            yield OptionOrigin(name, shown, origin_of(context, parameter) or "default")


def _plain(value: object) -> object:
    """Return a value as JSON can hold it, with user names and passwords in URLs hidden."""
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return _CREDENTIALS.sub("//[hidden]@", str(value)) if isinstance(value, str | Path) else value


def _explain(context: typer.Context) -> None:
    from runner.console import put, put_json

    origins = list(_origins(context))
    if context.params.get("json"):
        rows = [asdict(row) for row in origins]
        put_json({"command": " ".join(_path(context)), "options": rows})
        return
    cells = [(row.option, _shown(row.value), row.origin) for row in origins]
    widths = [max(len(row[column]) for row in cells) for column in (0, 1)]
    for option, value, origin in cells:
        put(f"{option:<{widths[0]}}  {value:<{widths[1]}}  {origin}\n")


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_shown, value)) or "-"
    return "-" if value in {None, ""} else str(value)
