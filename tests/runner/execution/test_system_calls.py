"""Which system calls the filter of weak cells refuses: what it says of each, and what the kernel makes of it."""

import errno
import json
import os
import subprocess
import sys

import pytest

from runner.execution.isolation import SYSTEM_CALLS
from runner.execution.system_calls import instructions

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOWED = 0
# As the kernel's tables have them: the call, its numbers on x86_64 and on aarch64, its first argument, the answer.
CALLS = [
    ("add_key", 248, 217, 0, errno.EPERM),
    ("request_key", 249, 218, 0, errno.EPERM),
    ("keyctl", 250, 219, 0, errno.EPERM),
    ("bpf", 321, 280, 0, errno.EPERM),
    ("perf_event_open", 298, 241, 0, errno.EPERM),
    ("unshare", 272, 97, 0, errno.EPERM),
    ("setns", 308, 268, 0, errno.EPERM),
    ("io_uring_setup", 425, 425, 0, errno.EPERM),
    ("userfaultfd", 323, 282, 0, errno.EPERM),
    ("pidfd_getfd", 438, 438, 0, errno.EPERM),
    ("clone3", 435, 435, 0, errno.ENOSYS),
    ("clone of a thread", 56, 220, 0x003D0F00, ALLOWED),
    ("clone with a user namespace", 56, 220, 0x10000011, errno.EPERM),
    ("socket of files", 41, 198, 1, ALLOWED),
    ("socket of IPv4", 41, 198, 2, errno.EAFNOSUPPORT),
    ("socket of IPv6", 41, 198, 10, errno.EAFNOSUPPORT),
    ("socket of the kernel", 41, 198, 16, errno.EAFNOSUPPORT),
    ("getpid", 39, 172, 0, ALLOWED),
    ("kill", 62, 129, 0, ALLOWED),
    ("execve", 59, 221, 0, ALLOWED),
]
ASK = """
import ctypes, json, sys
libc = ctypes.CDLL(None, use_errno=True)
print(json.dumps([0 if libc.syscall(number, first, -1, -1, -1, -1) >= 0 else ctypes.get_errno()
                  for number, first in json.loads(sys.argv[1])]))
"""


def answer(machine: str, call: int, *arguments: int, network: str = "no-network", architecture: int = 0) -> int:
    """What the filter says of a call: an error number, or 0; the kernel's machine, as far as the filter uses it."""
    data = {0: call, 4: architecture or ARCHITECTURES[machine]}
    data |= {16 + 8 * place: (*arguments, 0, 0, 0, 0)[place] & 0xFFFFFFFF for place in range(4)}
    loaded, place, program = 0, 0, instructions(machine, network)
    while True:
        operation, if_so, if_not, operand = program[place]
        place += 1
        if operation == 0x20:
            loaded = data[operand]
        elif operation == 0x54:
            loaded &= operand
        elif operation == 0x06:
            return 0 if operand == 0x7FFF0000 else operand & 0xFFFF
        else:
            tests = {0x15: loaded == operand, 0x35: loaded >= operand, 0x45: bool(loaded & operand)}
            place += if_so if tests[operation] else if_not


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("name, x86_64, aarch64, first, expected", CALLS, ids=[call[0] for call in CALLS])
def test_the_filter_refuses_what_it_should_and_nothing_else(
    machine: str, name: str, x86_64: int, aarch64: int, first: int, expected: int
) -> None:
    number = {"x86_64": x86_64, "aarch64": aarch64}[machine]

    assert answer(machine, number, first) == expected
    assert answer(machine, number, first, network="network") == (ALLOWED if name.startswith("socket") else expected)


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    "arguments, expected",
    [
        pytest.param((1, 2, 0), ALLOWED, id="of files"),
        pytest.param((16, 0x80003, 0), ALLOWED, id="of the kernel"),
        pytest.param((2, 0x80801, 0), ALLOWED, id="TCP"),
        pytest.param((10, 1, 6), ALLOWED, id="TCP by name"),
        pytest.param((2, 2, 0), errno.EAFNOSUPPORT, id="UDP"),
        pytest.param((10, 0x80002, 17), errno.EAFNOSUPPORT, id="UDP by name"),
        pytest.param((2, 3, 1), errno.EAFNOSUPPORT, id="raw"),
        pytest.param((2, 1, 262), errno.EAFNOSUPPORT, id="TCP of several paths"),
        pytest.param((2, 1, 132), errno.EAFNOSUPPORT, id="SCTP"),
        pytest.param((40, 1, 0), errno.EAFNOSUPPORT, id="of virtual machines"),
    ],
)
def test_of_sockets_those_of_tcp_are_left(machine: str, arguments: tuple[int, ...], expected: int) -> None:
    assert answer(machine, {"x86_64": 41, "aarch64": 198}[machine], *arguments, network="tcp") == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("x86_64, aarch64, place", [(44, 206, 3), (46, 211, 2), (307, 269, 3)])
def test_no_message_opens_a_connection_of_tcp(machine: str, x86_64: int, aarch64: int, place: int) -> None:
    number, before = {"x86_64": x86_64, "aarch64": aarch64}[machine], (0,) * place

    assert answer(machine, number, *before, 0x20004000, network="tcp") == errno.EPERM
    assert answer(machine, number, *before, 0x4000, network="tcp") == ALLOWED


def test_calls_of_another_set_are_refused() -> None:
    assert answer("x86_64", 39 | 0x40000000, 0) == errno.EPERM
    assert answer("x86_64", 39, 0, architecture=0x40000003) == errno.EPERM


def test_the_kernel_does_as_the_filter_says() -> None:
    machine = os.uname().machine
    if sys.platform != "linux" or machine not in ARCHITECTURES:
        pytest.skip("the filter is for Linux on x86_64 and aarch64")
    column = list(ARCHITECTURES).index(machine) + 1
    asked = [(call[column], call[3]) for call in CALLS if call[4] != ALLOWED]
    words = [sys.executable, "-I", "-S", "-c", ASK, json.dumps(asked)]

    filtered, free = (
        json.loads(subprocess.run([*entering, *words], capture_output=True, check=True).stdout)
        for entering in ([sys.executable, "-I", "-S", str(SYSTEM_CALLS), "no-network"], [])
    )

    assert filtered == [call[4] for call in CALLS if call[4] != ALLOWED]
    # Without the filter some of them are answered otherwise wherever this runs: to leave no namespace is permitted.
    assert free != filtered
