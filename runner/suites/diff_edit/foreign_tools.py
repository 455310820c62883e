"""Opens the foreign edit tools of a run: `exec:CMD`, a program in a cell that sees nothing of the run."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import gettempdir

from runner.console import say
from runner.edit_tools.foreign import foreign_tool
from runner.edit_tools.foreign_pool import ForeignCell
from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.program import program_of
from runner.edit_tools.tool import EditTool, rest
from runner.errors import InputError
from runner.execution import stale_dirs
from runner.execution.isolation import Weak, permitted
from runner.execution.untrusted_files import remove
from runner.suites.diff_edit.options import DiffOptions


def opening(options: DiffOptions) -> Callable[[Sequence[str]], dict[str, EditTool]]:
    """Return what opens the tools of a run, which see neither its database nor its cases."""
    weak = Weak(options.weak_sandbox, options.yes)
    return lambda names: open_tools(names, hidden_files(options.db, options.cases), weak)


def open_tools(names: Sequence[str], hidden: Sequence[Path], weak: Weak) -> dict[str, EditTool]:
    """Return the tools of these commands, by the names that were given; each is started and declares itself.

    No tool sees what is `hidden`. Raises InputError where one does not start, or where no cell can be made, unless
    `weak` allows that.
    """
    if not names:
        return {}
    folder, search_path = Path.cwd(), os.environ.get("PATH", os.defpath)
    programs = {name: program_of(name, folder, search_path) for name in names}
    isolation = permitted(weak)
    stale_dirs.sweep(Path(gettempdir()), remove)
    say(f"edit tools run in cells: {', '.join(isolation.means)}")
    cell = ForeignCell(folder, isolation, (*hidden, *_keys(folder)), search_path)
    tools: dict[str, EditTool] = {}
    for name, program in programs.items():
        try:
            tools[name] = foreign_tool(program, cell)
        except ToolFailedError as error:
            rest(tools)
            raise InputError(
                f"--edit-tool: {program.name!r} is no edit tool: {error}; see docs/foreign-tools.md"
            ) from error
    return tools


def hidden_files(db: Path, *others: Path) -> tuple[Path, ...]:
    """Return what tools do not see of a run: its database, which is three files while it is written, and more."""
    return (*(db.with_name(db.name + end) for end in ("", "-wal", "-shm")), *others)


def _keys(folder: Path) -> tuple[Path, ...]:
    """Return where keys may be written: each `.env` of a folder and of those above it."""
    return tuple(path for place in (folder, *folder.parents) for path in place.glob(".env*") if path.is_file())
