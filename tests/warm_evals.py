"""A stand-in for the console script in tests that start it many times: it forks from a process that has loaded all.

What it costs to load our modules is saved; all else is as of a program that is started: files, pipes, variables, exit
codes. How evals itself starts is tested with its console script.

    python -m tests.warm_evals SOCKET
"""

import array
import gc
import marshal
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import IO, cast

from runner.cli import main

ROOT = Path(__file__).parents[1]
# The stand-in loads next to nothing: it sends its words, folder, variables and files, and waits for an exit code.
SCRIPT = """#!{python} -IS
import array, marshal, os, sys, _socket
with_parent = _socket.socket(_socket.AF_UNIX)
with_parent.connect({path!r})
files = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", [0, 1, 2]))]
with_parent.sendmsg([b"-"], files)
with_parent.sendall(marshal.dumps((sys.argv, os.getcwd(), dict(os.environ))))
with_parent.shutdown(_socket.SHUT_WR)
sys.exit(int(with_parent.recv(9) or 70))
"""


@contextmanager
def warm_evals(folder: Path) -> Iterator[Path]:
    """A folder for the PATH whose `evals` starts fast."""
    path, script = folder / "socket", folder / "bin" / "evals"
    script.parent.mkdir()
    script.write_text(SCRIPT.format(python=sys.executable, path=str(path)))
    script.chmod(0o755)
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.warm_evals", str(path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == "ready\n"
        yield script.parent
    finally:
        server.terminate()
        server.communicate()


def serve(path: str) -> None:
    """Fork a process for each command; returns in that process alone, which is to run the command."""
    for package in ("runner", "suts", "parsers", "diff_apply", "prompts"):
        for module in pkgutil.walk_packages([str(ROOT / package)], f"{package}."):
            import_module(module.name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    signal.signal(signal.SIGTERM, _end)
    gc.collect()
    gc.freeze()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        client, _ = listener.accept()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not os.fork():
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            listener.close()
            return _become(client)
        client.close()


def _end(_number: int, _frame: FrameType | None) -> None:
    """Wait for the commands, so that what they cost is counted, and end."""
    with suppress(ChildProcessError):
        while True:
            os.wait()
    os._exit(0)


def _become(client: socket.socket) -> None:
    """Take the words, folder, variables and files of the stand-in; its exit code is sent by a process that waits."""
    files = array.array("i")
    _, ancillary, _, _ = client.recvmsg(1, socket.CMSG_LEN(3 * files.itemsize))
    files.frombytes(ancillary[0][2])
    with client.makefile("rb") as sent:
        words, folder, variables = cast("tuple[list[str], str, dict[str, str]]", marshal.loads(sent.read()))  # noqa: S302 - of our script
    if command := os.fork():
        _, status = os.waitpid(command, 0)
        client.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        os._exit(0)
    client.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    sys.argv = words
    sys.stdin, sys.stdout, sys.stderr = _text(0, "r"), _text(1, "w"), _text(2, "w")


def _text(number: int, mode: str) -> IO[str]:
    return open(number, mode, encoding="utf-8", errors="backslashreplace" if number == 2 else None, closefd=False)


def _run() -> int:
    """Run the command; its exit code."""
    try:
        main()
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


if __name__ == "__main__":
    serve(sys.argv[1])
    # To take all modules down would cost more than most commands.
    os._exit(_run())
