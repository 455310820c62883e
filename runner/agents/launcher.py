"""Starts an agent within its cell: opens the loopback port of the metering proxy and passes it to the runner.

Run as `python -c SOURCE FD BYTES TASK COMMAND...`, so that the cell needs nothing of ours. A socket belongs to the
network in which it was made: the runner answers at the port without being in the cell, and nothing stays between the
two. `{proxy}` in variables and words stands for the URL of the port, `{task}` in words for the task, if there is one.
The runner gets the end of a second channel as well, on which it reads why the agent could not start; the channel closes
when the agent has started.
"""

import os
import resource
import socket
import sys


def launch(fd: int, file_bytes: int, task: str, words: list[str]) -> None:
    """Open the port, pass it, and become the agent."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)
    receiver, failing = socket.socketpair()
    with socket.socket(fileno=fd) as runner:
        socket.send_fds(runner, [b"!"], [listener.fileno(), receiver.fileno()])
        # The runner says when it has seen the cell.
        runner.recv(1)
    receiver.close()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    environment = {name: value.replace("{proxy}", url) for name, value in os.environ.items()}
    words = [word.replace("{proxy}", url) for word in words]
    words = [word.replace("{task}", task) for word in words] if task else words
    try:
        os.execvpe(words[0], words, environment)  # noqa: S606 - no shell is wanted
    except OSError as error:
        failing.sendall(str(error).encode("utf-8", "replace"))


if __name__ == "__main__":
    launch(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:])
