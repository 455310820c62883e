"""`evals.toml` and `EVALS_*`: a default for every option of every command, without a list of options.

The user's own file is always trusted. The nearest file of a project overrides it, but settings that need trust (see
`runner/trust_policy.py`) are used only if the user trusts them.
"""

import difflib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

from runner.errors import InputError
from runner.input_files import LARGEST_SETTINGS, read_text
from runner.trust import Sensitive, is_trusted
from runner.trust_policy import LIMITS, option_needs_trust
from runner.user_folders import config_file

FILE = "evals.toml"
PREFIX = "EVALS"

ConfiguredCommand = TyperCommand | TyperGroup
# Commands by their words. A group that is a command itself has the empty word after its own.
Commands = Mapping[tuple[str, ...], ConfiguredCommand]
# A command's words, and the name of a parameter of it.
Slot = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True)
class FileEntry:
    """The value that a file sets for an option of a command.

    `table` and `key` are written as in the file, `value` is as on the command line, `written` as in the file.
    `sensitive` says that it needs trust in a project's file.
    """

    file: Path
    table: str
    key: str
    written: object
    value: Any
    sensitive: bool

    @property
    def name(self) -> str:
        """Table and key: `[diff] seed`, or `seed` above all tables."""
        return f"{self.table} {self.key}".lstrip()

    @property
    def place(self) -> str:
        """File, table and key."""
        return f"{self.file}: {self.name}"


@dataclass(frozen=True, slots=True)
class Defaults:
    """The settings of the files: `used` are in effect, `withheld` need trust that the project's file does not have.

    `sensitive` are all settings of the project's file that need trust; None where there is no such file.
    """

    used: Mapping[Slot, FileEntry] = field(default_factory=dict)
    withheld: Mapping[Slot, FileEntry] = field(default_factory=dict)
    sensitive: Sensitive | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The values nested by command, as typer takes them."""
        nested: dict[str, Any] = {}
        for (path, name), entry in self.used.items():
            values = nested
            for word in path:
                values = values.setdefault(word, {})
            values[name] = entry.value
        return nested


def commands_of(group: object, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], ConfiguredCommand]]:
    """Yield every command below a group, with the words that call it, and a group that is a command itself."""
    if isinstance(group, TyperGroup):
        if path and group.invoke_without_command:
            yield (*path, ""), group
        for name, command in group.commands.items():
            yield from commands_of(command, (*path, name))
    elif isinstance(group, TyperCommand):
        yield path, group


def called_commands(group: object, words: list[str]) -> Iterator[tuple[tuple[str, ...], ConfiguredCommand]]:
    """Yield the command that these words call, or all of the group that they call.

    The first word that is no option names it: the options before a command are flags.
    """
    name = next((word for word in words if not word.startswith("-")), "")
    if isinstance(group, TyperGroup) and name in group.commands:
        yield from commands_of(group.commands[name], (name,))


def has_files(folder: Path, environ: Mapping[str, str]) -> bool:
    """Return whether there is any evals.toml: the project's, or the user's own."""
    user = config_file(environ)
    return find_file(folder) is not None or (user is not None and user.is_file())


def groups_of(group: object) -> Iterator[TyperGroup]:
    """Yield a group, and every group below it."""
    if isinstance(group, TyperGroup):
        yield group
        for command in group.commands.values():
            yield from groups_of(command)


def words_of(path: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words that call a command: without the empty one of a group that is a command itself."""
    return tuple(filter(None, path))


def table_of(path: tuple[str, ...]) -> str:
    """Return the name of a command's table in evals.toml."""
    return ".".join(words_of(path))


def options_of(command: ConfiguredCommand) -> dict[str, TyperOption]:
    """Return the options of a command by all long names, without dashes; variables use the first name."""
    return {name: option for option in command.params if isinstance(option, TyperOption) for name in long_names(option)}


def long_names(option: TyperOption) -> list[str]:
    """Return `model-ids` and `sut` for an option that is called `--model-ids` or `--sut`."""
    return [name.removeprefix("--") for name in option.opts if name.startswith("--")]


def take_variables(path: tuple[str, ...], command: ConfiguredCommand) -> None:
    """Let each option of a command be set by EVALS_<COMMAND>_<OPTION>, else EVALS_<OPTION>."""
    for option in dict.fromkeys(options_of(command).values()):
        name = long_names(option)[0]
        declared = [option.envvar] if isinstance(option.envvar, str) else list(option.envvar or ())
        option.envvar = list(dict.fromkeys([_variable(*words_of(path), name), *declared, _variable(name)]))
        # Help shows special variables only; a line below the options states the rule for all others.
        option.show_envvar = bool(declared)


def _variable(*words: str) -> str:
    return "_".join((PREFIX, *words)).upper().replace("-", "_")


