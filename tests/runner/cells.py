"""Python in a cell, and what of it is still alive."""

import os
import sys
from pathlib import Path

from runner.execution.isolation import Cell
from runner.execution.sandbox import ProcessLimits, Ran, run


def python(code: str, cell: Cell, limits: ProcessLimits = ProcessLimits()) -> Ran:  # noqa: B008 - frozen
    # The mark tells our processes from all others of the machine.
    return run([sys.executable, "-I", "-c", code, str(cell.folder)], cwd=cell.folder, limits=limits, env={}, cell=cell)


def running(folder: Path) -> list[str]:
    """The command lines of live processes that name a folder."""
    mark = os.fsencode(str(folder))
    lines = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if mark in words:
            lines.append(words.decode(errors="replace"))
    return lines
