"""The origin of an option's value: printed by `--explain-config`, and before an error about the value."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from runner.cli.defaults import (
    Commands,
    Defaults,
    called_commands,
    commands_of,
    groups_of,
    has_files,
    load_defaults,
    long_names,
    table_of,
    take_variables,
    words_of,
)
from runner.errors import InputError, InputFindingsError
from runner.trust import trusting
from runner.trust_policy import leads_outside

EXPLAIN = "--explain-config"
TRUST = "--trust"

_CREDENTIALS = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class Configured:
    """The data in every command's context: the defaults of the files, and whether to explain values only."""

    defaults: Defaults
    explain: bool


@dataclass(frozen=True, slots=True)
class OptionOrigin:
    """One option's value and its origin: a place in a file, a variable, `command line` or `default`."""

    option: str
    value: object
    origin: str


class CommandContext(typer.Context):
    """The context of a command: explains its options instead of calling it, and adds the origin of a refused value."""

    @property
    def command_path(self) -> str:
        """The words that call the command, without arguments of the groups above it."""
        return " ".join(("evals", *words_of(_path(self))))

    def invoke(self, callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as its base
        """Call the command, or print where its options come from."""
        _say_withheld(self)
        if self.obj.explain:
            _explain(self)
            raise typer.Exit
        _refuse_default_links(self)
        _refuse_two_lists(self)
        try:
            return super().invoke(callback, *args, **kwargs)
        except InputError as error:
            origin = _blamed(self, str(error))
            if not origin or isinstance(error, InputFindingsError):
                raise
            raise InputError(f"{origin}: {error}") from error
        except (typer.Exit, typer.Abort, typer.TyperException):
            raise
        except Exception as error:
            if damage := _damage_behind(error, self.params.get("db")):
                raise damage from error
            raise


def _damage_behind(error: Exception, db: object) -> InputError | None:
    """Return the damage of a command's database that explains an error, if there is any."""
    if not isinstance(db, Path) or not db.is_file():
        return None
    from runner.storage.store import damage_behind

    return damage_behind(error, db)


class GroupContext(CommandContext):
    """The context of a group, which may be a command itself.

    Its own defaults have the empty word: the table of a command below it is no value for an option of the same name.
    """

    def lookup_default(self, name: str, call: bool = True) -> Any:  # noqa: ANN401, ARG002 - as its base
        """Return the default of an option, if the files have one."""
        return ((self.default_map or {}).get("") or {}).get(name)

    def invoke(self, callback: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - as its base
        """Call the group as a command, unless a command below it is called."""
        if self.parent is None or self.invoked_subcommand is not None:
            return typer.Context.invoke(self, callback, *args, **kwargs)
        return super().invoke(callback, *args, **kwargs)


def run_configured(group: object, words: list[str], folder: Path) -> object:
    """Run the command that these words call, with the defaults of evals.toml and of EVALS_*.

    Raises InputError for a bad file, and whatever the command raises.
    """
    if has_files(folder, os.environ):
        # The keys of a file are checked against all commands; without a file only the called one is loaded.
        commands = dict(commands_of(group))
        for below in groups_of(group):
            below.context_class = GroupContext
    else:
        commands = dict(called_commands(group, words))
    for path, command in commands.items():
        take_variables(path, command)
        command.context_class = GroupContext if isinstance(command, TyperGroup) else CommandContext
        command.epilog = f"Each option can be set in evals.toml ([{table_of(path)}]) or by EVALS_*; see {EXPLAIN}."
    command_words = words[: words.index("--")] if "--" in words else words
    words = [*(word for word in command_words if word != TRUST), *words[len(command_words) :]]
    with trusting(everything=TRUST in command_words):
        defaults = load_defaults(commands, folder, os.environ)
        return _run(group, words, commands, Configured(defaults, explain=EXPLAIN in command_words))


def _run(group: object, words: list[str], commands: Commands, configured: Configured) -> object:
    if configured.explain:
        words = [word for word in words if word != EXPLAIN]
        for command in commands.values():
            for parameter in command.params:
                # To explain the origins, no option is required.
                parameter.required = False
    assert callable(group)
    # The name is fixed: `python -m` would give another one.
    values = configured.defaults.values
    try:
        result: object = group(words, prog_name="evals", standalone_mode=False, default_map=values, obj=configured)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        if isinstance(context, CommandContext):
            # A missing option may be one that was withheld.
            _say_withheld(context)
        raise
    return result


def origin_of(context: typer.Context, parameter: TyperOption | TyperArgument) -> str:
    """Return where the value came from; "" if it is the default."""
    kind = _source(context, parameter.name)
    if kind == "ENVIRONMENT":
        variables = [parameter.envvar] if isinstance(parameter.envvar, str) else parameter.envvar or ()
        return next(name for name in variables if os.environ.get(name))
    if kind == "DEFAULT_MAP":
        place: str = context.obj.defaults.used[_path(context), parameter.name].place
        return place
    return "command line" if kind == "COMMANDLINE" else ""


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return source.name if source is not None else "DEFAULT"


def refused_origin(error: typer.TyperException) -> str:
    """Return the place or variable of a value that the parser refused; "" if it was typed."""
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
    return (*words, "") if isinstance(context.command, TyperGroup) and words else tuple(words)


def _say_withheld(context: CommandContext) -> None:
    """Print in one line which settings of the project's file this command would use if they were trusted."""
    defaults: Defaults = context.obj.defaults
    path = _path(context)
    keys = [
        entry.key
        for (command, name), entry in defaults.withheld.items()
        if command == path and _source(context, name) not in {"COMMANDLINE", "ENVIRONMENT"}
    ]
    if keys and defaults.sensitive is not None:
        from runner.console import say
        from runner.environment import unused

        say(unused(defaults.sensitive.file, keys))


def _refuse_default_links(context: CommandContext) -> None:
    """Raise InputError for a default path that leaves the current folder through a link: no user chose it."""
    for option in context.command.params:
        value = context.params.get(option.name)
        if not isinstance(option, TyperOption) or not isinstance(value, Path) or value.is_absolute():
            continue
        if _source(context, option.name) == "DEFAULT" and leads_outside(str(value), Path.cwd()):
            raise InputError(f"{value}: is a link that leaves this folder; to use it, give {option.opts[0]} {value}")


def _refuse_two_lists(context: CommandContext) -> None:
    """Raise InputError for models that are given both as arguments and by the option; a number is no model."""
    words = [word for word in context.params.get("models") or () if not word.isdecimal()]
    if words and "model_ids" in context.params and _source(context, "model_ids") == "COMMANDLINE":
        raise InputError(f"--model-ids: models are also given as arguments ({' '.join(words)}); give them in one place")


def _blamed(context: typer.Context, words: str) -> str:
    """Return the place or variable that set the option or value at the start of a message."""
    for option in context.command.params:
        if isinstance(option, TyperOption):
            origin = origin_of(context, option)
            value = context.params.get(option.name)
            begins = (*(f"--{name}" for name in long_names(option)), *([str(value)] if value else []))
            if origin not in {"", "command line"} and words.startswith(tuple(f"{prefix}:" for prefix in begins)):
                return origin
    return ""


def _option_origins(context: typer.Context) -> Iterator[OptionOrigin]:
    command = context.command
    assert isinstance(command, TyperCommand | TyperGroup)
    for parameter in command.params:
        if isinstance(parameter, TyperOption | TyperArgument):
            name = parameter.opts[0] if isinstance(parameter, TyperOption) else parameter.name.upper()
            value = context.params.get(parameter.name)
            hidden = isinstance(parameter, TyperOption) and parameter.hide_input and value
            yield OptionOrigin(
                name, "[hidden]" if hidden else without_credentials(value), origin_of(context, parameter) or "default"
            )


def without_credentials(value: object) -> object:
    """Return the value as JSON has it, without names and passwords in addresses."""
    if isinstance(value, list | tuple):
        return [without_credentials(part) for part in value]
    return _CREDENTIALS.sub("//[hidden]@", str(value)) if isinstance(value, str | Path) else value


def _explain(context: typer.Context) -> None:
    from runner.console import put, put_json

    origins = list(_option_origins(context))
    if context.params.get("json"):
        rows = [{"option": row.option, "value": row.value, "origin": row.origin} for row in origins]
        put_json({"command": " ".join(words_of(_path(context))), "options": rows})
        return
    cells = [(row.option, _cell(row.value), row.origin) for row in origins]
    widths = [max(len(row[column]) for row in cells) for column in (0, 1)]
    for option, value, origin in cells:
        put(f"{option:<{widths[0]}}  {value:<{widths[1]}}  {origin}\n")


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(_cell, value)) or "-"
    return "-" if value in {None, ""} else str(value)
