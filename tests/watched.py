"""Runs a command of evals in a process of its own, and notes each address that it looks up, connects to or sends to."""

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PROGRAM = """
import sys
seen = open(sys.argv[1], "w")
code, sys.argv[:] = sys.argv[2], sys.argv[3:]
def note(event, arguments):
    # To make a socket, or to give it an address of one's own, reaches nobody.
    if event.startswith("socket.") and event not in ("socket.__new__", "socket.bind", "socket.gethostname"):
        print(event, arguments, file=seen, flush=True)
sys.addaudithook(note)
exec(code)
"""
EVALS = "from runner.cli import main; main()"


@dataclass(frozen=True)
class Watched:
    """What a command printed, and what it did with sockets: an event of Python's and its arguments a line."""

    returncode: int
    screen: str
    reached: tuple[str, ...]


def watched(words: Sequence[str], cwd: Path, code: str = EVALS, **variables: str) -> Watched:
    """Run a command in a folder, with these variables beside those of this process."""
    seen = cwd / ".reached"
    ended = subprocess.run(
        (sys.executable, "-c", _PROGRAM, str(seen), code, "evals", *words),
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
        text=True,
    )
    reached = tuple(seen.read_text().splitlines())
    seen.unlink()
    return Watched(ended.returncode, ended.stdout + ended.stderr, reached)
