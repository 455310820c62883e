"""A process that is asked questions and may crash, hang or run wild: under limits, and killed whole."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from runner.execution.isolation import Cell, entered, first_processes
from suts.sut import SutError

_LIMITED = 'ulimit -v "$1" && ulimit -t "$2" && ulimit -f "$3" && ulimit -c 0 && shift 3 && exec "$@"'
_LONGEST_ANSWER = 64 << 20
_SHOWN = 2000
_PIECE = 1 << 20
_ENDING_S = 5.0


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Seconds for one question and for a farewell; for each process CPU seconds, bytes of memory and of a file."""

    question_s: float = 180.0
    farewell_s: float = 10.0
    cpu_s: int = 3600
    memory_bytes: int = 16 << 30
    file_bytes: int = 256 << 20


class ChildError(Exception):
    """The process ended, or answered something that is no message; the message shows the end of what it printed."""


class Door(Protocol):
    """The one port in a cell, at which something answers while the process lives."""

    def words(self, command: Sequence[str]) -> tuple[Sequence[str], int]:
        """Return what starts a command behind the door, and the number of a file that it needs."""
        ...

    async def serve(self, process: asyncio.subprocess.Process) -> None:
        """Answer from now on. Raises SutError where the door was not opened."""
        ...

    async def aclose(self) -> None:
        """Answer no more."""
        ...


class Child:
    """One process in a cell, started when it is first asked, and again after it ended."""

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        limits: ChildLimits,
        cell: Cell | None = None,
        door_of: Callable[[], Door] | None = None,
    ) -> None:
        """Take a command that reads questions from its input and writes answers to its output.

        `door_of` makes the door of each process, where its cell is to have one.
        """
        self._command = command
        self._cwd = cwd
        self._env = env
        self._limits = limits
        self._cell = cell or Cell(cwd)
        self._inside = ExitStack()
        self._door_of = door_of
        self._door: Door | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the child

    @property
    def running(self) -> bool:
        """Whether there is a process to ask."""
        return self._process is not None and self._process.returncode is None

    async def ask(self, question: bytes, seconds: float) -> bytes:
        """The answer. Raises TimeoutError, after which the process is gone, and ChildError."""
        process = self._process if self.running else await self._start()
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        # The limit of a file is that of what is printed at one question.
        self._log.seek(0)
        self._log.truncate()
        try:
            async with asyncio.timeout(seconds):
                process.stdin.write(len(question).to_bytes(8, "big") + question)
                await process.stdin.drain()
                length = int.from_bytes(await process.stdout.readexactly(8), "big")
                if length <= _LONGEST_ANSWER:
                    return await process.stdout.readexactly(length)
        except (ConnectionError, asyncio.IncompleteReadError) as error:
            code = await self.kill()
            raise ChildError(f"the process ended with code {code}{self._last_words()}") from error
        except TimeoutError:
            await self.kill()
            raise
        await self.kill()
        raise ChildError(f"an answer of {length} bytes is no answer")

    async def _start(self) -> asyncio.subprocess.Process:
        limits = self._limits
        numbers = (str(limits.memory_bytes // 1024), str(limits.cpu_s), str(limits.file_bytes // 512))
        self._door = self._door_of() if self._door_of else None
        command, fd = self._door.words(self._command) if self._door else (self._command, None)
        words = ["/bin/sh", "-c", _LIMITED, "sh", *numbers, *command]
        # One that ended by itself has left its cell empty.
        self._inside.close()
        starting = asyncio.ensure_future(
            asyncio.create_subprocess_exec(
                *self._inside.enter_context(entered(self._cell, words)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=self._log,
                cwd=self._cwd,
                env=dict(self._env),
                start_new_session=True,
                pass_fds=() if fd is None else (fd,),
            )
        )
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            # To cancel the start would leave what had been started: only `kill` ends all of it.
            self._process = await starting
            raise
        if self._door is not None:
            await self._open(self._door, self._process)
        return self._process

    async def _open(self, door: Door, process: asyncio.subprocess.Process) -> None:
        """Answer at a door. Raises ChildError where it was not opened."""
        try:
            await door.serve(process)
        except SutError as error:
            await self.kill()
            raise ChildError(f"{error}{self._last_words()}") from error

    def stop(self) -> None:
        """End the process; a question that waits for its answer fails with ChildError."""
        if self._process is not None and self._process.returncode is None:
            self._end(self._process)

    def _end(self, process: asyncio.subprocess.Process) -> None:
        # In a namespace the first process: the kernel ends all others with it.
        inner = first_processes(process.pid) if self._cell.isolation.contained and process.returncode is None else ()
        with suppress(ProcessLookupError):
            for child in inner:
                os.kill(child, signal.SIGKILL)
        if not inner:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)

    async def kill(self) -> int | None:
        """End the process and all that it started in its cell, or where that is none in its group.

        Returns its exit code, None if there was none. Once only for each process: afterwards its number may be
        another's.
        """
        process, self._process = self._process, None
        door, self._door = self._door, None
        code = None if process is None else await self._ended(process)
        # Only now: who answers there may wait for the process.
        if door is not None:
            await door.aclose()
        return code

    async def _ended(self, process: asyncio.subprocess.Process) -> int | None:
        self._end(process)
        # What is not read keeps the end of the pipe, and so of the process, from being seen; in a group of its own,
        # processes that it started may hold the pipe for ever.
        with suppress(TimeoutError):
            async with asyncio.timeout(_ENDING_S):
                while process.stdout is not None and await process.stdout.read(_PIECE):
                    pass
                await process.wait()
        self._inside.close()
        return process.returncode

    async def aclose(self) -> None:
        """End the process and forget what it printed."""
        await self.kill()
        self._inside.close()
        self._log.close()

    def _last_words(self) -> str:
        self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, self._log.tell() - _SHOWN))
        words = self._log.read().decode("utf-8", "replace").strip()
        return f": {words}" if words else ""
