"""`evals.toml` and `EVALS_*`: a default for every option of every command, none of them listed by hand."""

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
    """What the nearest file says: `values` nested by command as typer takes them.

    `places` has for each command and parameter the words that name file, table and key; `file` is None where no
    file was found.
    """

    file: Path | None = None
    values: dict[str, Any] = field(default_factory=dict)
    places: dict[tuple[tuple[str, ...], str], str] = field(default_factory=dict)


def commands_of(group: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], TyperCommand]]:
    """Every command below a group, with the words that call it."""
    if isinstance(group, TyperGroup):
        for name, command in group.commands.items():
            yield from commands_of(command, (*path, name))
    elif isinstance(group, TyperCommand):
        yield path, group


def options_of(command: TyperCommand) -> dict[str, TyperOption]:
    """The options of a command by each of their long names, without dashes; the first name is the variable's."""
    return {name: option for option in command.params if isinstance(option, TyperOption) for name in long_names(option)}


def long_names(option: TyperOption) -> list[str]:
    """`model-ids` and `sut` for an option that is called `--model-ids` or `--sut`."""
    return [name.removeprefix("--") for name in option.opts if name.startswith("--")]


def take_variables(path: tuple[str, ...], command: TyperCommand) -> None:
    """Let each option of a command be set by EVALS_<COMMAND>_<OPTION>, else EVALS_<OPTION>."""
    for option in dict.fromkeys(options_of(command).values()):
        name = long_names(option)[0]
        declared = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
        option.envvar = list(dict.fromkeys([_variable(*path, name), *declared, _variable(name)]))
        # Help names what is worth knowing; that the others go by one rule is said below it.
        option.show_envvar = bool(declared)


def _variable(*words: str) -> str:
    return "_".join((PREFIX, *words)).upper().replace("-", "_")


def find_file(folder: Path) -> Path | None:
    """The first evals.toml in the folder or above; one that we may not read is passed over."""
    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / FILE
        if os.access(file, os.R_OK) and file.is_file():
            return file
    return None


def load_defaults(commands: Commands, folder: Path) -> Defaults:
    """What the nearest evals.toml says of these commands.

    Raises InputError naming the file and the key for a file that is no TOML, an unknown command or option, and a
    value of another kind than the option's.
    """
    file = find_file(folder)
    if file is None:
        return Defaults()
    found = Defaults(file)
    shared, tables = _parted(file, _read(file), commands)
    for key, value in shared.items():
        takers = [path for path, command in commands.items() if _named(key) in options_of(command)]
        if not takers:
            known = {name for command in commands.values() for name in options_of(command)}
            raise InputError(f"{file}: {key}: no command has such an option{_hint(_named(key), known)}")
        for path in takers:
            _take(found, path, options_of(commands[path])[_named(key)], f"{file}: {key}", value)
    for path, table in tables.items():
        _take_table(found, path, commands[path], table)
    return found


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{file}: cannot be read as TOML ({error}); mend it, or move it away") from error


def _parted(
    file: Path, values: Mapping[str, Any], commands: Commands, above: tuple[str, ...] = ()
) -> tuple[dict[str, Any], dict[tuple[str, ...], dict[str, Any]]]:
    """Keys that stand in no table, and the tables by their commands."""
    shared: dict[str, Any] = {}
    tables: dict[tuple[str, ...], dict[str, Any]] = {}
    for key, value in values.items():
        path = (*above, key)
        if not isinstance(value, dict):
            shared[key] = value
        elif path in commands:
            tables[path] = value
        elif any(known[: len(path)] == path for known in commands):
            loose, inner = _parted(file, value, commands, path)
            for name in loose:
                raise InputError(f"{file}: [{'.'.join(path)}] {name}: stands in no command's table; move it into one")
            tables |= inner
        else:
            names = {".".join(known) for known in commands}
            raise InputError(f"{file}: [{'.'.join(path)}]: is no command{_hint('.'.join(path), names)}")
    return shared, tables


def _take_table(found: Defaults, path: tuple[str, ...], command: TyperCommand, table: Mapping[str, Any]) -> None:
    options = options_of(command)
    taken: dict[str, str] = {}
    for key, value in table.items():
        place = f"{found.file}: [{'.'.join(path)}] {key}"
        option = options.get(_named(key))
        if option is None:
            raise InputError(f"{place}: `evals {' '.join(path)}` has no such option{_hint(_named(key), options)}")
        if option.name in taken:
            raise InputError(f"{place}: is the same option as {taken[option.name]}; leave one out")
        taken[option.name] = key
        _take(found, path, option, place, value)


def _take(found: Defaults, path: tuple[str, ...], option: TyperOption, place: str, value: object) -> None:
    values = found.values
    for word in path:
        values = values.setdefault(word, {})
    values[option.name] = _taken(option, place, value, found.file)
    found.places[path, option.name] = place


def _taken(option: TyperOption, place: str, value: object, file: Path | None) -> object:
    """The value as the command line would give it. Raises InputError for another kind of value."""
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
