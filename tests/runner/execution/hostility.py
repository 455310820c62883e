"""What hostile commands achieve at the isolation that is permitted here: a program that prints it as JSON.

It is started in environments that permit less than the machine does; with the argument `none`, without isolation.
"""

import ctypes
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.execution.isolation import GROUP_ONLY, Cell, Isolation, Weak, permitted
from runner.execution.sandbox import ProcessLimits, run
from tests.runner.cells import running

# Each says "done" if it has done what it should not.
ATTACKS = {
    "writes elsewhere": "open(outside, 'w').close(); print('done')",
    "deletes elsewhere": "os.unlink(victim); print('done')",
    "changes modes elsewhere": "os.chmod(victim, 0o640); print('done')",
    "reads what is hidden": "print('done' if open(hidden).read() else '')",
    "reaches the network": "import socket; socket.socket(2, 2).connect(('127.0.0.1', 9)); "
    "print('done' if os.readlink('/proc/self/ns/net') == net else '')",
    "signals a process outside": "os.kill(parent, 0); "
    "print('done' if os.readlink('/proc/self/ns/pid') == pids else '')",
    "traces a process outside": "import ctypes; "
    "done = ctypes.CDLL(None).ptrace(0x4206, parent, 0, 0) == 0; "
    "print('done' if done and os.readlink('/proc/self/ns/pid') == pids else '')",
    "finds a key that the kernel keeps for the user": "import ctypes; "
    "print('done' if ctypes.CDLL(None).syscall(keyctl, 10, -4, b'user', b'evals-planted', 0) > 0 else '')",
    "leaves a process": "r, w = os.pipe(); os.fork() and (os.read(r, 1), os._exit(0)); os.setsid(); "
    "os.write(w, b'x'); time.sleep(5)",
    "starts 40 processes where 16 may be": "ours = [os.fork() or (time.sleep(1), os._exit(0)) for _ in range(40)]; "
    "print('done')",
    "has capabilities": "print('' if 'CapEff:\\t' + '0' * 16 in open('/proc/self/status').read() else 'done')",
}

# Numbers of calls: to use keys, and to add one.
_KEYCTL, _ADD_KEY = (250, 248) if os.uname().machine == "x86_64" else (219, 217)
_USER_KEYRING, _REVOKE = -4, 3


@contextmanager
def _planted_key() -> Iterator[None]:
    """A key of the user, until the block ends."""
    libc = ctypes.CDLL(None)
    key = libc.syscall(_ADD_KEY, b"user", b"evals-planted", b"x", ctypes.c_size_t(1), _USER_KEYRING)
    yield
    libc.syscall(_KEYCTL, _REVOKE, key)


def achieved(isolation: Isolation, base: Path) -> dict[str, bool]:
    """Which attacks succeed, each in a cell of its own."""
    return {name: _succeeds(code, isolation, base / str(number)) for number, (name, code) in enumerate(ATTACKS.items())}


def _succeeds(code: str, isolation: Isolation, base: Path) -> bool:
    cell = Cell(base / "cell", isolation, processes=16, hidden=(base / "secret",))
    cell.folder.mkdir(parents=True)
    for name in ("secret", "victim"):
        (base / name).write_text(name)
    known = {
        "outside": str(base / "out"),
        "victim": str(base / "victim"),
        "hidden": str(base / "secret"),
        "parent": os.getpid(),
        "keyctl": _KEYCTL,
        "net": str(Path("/proc/self/ns/net").readlink()),
        "pids": str(Path("/proc/self/ns/pid").readlink()),
    }
    words = [sys.executable, "-I", "-c", f"import os, time; globals().update({known!r}); {code}", str(cell.folder)]
    ran = run(words, cwd=cell.folder, limits=ProcessLimits(), env={}, cell=cell)
    left = [line for line in running(cell.folder) if "time.sleep(5)" in line]
    return b"done" in ran.stdout or bool(left)


def main() -> None:
    """Print the means, and which attacks succeed."""
    isolation = GROUP_ONLY if sys.argv[1:] == ["none"] else permitted(Weak(allowed=True, confirmed=True))
    with tempfile.TemporaryDirectory() as base, _planted_key():
        print(json.dumps([isolation.means, isolation.whole, achieved(isolation, Path(base))]))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
