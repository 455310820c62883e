"""A command of evals in this process, as its console script runs it: what it costs to start a process is saved."""

import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from runner.cli import main


@dataclass(frozen=True)
class Ended:
    """The code that a command ended with, and what it printed."""

    returncode: object
    stdout: str
    stderr: str


def evals(*words: object, cwd: Path, **variables: str) -> Ended:
    """Run a command in a folder, with these variables beside those of this process."""
    out, err = (TextIOWrapper(BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(out), redirect_stderr(err):
        patched.setattr(sys, "argv", ["evals", *map(str, words)])
        patched.chdir(cwd)
        for name, value in variables.items():
            patched.setenv(name, value)
        with pytest.raises(SystemExit) as ended:
            main()
    return Ended(ended.value.code or 0, *(_text(stream) for stream in (out, err)))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
