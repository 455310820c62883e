"""The door of a cell: the one loopback port in it, which its launcher opens and passes to who answers there."""

import asyncio
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from secrets import token_urlsafe

from suts.sut import ErrorKind, SutError

_START_S = 30.0
_SHOWN = 2000
_SECRET_BYTES = 16
# What stands for the address of a door, until its launcher knows it.
DOOR = "{proxy}"
# The interpreter itself: an environment around it may be hidden.
_PYTHON = str(Path(sys.executable).resolve())


def new_secret() -> str:
    """Return what a proxy is asked by beside its port, where others could ask there."""
    return token_urlsafe(_SECRET_BYTES)


def door_of(secret: str) -> str:
    """Return what stands for the address of a door with this secret, "" for none."""
    return f"{DOOR}/{secret}" if secret else DOOR


def behind_door(fd: int, file_bytes: int, words: Sequence[str], task: str = "") -> tuple[str, ...]:
    """Return the words that open a door, pass it by a socket of this number, and become the program of `words`.

    `task` takes the place of `{task}` in them.
    """
    source = files("runner.agents").joinpath("launcher.py").read_text(encoding="utf-8")
    return (_PYTHON, "-I", "-S", "-c", source, str(fd), str(file_bytes), task, *words)


def behind_port(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that leave a program the port of its door alone, where the network has many."""
    source = files("runner.execution").joinpath("one_port.py").read_text(encoding="utf-8")
    return (_PYTHON, "-I", "-S", "-c", source, DOOR, *words)


async def opened_door(ours: socket.socket, process: Process) -> socket.socket:
    """Return the port of a launcher that was started, which becomes its program. Raises SutError where it cannot."""
    listener, failing = await _channels(ours, process)
    try:
        with failing:
            await _begin(ours, failing)
    except BaseException:
        listener.close()
        raise
    return listener


def not_started(why: str) -> SutError:
    """Return the error for a program that could not start."""
    return SutError(ErrorKind.BAD_REQUEST, f"the agent could not start: {why}", retryable=False)


async def _channels(ours: socket.socket, process: Process) -> tuple[socket.socket, socket.socket]:
    """Return the port that the launcher has opened, and where it says why an agent could not start.

    Raises SutError where it ended before.
    """
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    ours.setblocking(False)  # noqa: FBT003 - its name says it
    loop.add_reader(ours, ready.set)
    try:
        async with asyncio.timeout(_START_S):
            await ready.wait()
        _, descriptors, _, _ = socket.recv_fds(ours, 1, 2)
    except TimeoutError:
        descriptors = []
    finally:
        loop.remove_reader(ours)
    if not descriptors:
        words = b"" if process.stdout is None else await process.stdout.read(_SHOWN)
        message = f"the cell of the agent could not be made: {words.decode('utf-8', 'replace').strip()}"
        raise SutError(ErrorKind.BAD_REQUEST, message, retryable=False)
    listener, failing = (socket.socket(fileno=descriptor) for descriptor in descriptors)
    return listener, failing


async def _begin(ours: socket.socket, failing: socket.socket) -> None:
    """Let the launcher become the agent. Raises SutError where it cannot."""
    failing.setblocking(False)  # noqa: FBT003 - its name says it
    ours.send(b"!")
    try:
        async with asyncio.timeout(_START_S):
            # The channel closes as the program of the agent begins.
            why = await asyncio.get_running_loop().sock_recv(failing, _SHOWN)
    except TimeoutError:
        why = b"it did not begin in time"
    if why:
        raise not_started(why.decode("utf-8", "replace"))
