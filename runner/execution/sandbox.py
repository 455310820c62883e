"""Runs a command that is not trusted to end, to be small or to clean up: under limits, and killed whole."""

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from runner.execution.interrupts import interrupts_held
from runner.execution.isolation import Cell, entered, first_processes

# The limits are set by the shell before it becomes the command: a `preexec_fn` may deadlock where there are
# threads, and limits set from outside would come too late for the first moments. Units: kilobytes, seconds,
# blocks of 512 bytes.
# macOS knows no bound on addresses: there it is refused, and the others hold alone.
_LIMITED = """
ulimit -v "$1" 2>/dev/null || [ "$(uname)" = Darwin ] || { echo "no limit of $1 kB on memory" >&2; exit 125; }
ulimit -t "$2" && ulimit -f "$3" && ulimit -c 0 && shift 3 && exec "$@"
"""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a command may use: seconds by the clock, of all its processes together; the rest each process alone.

    - `cpu_s`: processor time, rounded up to whole seconds.
    - `memory_bytes`: address space.
    - `file_bytes`: size of each file written, its output included.
    """

    wall_s: float = 10.0
    cpu_s: float = 10.0
    memory_bytes: int = 2 << 30
    file_bytes: int = 16 << 20


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command ended.

    `exit_code` is minus the signal's number for a command that was killed; in an isolated cell it is 128 more than
    that number, as with shells, except at the deadline, and 125 says that the cell could not be made. `cpu_s` covers
    the command and those of its children it waited for.
    """

    exit_code: int
    timed_out: bool
    stdout: bytes
    stderr: bytes
    cpu_s: float
    wall_s: float


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    limits: ProcessLimits,
    stdin: bytes = b"",
    env: Mapping[str, str],
    cell: Cell | None = None,
) -> Ran:
    """Run a command to its end or to its limits; then every process of its session's group is killed.

    In a cell whose isolation is whole, really every process it started is. A command that cannot be started ends with
    the shell's code: 127 not found, 126 not executable. Nothing is inherited from our environment. Without a cell the
    network is not closed off. Raises OSError where there is no `sh` or no `cwd`.
    """
    words = ["/bin/sh", "-c", _LIMITED, "sh", *_numbers(limits), *command]
    # Files, not pipes: a grandchild that keeps a pipe open would keep us waiting.
    with (
        tempfile.TemporaryFile() as input_file,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        entered(cell or Cell(cwd), words) as entering,
        ExitStack() as held,
    ):
        input_file.write(stdin)
        input_file.seek(0)
        started = time.monotonic()
        held.enter_context(interrupts_held())
        process = subprocess.Popen(  # noqa: S603 - running commands is the purpose; what they may do is limited
            entering, cwd=cwd, env=dict(env), stdin=input_file, stdout=out, stderr=err, start_new_session=True
        )
        isolated = cell is not None and cell.isolation.contained
        timed_out, cpu_s = _wait(process, limits.wall_s, held.close, isolated=isolated)
        wall_s = time.monotonic() - started
        return Ran(process.returncode, timed_out, _all_of(out), _all_of(err), cpu_s, wall_s)


def _numbers(limits: ProcessLimits) -> tuple[str, str, str]:
    return (
        str(limits.memory_bytes // 1024),
        str(max(1, -int(-limits.cpu_s // 1))),
        str(max(1, limits.file_bytes // 512)),
    )


def _wait(
    process: "subprocess.Popen[bytes]", wall_s: float, release: Callable[[], None], *, isolated: bool
) -> tuple[bool, float]:
    """Reap the process, killing its group at the deadline and whatever is left of the group afterwards.

    `release` lets an interrupt come that was held during the start.
    """
    late = threading.Event()

    def kill_late() -> None:
        late.set()
        _stop(process.pid, isolated=isolated)

    timer = threading.Timer(wall_s, kill_late)
    # A signal may raise at any point: a timer that nobody cancelled must not keep the interpreter from ending.
    timer.daemon = True
    try:
        release()
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
    except BaseException:
        # Ctrl-C and the like: leave no process behind, then go on with what was raised.
        _stop(process.pid, isolated=isolated)
        process.wait()
        raise
    finally:
        timer.cancel()
        if timer.ident is not None:
            timer.join()
    process.returncode = os.waitstatus_to_exitcode(status)
    _kill_group(process.pid)
    if late.is_set() and isolated:
        # The program that entered the cell reports the death of its first process in its own way.
        process.returncode = -signal.SIGKILL
    return late.is_set() and process.returncode == -signal.SIGKILL, usage.ru_utime + usage.ru_stime


def _stop(pid: int, *, isolated: bool) -> None:
    """Kill a command; in a namespace by its first process, so that it is reaped after all others have gone."""
    inner = first_processes(pid) if isolated else ()
    for inner_pid in inner:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(inner_pid, signal.SIGKILL)
    if not inner:
        _kill_group(pid)


def end(process: "subprocess.Popen[bytes]", *, isolated: bool) -> None:
    """Kill a command that was started in a session of its own, with all it started, and wait for its end."""
    _stop(process.pid, isolated=isolated)
    process.wait()
    _kill_group(process.pid)


def _kill_group(pid: int) -> None:
    # No process of the group is left, or (macOS) only ones that are ending.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _all_of(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()
