"""Foreign tools for tests: the programs among the fixtures, in cells of this machine."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner.edit_tools.foreign import foreign_tool
from runner.edit_tools.foreign_pool import ForeignCell
from runner.edit_tools.program import program_of
from runner.edit_tools.tool import EditTool
from runner.execution.isolation import GROUP_ONLY, Isolation
from runner.execution.line_process import LineProcessLimits

PROGRAMS = Path(__file__).parents[2] / "fixtures" / "edit_tools"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="there is no node")


def command_of(program: str) -> str:
    """The command of a program among the fixtures."""
    runner = "node" if program.endswith(".mjs") else f"{sys.executable} -SE"
    return f"exec:{runner} {PROGRAMS / program}"


@contextmanager
def foreign(
    program: str,
    isolation: Isolation = GROUP_ONLY,
    limits: LineProcessLimits = LineProcessLimits(),  # noqa: B008 - frozen
    hidden: tuple[Path, ...] = (),
    folder: Path = PROGRAMS,
) -> Iterator[EditTool]:
    """Open a tool; at the end none of its processes is left."""
    path = os.environ["PATH"]
    tool = foreign_tool(
        program_of(command_of(program), folder, path), ForeignCell(folder, isolation, hidden, path, limits)
    )
    assert tool.foreign is not None
    try:
        yield tool
    finally:
        tool.foreign.rest()
