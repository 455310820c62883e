"""A program that runs another one and ends all that this has started, for machines without process namespaces.

It ends when that program does, when it gets SIGTERM, and when who started it dies. Processes that lose their parents
become its own, so that none is out of its reach. Only what may signal it can get rid of it. Its arguments are the
number of who started it, and the words of the command. Nothing of ours is imported.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_SIGNAL_AT_PARENTS_DEATH, _ADOPT_ORPHANS = 1, 36
_HEARD = (signal.SIGTERM, signal.SIGCHLD)
# What cannot be killed within this time waits for a device, and ends when that answers.
_PATIENCE_S = 8.0


def descendants(pid: int) -> Iterator[int]:
    """Yield the processes that a process has started, and those that these have, as far as they are alive."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            for child in map(int, children.read_text().split()):
                yield child
                yield from descendants(child)


def keep(starter: int, words: list[str]) -> int:
    """Run a command until it ends or is to end; returns its code, as shells state it, once nothing of it is left."""
    _adopt_orphans()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    code = -1
    if os.getppid() == starter:
        first = os.fork()
        if first == 0:
            _become(words, before)
        while code < 0 and signal.sigwait(_HEARD) == signal.SIGCHLD:
            code = _reaped(first)
    _end_all()
    return 128 + signal.SIGKILL if code < 0 else code


def _adopt_orphans() -> None:
    import ctypes

    libc = ctypes.CDLL(None)
    for option, value in ((_SIGNAL_AT_PARENTS_DEATH, signal.SIGTERM), (_ADOPT_ORPHANS, 1)):
        libc.prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0)))


def _become(words: list[str], mask: set[int]) -> None:
    """Become the command, in a session of its own: what it sends to its group does not come here."""
    os.setsid()
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    try:
        os.execvp(words[0], words)  # noqa: S606 - running commands is the purpose
    except OSError as error:
        sys.stderr.write(f"{words[0]}: {error.strerror}\n")
        os._exit(127 if isinstance(error, FileNotFoundError) else 126)


def _reaped(first: int) -> int:
    """Take the ends of processes; return the code of the first one, -1 while it runs."""
    code = -1
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == first:
                end = os.waitstatus_to_exitcode(ended[1])
                code = 128 - end if end < 0 else end
    return code


def _end_all() -> None:
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        for pid in descendants(os.getpid()):
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.002)


if __name__ == "__main__":
    sys.exit(keep(int(sys.argv[1]), sys.argv[2:]))
