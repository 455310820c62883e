"""A group of commands that imports a command's module when the command is called or its help is asked for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from runner.cli.command import command, record_of
from runner.cli.help import CommandGroup, HelpfulCommand


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """Where a command is: a function of one record, or an app with commands of its own.

    `summary` is its line in the help: the first line of the function's docstring, or of the app's help.
    """

    module: str
    attribute: str
    summary: str


class LazyCommands(Mapping[str, TyperCommand | TyperGroup]):
    """The commands of a table by their names; each is loaded when it is first looked up."""

    def __init__(self, entries: Mapping[str, CommandEntry]) -> None:
        """Load nothing yet."""
        self._entries = entries
        self._loaded: dict[str, TyperCommand | TyperGroup] = {}

    def __getitem__(self, name: str) -> TyperCommand | TyperGroup:
        if name not in self._loaded:
            self._loaded[name] = _load(name, self._entries[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class LazyGroup(CommandGroup):
    """The group of a table's commands; a subclass names the table."""

    entries: ClassVar[Mapping[str, CommandEntry]] = {}

    def __init__(self, **attributes: Any) -> None:  # noqa: ANN401 - as its base
        """Load nothing yet."""
        super().__init__(**attributes)
        self.commands = LazyCommands(self.entries)  # type: ignore[assignment]  # nobody adds a command

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002 - its base has a private type
        """Return the names in the table's order."""
        return list(self.entries)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401, ARG002 - private types, too
        """Write a line for each command, out of the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])


def _load(name: str, entry: CommandEntry) -> TyperCommand | TyperGroup:
    target = getattr(import_module(entry.module), entry.attribute)
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(target, typer.Typer):
        app.add_typer(target, name=name)
    else:
        app.command(name, cls=HelpfulCommand)(command(record_of(target), target))
    loaded = get_group(app).commands[name]
    assert isinstance(loaded, TyperCommand | TyperGroup)
    return loaded
