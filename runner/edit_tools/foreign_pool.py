"""Asks a foreign tool in processes that are kept for the next request; one that fails is replaced.

A request that fails in a process which has answered others is asked once more in a new one: so no request pays for what
an earlier one did to its process.
"""

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, TypeVar

from runner.edit_tools.foreign_result import ToolFailedError
from runner.edit_tools.foreign_wire import Result, request_line, result_of
from runner.execution import stale_dirs
from runner.execution.isolation import GROUP_ONLY, Cell, Isolation
from runner.execution.line_process import LineProcess, LineProcessError, LineProcessLimits
from runner.execution.seclusion import hidden_in, homes, needed_by
from runner.execution.untrusted_files import remove

T = TypeVar("T")
Read = Callable[[Result], T]

_PROCESSES = 128


@dataclass(frozen=True, slots=True)
class ForeignCell:
    """Where the processes of a tool run: how they are isolated, and what they may not see beside homes.

    - `folder`: where they are started, which they may read.
    - `hidden`: the files of the database, keys, cases; one that does not exist yet counts once it does.
    """

    folder: Path = field(default_factory=Path.cwd)
    isolation: Isolation = GROUP_ONLY
    hidden: tuple[Path, ...] = ()
    search_path: str = os.defpath
    limits: LineProcessLimits = field(default_factory=LineProcessLimits)


class ForeignPool:
    """The processes of one tool, as many as there are requests at once, at most four.

    None is started before the first request. Threads of its own start and ask them, for a cell ends with its thread.
    """

    def __init__(self, command: tuple[str, ...], cell: ForeignCell) -> None:
        """Keep the command."""
        self._command, self._cell = command, cell
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        self._local = threading.local()
        self._all: set[_Asked] = set()
        self._resting = False
        self.started = 0

    def begin(
        self, do: str, fields: Mapping[str, Any], read: Read[T], instead: Callable[[ToolFailedError], T] | None = None
    ) -> "Future[T]":
        """Begin a request; its result is what `read` makes of the reply, or `instead` of a ToolFailedError."""
        with self._lock:
            if self._threads is None:
                count = max(1, min(4, os.cpu_count() or 1))
                self._threads = ThreadPoolExecutor(count, thread_name_prefix="edit-tool")
            return self._threads.submit(self._answer, do, fields, read, instead)

    def ask(self, do: str, fields: Mapping[str, Any], read: Read[T]) -> T:
        """Return what `read` makes of the reply; blocks. Raises ToolFailedError."""
        return self.begin(do, fields, read).result()

    def _answer(
        self, do: str, fields: Mapping[str, Any], read: Read[T], instead: Callable[[ToolFailedError], T] | None
    ) -> T:
        try:
            return self._reply(do, fields, read)
        except ToolFailedError as error:
            if instead is None:
                raise
            return instead(error)

    def _reply(self, do: str, fields: Mapping[str, Any], read: Read[T]) -> T:
        # Each thread has a process of its own, which ends with it.
        process: _Asked | None = getattr(self._local, "process", None)
        if process is not None:
            try:
                return process.ask(do, fields, read)
            except ToolFailedError:
                self._forget(process)
        process = self._new()
        try:
            # What takes long at the start is no matter of the request.
            process.ask("declare", {}, dict)
            return process.ask(do, fields, read)
        except ToolFailedError:
            self._forget(process)
            raise

    def _new(self) -> "_Asked":
        with self._lock:
            if self._resting:
                raise ToolFailedError("the run ended before it was asked")
            process = _Asked(self._command, self._cell)
            self._all.add(process)
            self.started += 1
        self._local.process = process
        return process

    def _forget(self, process: "_Asked") -> None:
        self._local.process = None
        process.close()
        with self._lock:
            self._all.discard(process)

    def rest(self) -> None:
        """End all processes, those at work too; the next request starts a new one."""
        with self._lock:
            threads, self._threads, self._resting = self._threads, None, True
            processes = tuple(self._all)
        for process in processes:
            process.kill()
        if threads is not None:
            threads.shutdown(cancel_futures=True)
        for process in tuple(self._all):
            process.close()
        self._all.clear()
        self._local = threading.local()
        self._resting = False


def _holds(place: Path, needed: tuple[Path, ...]) -> bool:
    return any(path.is_relative_to(place) for path in needed)


class _Asked:
    """One process, and the number of its last request."""

    def __init__(self, command: tuple[str, ...], cell: ForeignCell) -> None:
        """Start it. Raises ToolFailedError."""
        self._number = 0
        self._room = Path(mkdtemp(prefix=stale_dirs.prefix("tool"))).resolve()
        for name in ("home", "tmp"):
            (self._room / name).mkdir()
        try:
            self._process = LineProcess(
                command, cwd=cell.folder, env=self._environment(cell), cell=self._inside(command, cell),
                limits=cell.limits,
            )  # fmt: skip
        except OSError as error:
            remove(self._room)
            raise ToolFailedError(f"it could not be started: {error.strerror}") from error

    def _environment(self, cell: ForeignCell) -> dict[str, str]:
        return {
            "HOME": str(self._room / "home"),
            "LC_ALL": "C.UTF-8",
            "PATH": cell.search_path,
            "PYTHONDONTWRITEBYTECODE": "1",
            "TMPDIR": str(self._room / "tmp"),
            "TZ": "UTC",
        }

    def _inside(self, command: tuple[str, ...], cell: ForeignCell) -> Cell:
        needed = needed_by(command, cell.folder, cell.search_path)
        named = [path.resolve() for path in cell.hidden if path.exists()]
        # What holds the program itself cannot be hidden from it.
        hidden = (*hidden_in(homes(), needed), *(path for path in named if not _holds(path, needed)))
        memory = cell.limits.memory_bytes
        return Cell(self._room, cell.isolation, _PROCESSES, tuple(dict.fromkeys(hidden)), memory_bytes=memory)

    def ask(self, do: str, fields: Mapping[str, Any], read: Read[T]) -> T:
        """Return what `read` makes of the reply. Raises ToolFailedError, after which it is not to be asked again."""
        self._number += 1
        try:
            line = self._process.ask(request_line(self._number, do, fields))
        except LineProcessError as error:
            raise ToolFailedError(str(error)) from error
        return read(result_of(line, self._number))

    def kill(self) -> None:
        """End it, also while a thread waits for its answer."""
        self._process.kill()

    def close(self) -> None:
        """End it and remove its folder."""
        self._process.close()
        if self._room.exists():
            remove(self._room)
