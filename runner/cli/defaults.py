"""`evals.toml` and `EVALS_*`: defaults for every option of every command, derived from the options themselves."""

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from runner.errors import InputError

FILE = "evals.toml"
PREFIX = "EVALS"

Commands = Mapping[tuple[str, ...], TyperCommand]


@dataclass(frozen=True, slots=True)
class Defaults:
    """The settings of the nearest file: `values` nested by command as typer takes them.

    `places` names file, table and key for each command and parameter; `file` is None where there is none.
    """

    file: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict)


def commands_of(group: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    """Yield every command below a group, with the words that call it."""
    if isinstance(group, TyperGroup):
        for name, command in group.commands.items():
            yield from commands_of(command, (*path, name))
    elif isinstance(group, TyperCommand):
        yield path, group


def called_commands(group: object, words: list[str]) -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    """Yield the command that these words call, or all of the group that they call.

    The first word that is no option names it: the options before a command are flags.
    """
    name = next((word for word in words if not word.startswith("-")), "")
    if isinstance(group, TyperGroup) and name in group.commands:
        yield from commands_of(group.commands[name], (name,))


def options_of(command: TyperCommand) -> dict[str, TyperOption]:
    """Return the options of a command by each of their long names, without dashes; the first names the variable."""
    return {name: option for option in command.params if isinstance(option, TyperOption) for name in long_names(option)}


def long_names(option: TyperOption) -> list[str]:
    """Return the long names without dashes: `model-ids` and `sut` for an option `--model-ids` or `--sut`."""
    return [name.removeprefix("--") for name in option.opts if name.startswith("--")]


def take_variables(path: tuple[str, ...], command: TyperCommand) -> None:
    """Let each option of a command be set by EVALS_<COMMAND>_<OPTION>, or else by EVALS_<OPTION>."""
    for option in dict.fromkeys(options_of(command).values()):
        name = long_names(option)[0]
        declared = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
        option.envvar = list(dict.fromkeys([_variable(*path, name), *declared, _variable(name)]))
        # Help shows the variables that a command declares; the rule for all others is in its epilog.
        option.show_envvar = bool(declared)


def _variable(*words: str) -> str:
    return "_".join((PREFIX, *words)).upper().replace("-", "_")


def find_file(folder: Path) -> Path | None:
    """Return the first readable evals.toml in the folder or above; None if there is none."""
    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / FILE
        if os.access(file, os.R_OK) and file.is_file():
            return file
    return None


def load_defaults(commands: Commands, folder: Path) -> Defaults:
    """Return the defaults of the nearest evals.toml for these commands.

    Raises InputError naming the file and the key if the file is not TOML, for an unknown command or option, and for a
    value of the wrong type.
    """
    file = find_file(folder)
    if file is None:
        return Defaults()
    defaults = Defaults(file)
    shared, tables = _split(file, _read(file), commands)
    for key, value in shared.items():
        takers = [path for path, command in commands.items() if _named(key) in options_of(command)]
        if not takers:
            known = {name for command in commands.values() for name in options_of(command)}
            raise InputError(f"{file}: {key}: no command has such an option{_hint(_named(key), known)}")
        for path in takers:
            _take(defaults, path, options_of(commands[path])[_named(key)], f"{file}: {key}", value)
    for path, table in tables.items():
        _take_table(defaults, path, commands[path], table)
    return defaults


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file}: cannot be read as TOML ({error}); fix it, or move it away") from error


def _split(
    file: Path, values: Mapping[str, Any], commands: Commands, above: tuple[str, ...] = ()
) -> tuple[dict[str, Any], dict[tuple[str, ...], dict[str, Any]]]:
    """Split the file into the keys above all tables, and the tables by their commands."""
    shared: dict[str, Any] = {}
    tables: dict[tuple[str, ...], dict[str, Any]] = {}
    for key, value in values.items():
        path = (*above, key)
        if not isinstance(value, dict):
            shared[key] = value
        elif path in commands:
            tables[path] = value
        elif any(known[: len(path)] == path for known in commands):
            loose, inner = _split(file, value, commands, path)
            for name in loose:
                raise InputError(
                    f"{file}: [{'.'.join(path)}] {name}: is not in the table of a command; move it into one"
                )
            tables |= inner
        else:
            names = {".".join(known) for known in commands}
            raise InputError(f"{file}: [{'.'.join(path)}]: is not a command{_hint('.'.join(path), names)}")
    return shared, tables


def _take_table(defaults: Defaults, path: tuple[str, ...], command: TyperCommand, table: Mapping[str, Any]) -> None:
    options = options_of(command)
    taken: dict[str, str] = {}
    for key, value in table.items():
        place = f"{defaults.file}: [{'.'.join(path)}] {key}"
        option = options.get(_named(key))
        if option is None:
            raise InputError(f"{place}: `evals {' '.join(path)}` has no such option{_hint(_named(key), options)}")
        if option.name in taken:
            raise InputError(f"{place}: is the same option as {taken[option.name]}; leave one out")
        taken[option.name] = key
        _take(defaults, path, option, place, value)


def _take(defaults: Defaults, path: tuple[str, ...], option: TyperOption, place: str, value: object) -> None:
    values = defaults.values
    for word in path:
        values = values.setdefault(word, {})
    values[option.name] = _as_typed(option, place, value, defaults.file)
    defaults.places[path, option.name] = place


def _as_typed(option: TyperOption, place: str, value: object, file: Path | None) -> object:
    """Return the value as the command line would give it. Raises InputError for a value of the wrong type."""
    if option.is_flag:
        if not isinstance(value, bool):
            raise InputError(f"{place}: is {value!r}; write true or false")
        return value
    if option.multiple:
        parts = value if isinstance(value, list) else [value]
        return [_word(option, place, part, file) for part in parts]
    return _word(option, place, value, file)


def _word(option: TyperOption, place: str, value: object, file: Path | None) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{place}: is {value!r}; write a text or a number")
    if option.type_descriptor.is_path and file is not None and file.parent != Path.cwd():
        return str(file.parent / str(value))
    return str(value)


def _named(key: str) -> str:
    return key.replace("_", "-")


def _hint(name: str, known: Mapping[str, object] | set[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]}?" if near else "; see `evals --help`"
