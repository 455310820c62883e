"""What hostile agents achieve in the cell that is permitted here, and which limits end them: a program that prints it.

It is started in environments that permit less than the machine does; with the argument `none`, without isolation.
"""

import asyncio
import json
import os
import socket
import sys
import tempfile
from contextlib import closing
from pathlib import Path

from runner.execution.isolation import GROUP_ONLY, Isolation, Weak, permitted
from suts.agent_parts import WorkingFolder
from tests.runner.agents.rooms import BREAKERS, FILES, agent, attempted, printed, ran
from tests.runner.cells import running

# Each is true if it has done what it should not, and raises or is not if it could not. All are made in one attempt.
ATTACKS = {
    "writes elsewhere": "open(outside, 'w').close() is None",
    "reads a file of the user": "open(secret).read()",
    "reads the folder of another attempt": "open(other).read()",
    "reads what is hidden in a folder that it is shown": "open(covered).read()",
    "sees the names of such files": "os.path.exists(other)",
    "reads the variables of `evals`": "open(f'/proc/{parent}/environ').read() and space('pid') == pids",
    "sees what runs": "'hostile_agents' in open(f'/proc/{parent}/cmdline').read()",
    "signals `evals`": "os.kill(parent, 0) is None and space('pid') == pids",
    "connects to another port": "socket.create_connection(('127.0.0.1', port))",
    "sends a datagram": "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', 9)) and space('net') == net",
}
# Each has an attempt of its own, which it leaves a process of that names a path.
_CHILD = (
    "r, w = os.pipe(); os.fork() and (os.read(r, 1), {end}); os.setsid(); os.close(1); os.close(2); os.write(w, b'x')"
)
STRAYS = {
    "leaves a process": f"{_CHILD.format(end='os._exit(0)')}; time.sleep(5)",
    "leaves a process when it is killed": f"{_CHILD.format(end='os.kill(os.getpid(), 9)')}; time.sleep(5)",
}
_TRIED = """
space = lambda kind: os.readlink(f'/proc/self/ns/{kind}')
for name, attack in attacks.items():
    try:
        print(name if eval(attack) else "")
    except OSError:
        pass
"""


def achieved(isolation: Isolation, base: Path) -> dict[str, bool]:
    """Which attacks succeed."""
    (base / "secret").write_text("secret")
    other = base / "evals-agent-other" / "a.py"
    other.parent.mkdir()
    other.write_text("x = 2\n")
    covered = base / "shown" / "covered" / "a.py"
    covered.parent.mkdir(parents=True)
    covered.write_text("x = 3\n")
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        known = {
            "attacks": ATTACKS,
            "outside": str(base / "out"),
            "secret": str(base / "secret"),
            "other": str(other),
            "covered": str(covered),
            "parent": os.getpid(),
            "port": listener.getsockname()[1],
            "net": str(Path("/proc/self/ns/net").readlink()),
            "pids": str(Path("/proc/self/ns/pid").readlink()),
        }
        told = _printed(_TRIED, isolation, known, covered.parent)
    found = {name: json.dumps({"d": name})[1:-1].replace(": ", ":") in told for name in ATTACKS}
    for name, code in STRAYS.items():
        _printed(code, isolation, known, covered.parent)
        found[name] = bool(running(base / "out"))
    return found


def _printed(code: str, isolation: Isolation, known: dict[str, object], covered: Path) -> str:
    """What an agent prints that is shown the folder around what is covered."""
    script = f"import os, socket, time; globals().update({known!r})\n{code}"
    words = (str(Path(sys.executable).resolve()), "-I", "-c", script, str(covered.parent))
    folder = WorkingFolder(FILES, "case", 1, hidden=(covered,))
    return printed(asyncio.run(attempted(agent(*words, isolation=isolation), folder=folder)))


def main() -> None:
    """Print the means, which attacks succeed, and how attempts ended that use too much of something."""
    isolation = GROUP_ONLY
    if sys.argv[1:] != ["none"]:
        isolation = permitted(Weak(allowed=True, confirmed=True), "agents", network=True)
    with tempfile.TemporaryDirectory(prefix="a-home-") as base:
        achievements = achieved(isolation, Path(base))
    ends = {
        name: ran(*words, limits=limits, isolation=isolation).finish_reason
        for name, (limits, words) in BREAKERS.items()
    }
    print(json.dumps([isolation.means, achievements, ends]))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
