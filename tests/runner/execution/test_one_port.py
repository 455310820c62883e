"""What Landlock leaves of the network to a program that may connect to one port only."""

import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from runner.execution import one_port
from runner.execution.landlock import PORTS_VERSION, version

PROGRAM = Path(one_port.__file__).resolve()
TRY = """
import socket, sys
def reached(port):
    try:
        socket.socket().connect(("127.0.0.1", int(port)))
    except PermissionError:
        return "refused"
    except OSError:
        return "closed"
    return "open"
print(*map(reached, sys.argv[1:]))
"""

pytestmark = pytest.mark.skipif(version() < PORTS_VERSION, reason="this kernel has no rules of networks")


def test_one_port_is_left() -> None:
    with ExitStack() as open_ports:
        ports = [
            str(open_ports.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]) for _ in range(2)
        ]
        address = f"http://127.0.0.1:{ports[0]}/secret"
        command = [sys.executable, "-I", "-S", str(PROGRAM), address, sys.executable, "-I", "-c", TRY, *ports]
        done = subprocess.run(command, capture_output=True, check=True, text=True)

    assert done.stdout == "open refused\n"


def test_a_program_that_is_not_there_ends_as_in_a_shell() -> None:
    command = [sys.executable, "-I", "-S", str(PROGRAM), "http://127.0.0.1:9", "no-such-program"]

    assert subprocess.run(command, capture_output=True, check=False).returncode == 127
