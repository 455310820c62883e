"""`evals tool`: a file to begin an edit tool of your own with."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from typer import Argument

from runner.cli.command import group_of_commands, register

app = group_of_commands("Begin an edit tool of your own.")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToolOptions:
    """The options of `evals tool new`."""

    name: Annotated[str, Argument(metavar="NAME", help="The file: NAME.py, NAME.ts or NAME.mjs.")]


def new_tool(options: NewToolOptions) -> None:
    """Write a file with an edit tool that runs: change it to make your own.

    docs/foreign-tools.md describes what it is asked and what it answers.
    """
    from runner.cli.new_files import write_new
    from runner.edit_tools.new_tool import RUNNERS, template_of
    from runner.errors import InputError

    path = Path(options.name)
    if path.suffix not in RUNNERS:
        raise InputError(f"NAME: {options.name!r} does not say which language; end it in {', '.join(RUNNERS)}")
    write_new(path, template_of(path), f"evals diff sim/careful --edit-tool 'exec:{RUNNERS[path.suffix]} {path}'")


register(app, "new", NewToolOptions, new_tool)