def find_file(folder: Path) -> Path | None:
    """Return the nearest evals.toml in the folder or above; unreadable files are skipped."""
    home = folder.resolve()
    for place in (home, *home.parents):
        file = place / FILE
        if os.access(file, os.R_OK) and file.is_file():
            return file
    return None


def load_defaults(commands: Commands, folder: Path, environ: Mapping[str, str]) -> Defaults:
    """Return what the user's own file and the nearest evals.toml set for these commands; the nearest wins.

    Raises InputError with file and key for a file that is not TOML, an unknown command or option, and a value of
    another kind than the option's.
    """
    user = config_file(environ)
    own = read_entries(user, commands) if user is not None and user.is_file() else {}
    file = find_file(folder)
    if file is None or (user is not None and user.resolve() == file.resolve()):
        return Defaults(own)
    entries = read_entries(file, commands)
    asking = {slot: entry for slot, entry in entries.items() if entry.sensitive or (slot[1] in LIMITS and slot in own)}
    sensitive = Sensitive(file, {entry.name: entry.written for entry in asking.values()})
    withheld = {} if is_trusted(sensitive, environ) else asking
    counting = {slot: entry for slot, entry in entries.items() if slot not in withheld}
    return Defaults({**own, **counting}, withheld, sensitive)


def read_entries(file: Path, commands: Commands) -> dict[Slot, FileEntry]:
    """Return what one file sets for these commands. Raises InputError as `load_defaults` does."""
    entries: dict[Slot, FileEntry] = {}
    shared, tables = _split_tables(file, _read(file), commands)
    for key, value in shared.items():
        takers = [path for path, command in commands.items() if _named(key) in options_of(command)]
        if not takers:
            known = {name for command in commands.values() for name in options_of(command)}
            raise InputError(f"{file}: {key}: no command has such an option{_hint(_named(key), known)}")
        for path in takers:
            option = options_of(commands[path])[_named(key)]
            entries[path, option.name] = _entry(file, "", key, option, value)
    for path, table in tables.items():
        entries.update(_table_entries(file, path, commands[path], table))
    return entries


def _read(file: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(read_text(file, LARGEST_SETTINGS))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{file}: cannot be read as TOML ({error}); fix it, or move it away") from error


def _split_tables(
    file: Path, values: Mapping[str, Any], commands: Commands, above: tuple[str, ...] = ()
) -> tuple[dict[str, Any], dict[tuple[str, ...], dict[str, Any]]]:
    """Return the keys outside tables, and the tables by their commands."""
    shared: dict[str, Any] = {}
    tables: dict[tuple[str, ...], dict[str, Any]] = {}
    for key, value in values.items():
        path = (*above, key)
        if not isinstance(value, dict):
            shared[key] = value
        elif path in commands:
            tables[path] = value
        elif any(known[: len(path)] == path for known in commands):
            loose, inner = _split_tables(file, value, commands, path)
            if loose and (*path, "") not in commands:
                name = next(iter(loose))
                raise InputError(
                    f"{file}: [{table_of(path)}] {name}: is not in the table of a command; move it into one"
                )
            tables |= inner | ({(*path, ""): loose} if loose else {})
        else:
            names = {table_of(known) for known in commands}
            raise InputError(f"{file}: [{'.'.join(path)}]: is not a command{_hint('.'.join(path), names)}")
    return shared, tables


def _table_entries(
    file: Path, path: tuple[str, ...], command: ConfiguredCommand, table: Mapping[str, Any]
) -> Iterator[tuple[Slot, FileEntry]]:
    options = options_of(command)
    taken: dict[str, str] = {}
    for key, value in table.items():
        place = f"{file}: [{table_of(path)}] {key}"
        option = options.get(_named(key))
        if option is None:
            command_words = " ".join(words_of(path))
            raise InputError(f"{place}: `evals {command_words}` has no such option{_hint(_named(key), options)}")
        if option.name in taken:
            raise InputError(f"{place}: is the same option as {taken[option.name]}; leave one out")
        taken[option.name] = key
        yield (path, option.name), _entry(file, f"[{table_of(path)}]", key, option, value)


def _entry(file: Path, table: str, key: str, option: TyperOption, written: object) -> FileEntry:
    """Return the entry of one key. Raises InputError for a value of another kind than the option's."""
    value = _taken(option, f"{file}: {table} {key}".replace(":  ", ": "), written, file)
    is_path = option.type_descriptor.is_path
    sensitive = option_needs_trust(long_names(option), written, file.parent, is_path=is_path)
    return FileEntry(file, table, key, written, value, sensitive)


def _taken(option: TyperOption, place: str, value: object, file: Path | None) -> object:
    """Return the value as the command line would give it. Raises InputError for another kind of value."""
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
