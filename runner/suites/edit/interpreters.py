"""The interpreter that runs Python's tests: one by its name, or that of an environment which is made from it."""

import os
import shutil
import sys
from pathlib import Path

from runner.console import say
from runner.errors import InputError
from runner.execution.environments import pinned_python
from runner.execution.pins import Pins


def interpreter(name: str, path: str, pins: Pins | None = None) -> str:
    """Return the absolute path of an interpreter by its path or name; "" is the one that runs this program.

    With pins it is that of an environment that is made from it. Raises InputError where there is none. Links stay: an
    environment's interpreter is one.
    """
    program = shutil.which(name or sys.executable, path=path)
    if program is None:
        raise InputError(f"--python: {name} is no program; give the path of an interpreter")
    absolute = str(Path(program).absolute())
    return absolute if pins is None else pinned_python(pins, absolute, os.environ, say)
