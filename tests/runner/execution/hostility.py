"""What hostile commands achieve at the isolation that is permitted here: a program that prints it as JSON.

It is started in environments that permit less than the machine does; with the argument `none`, without isolation.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from runner.execution.isolation import GROUP_ONLY, Cell, Isolation, Weak, permitted
from runner.execution.sandbox import ProcessLimits, run
from tests.runner.cells import running

# Each says "done" if it has done what it should not.
ATTACKS = {
    "writes elsewhere": "open(outside, 'w').close(); print('done')",
    "deletes elsewhere": "os.unlink(victim); print('done')",
    "reads what is hidden": "print('done' if open(hidden).read() else '')",
    "reaches the network": "import socket; socket.socket(2, 2).connect(('127.0.0.1', 9)); "
    "print('done' if os.readlink('/proc/self/ns/net') == net else '')",
    "signals a process outside": "os.kill(parent, 0); "
    "print('done' if os.readlink('/proc/self/ns/pid') == pids else '')",
    "leaves a process": "r, w = os.pipe(); os.fork() and (os.read(r, 1), os._exit(0)); os.setsid(); "
    "os.write(w, b'x'); time.sleep(5)",
    "starts 40 processes where 16 may be": "ours = [os.fork() or (time.sleep(1), os._exit(0)) for _ in range(40)]; "
    "print('done')",
    "has capabilities": "print('' if 'CapEff:\\t' + '0' * 16 in open('/proc/self/status').read() else 'done')",
}


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
    with tempfile.TemporaryDirectory() as base:
        print(json.dumps([isolation.means, isolation.whole, achieved(isolation, Path(base))]))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
