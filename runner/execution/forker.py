"""A program that runs pytest again and again, each time in a fork of itself, so that it is imported only once.

It runs inside the tested interpreter and inside a privileged cell; nothing of ours can be imported there, and the
interpreter may be as old as 3.9. Before the first run it imports pytest and its plugins and nothing of the repository.
Each run has a cell of its own within: namespaces for processes, mounts, network and IPC, no capabilities, no open file
but its output, a session of its own. So it can neither see, signal nor trace what it was forked from.

It is read from standard input; `argv[1]` is the descriptor of a socket. To that goes a list of the top-level names that
are imported; then each message from it brings three files (the order as JSON; standard output; standard error) and is
answered by how the run ended.
"""

import ctypes
import fcntl
import gc
import json
import os
import resource
import runpy
import select
import signal
import socket
import struct
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

_NEW_MOUNTS, _NEW_IPC, _NEW_PIDS, _NEW_NET = 0x00020000, 0x08000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _BIND, _REC = 1, 2, 4, 8, 0x1000, 0x4000
_PDEATHSIG, _CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT, _CLEAR_ALL = 1, 24, 38, 47, 4
_CAPABILITIES_V3 = 0x20080522
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 1
_WARM = "def test_good(): assert 1\ndef test_bad(): assert [1] == [2]\n"
_BROKEN = 125

_libc = ctypes.CDLL(None, use_errno=True)


def warm() -> None:
    """Run pytest on two tests of ours, so that all is imported which any run needs."""
    import pytest

    before = sys.path[:]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_warm.py").write_text(_WARM, encoding="ascii")
        words = ["-q", "-o", f"cache_dir={folder}/cache", f"--junit-xml={folder}/junit.xml", "-c", os.devnull]
        pytest.main([*words, "--rootdir", folder, folder])
    sys.stdout.flush()
    sys.path[:] = before
    sys.modules.pop("test_warm", None)
    if len([*Path("/proc/self/task").iterdir()]) > 1:
        sys.exit("a plug-in has started a thread, of which a fork would have no copy")
    gc.collect()
    gc.freeze()


def serve(channel: socket.socket) -> dict[str, Any]:
    """Fork for each message until there are no more; returns in the forks only, with what they are to do."""
    names = {name.partition(".")[0] for name in sys.modules} - {"__main__"}
    channel.send(json.dumps(sorted(names)).encode())
    while True:
        message, files, _, _ = socket.recv_fds(channel, 16, 3)
        if not message:
            sys.exit(0)
        # Each run has a fork of its own: a process that has made a namespace for its children cannot make another.
        keeper = os.fork()
        if keeper == 0:
            return _keep(channel, files)
        for file in files:
            os.close(file)
        if os.waitpid(keeper, 0)[1] != 0:
            channel.send(json.dumps({"broken": True}).encode())


def _keep(channel: socket.socket, files: list[int]) -> dict[str, Any]:
    """Start a run in a cell, wait for its end or its timeout, and report; returns only in the run itself."""
    with os.fdopen(files[0], "rb") as input_file:
        order: dict[str, Any] = json.load(input_file)
    started = time.monotonic()
    _call(_libc.unshare(_NEW_PIDS | _NEW_MOUNTS | _NEW_NET | _NEW_IPC))
    first = os.fork()
    if first == 0:
        return _begin(order, files[1:])
    ended = os.pidfd_open(first)
    late = _is_late(ended, channel, float(order["wall_s"]))
    if late:
        os.kill(first, signal.SIGKILL)
    _, status, usage = os.wait4(first, 0)
    code = -signal.SIGKILL if late else os.waitstatus_to_exitcode(status)
    spent = {"cpu_s": usage.ru_utime + usage.ru_stime, "wall_s": time.monotonic() - started}
    channel.send(json.dumps({"exit_code": code, "timed_out": late, **spent}).encode())
    os._exit(0)


def _is_late(ended: int, channel: socket.socket, wall_s: float) -> bool:
    """Wait for a process; True when its time is over, or when nobody waits for the answer any more."""
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(channel, select.POLLIN)
    events = waiting.poll(wall_s * 1000)
    return not any(file == ended for file, _ in events)


