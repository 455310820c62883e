"""Runs of pytest in forks of one process that has imported it: what a run costs is then the tests, not the start.

Where that cannot be done exactly, there are no forks: without namespaces, with plug-ins that start threads, and where
the repository has a module of the name of one that was imported before it could be.
"""

import json
import socket
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import Any

from runner.execution.isolation import Cell, entered
from runner.execution.sandbox import ProcessLimits, Ran, end

MEANS = "pre-forked"
_START_S = 60.0
_GRACE_S = 30.0
_LONGEST_REPLY = 1 << 20
# Imported by the interpreter itself, where they are found.
_ALWAYS = frozenset({"sitecustomize", "usercustomize"})


class BrokenForkError(Exception):
    """A fork did not report its end; its process no longer exists."""


class Forks:
    """A process in a cell that forks runs; a context manager."""

    def __init__(self, cell: Cell, python: str, env: Mapping[str, str]) -> None:
        """Start it, without the repository in its path. Raises BrokenForkError where it does not start."""
        self._cell = cell
        self._open = ExitStack()
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._open.enter_context(self._channel)
        clean = {name: value for name, value in env.items() if name != "PYTHONPATH"}
        command = [python, "-B", "-", str(theirs.fileno())]
        program = Path(str(files("runner.execution").joinpath("forker.py")))
        with theirs, program.open("rb") as program_file:
            words = self._open.enter_context(entered(cell, command, privileged=True))
            self._process = subprocess.Popen(  # noqa: S603 - our own program, in the tested interpreter
                words,
                cwd="/",
                env=clean,
                stdin=program_file,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(theirs.fileno(),),
            )
        self.names: frozenset[str] = frozenset(self._reply(_START_S))

    def run(self, words: list[str], *, cwd: Path, env: Mapping[str, str], limits: ProcessLimits) -> Ran:
        """Return the result of `python -m pytest` with these arguments. Raises BrokenForkError, which is final."""
        order = {
            "words": words,
            "cwd": str(cwd),
            "env": dict(env),
            "folder": str(self._cell.folder.resolve()),
            "wall_s": limits.wall_s,
            "cpu_s": max(1, -int(-limits.cpu_s // 1)),
            "memory_bytes": limits.memory_bytes,
            "file_bytes": limits.file_bytes,
        }
        with TemporaryFile() as input_file, TemporaryFile() as out, TemporaryFile() as err:
            input_file.write(json.dumps(order).encode())
            input_file.seek(0)
            try:
                socket.send_fds(self._channel, [b"run"], [input_file.fileno(), out.fileno(), err.fileno()])
            except OSError as error:
                raise self._broken() from error
            reply = self._reply(limits.wall_s + _GRACE_S)
            out.seek(0)
            err.seek(0)
            try:
                return Ran(stdout=out.read(), stderr=err.read(), **reply)
            except TypeError as error:
                raise self._broken() from error

    def _reply(self, wait_s: float) -> Any:  # noqa: ANN401 - JSON
        self._channel.settimeout(wait_s)
        try:
            return json.loads(self._channel.recv(_LONGEST_REPLY))
        except (OSError, ValueError) as error:
            raise self._broken() from error
        except BaseException:
            self.close()
            raise

    def _broken(self) -> BrokenForkError:
        self.close()
        return BrokenForkError("a fork did not report its end")

    def close(self) -> None:
        """End it, and all that it has forked."""
        end(self._process, isolated=True)
        self._open.close()


def shadowed(names: Iterable[str], paths: Iterable[str]) -> frozenset[str]:
    """Return those names of imported modules that a module of the repository might have, wherever its path begins."""
    known = set(paths)
    return (frozenset(names) | _ALWAYS) & {_top_level(path, known) for path in known if path.endswith(".py")}


def _top_level(path: str, known: set[str]) -> str:
    """Return the name that an import of a file begins with: that of its outermost package, or its own."""
    place = PurePosixPath(path)
    place = place.parent if place.name == "__init__.py" else place.with_suffix("")
    while f"{place.parent}/__init__.py" in known:
        place = place.parent
    return place.name
