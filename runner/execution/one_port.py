"""A program that becomes another one, which can connect by TCP to one port only: for agents in weak cells.

It asks the kernel for Landlock's rules of networks (https://docs.kernel.org/userspace-api/landlock.html), of Linux 6.7
and later. Its arguments are an address with the port, and the words of the command. Nothing of ours is imported. It
ends with 125 where the kernel does not know these rules.
"""

import ctypes
import os
import sys

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_OF_A_PORT, _CONNECT, _NO_NEW_PRIVS = 2, 1 << 1, 38
_BROKEN = 125


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64))


class _Port(ctypes.Structure):
    _fields_ = (("allowed", ctypes.c_uint64), ("number", ctypes.c_uint64))


def restrict(port: int) -> None:
    """Let this process, and all that it starts, connect to this port alone, whatever the machine. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)

    def call(result: int) -> int:
        if result < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return result

    rules = _Rules(0, _CONNECT)
    ruleset = call(libc.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(ctypes.sizeof(rules)), 0))
    call(libc.syscall(_ADD_RULE, ruleset, _OF_A_PORT, ctypes.byref(_Port(_CONNECT, port)), 0))
    call(libc.prctl(_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))))
    call(libc.syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)


def main() -> None:
    """Restrict this process and become the command."""
    address, command = sys.argv[1], sys.argv[2:]
    try:
        restrict(int(address.split("/")[2].rpartition(":")[2]))
    except OSError as error:
        sys.stderr.write(f"one port: {error}\n")
        sys.exit(_BROKEN)
    try:
        os.execvp(command[0], command)  # noqa: S606 - running commands is the purpose
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