def _begin(order: dict[str, Any], files: list[int]) -> dict[str, Any]:
    """Be the first process of the cell, whose end is that of all others; returns in the run only."""
    try:
        _call(_libc.prctl(_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), *_longs(0, 0, 0)))
        os.setsid()
        _mount(b"proc", b"/proc", _RDONLY | _NOSUID | _NODEV | _NOEXEC, b"")
        _new_shared_memory(order["folder"])
        _loopback_up()
        _only(os.open(os.devnull, os.O_RDONLY), *files)
        # Without handlers of its own a first process gets no signal from within.
        handler = signal.signal(signal.SIGINT, signal.SIG_DFL)
        worker = os.fork()
        if worker == 0:
            signal.signal(signal.SIGINT, handler)
            _limit(order)
            _drop_privileges()
            return order
        os._exit(_reap(worker))
    except BaseException:  # noqa: BLE001 - whatever it was, nobody is there to catch it
        os._exit(_BROKEN)


def _reap(worker: int) -> int:
    """Wait for everyone; the worker's exit code, 128 more than its signal where one killed it."""
    while True:
        ended, status = os.wait()
        if ended == worker:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def _mount(kind: bytes, place: bytes, flags: int, data: bytes) -> None:
    _call(_libc.mount(kind, place, kind, ctypes.c_ulong(flags), data))


def _new_shared_memory(folder: str) -> None:
    """Mount an empty one; the run's folder stays where it is, even if that is in the old one."""
    os.chdir(folder)
    _mount(b"tmpfs", b"/dev/shm", _NOSUID | _NODEV, b"size=64m")
    if not Path(folder).exists():
        Path(folder).mkdir(parents=True)
        _call(_libc.mount(b".", os.fsencode(folder), None, ctypes.c_ulong(_BIND | _REC), None))


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, request))[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def _only(*files: int) -> None:
    """Make these the standard files, and close all others."""
    for number, file in enumerate(files):
        os.dup2(file, number)
    for path in [*Path("/proc/self/fd").iterdir()]:
        # The one that the list was read from is closed by now.
        if int(path.name) >= len(files):
            with suppress(OSError):
                os.close(int(path.name))


def _limit(order: dict[str, Any]) -> None:
    cpu_s = int(order["cpu_s"])
    # The signal of the timeout comes at the first bound, the one that kills at the second.
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    for kind, most in (
        (resource.RLIMIT_AS, order["memory_bytes"]),
        (resource.RLIMIT_FSIZE, order["file_bytes"]),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


def _drop_privileges() -> None:
    capability = 0
    while _libc.prctl(_CAPBSET_DROP, *_longs(capability, 0, 0, 0)) == 0:
        capability += 1
    _libc.prctl(_CAP_AMBIENT, *_longs(_CLEAR_ALL, 0, 0, 0))
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()
    _call(_libc.capset(ctypes.byref(header), ctypes.byref(none)))
    _call(_libc.prctl(_NO_NEW_PRIVS, *_longs(1, 0, 0, 0)))


def _longs(*numbers: int) -> list[ctypes.c_ulong]:
    return [ctypes.c_ulong(number) for number in numbers]


def _call(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def be_pytest(order: dict[str, Any]) -> None:
    """Be what `python -m pytest` would have been, had it been started in the folder with that environment."""
    os.environ.clear()
    os.environ.update(order["env"])
    os.chdir(order["cwd"])
    sys.path[:0] = [order["cwd"], *order["env"]["PYTHONPATH"].split(os.pathsep)]
    sys.path_importer_cache.clear()
    sys.argv = ["pytest", *order["words"]]
    runpy.run_module("pytest", run_name="__main__", alter_sys=True)


def main() -> None:
    """Warm up, serve, and be a run in every fork."""
    del sys.path[0]  # the folder it is started in
    channel = socket.socket(fileno=int(sys.argv[1]))
    warm()
    order = serve(channel)
    channel.detach()
    be_pytest(order)


if __name__ == "__main__":
    main()
