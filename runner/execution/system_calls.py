"""A program that becomes another one, which the kernel refuses some system calls: for machines without namespaces.

It installs a filter (https://docs.kernel.org/userspace-api/seccomp_filter.html), for which it needs no permission. What
Landlock refuses by itself is not repeated: to trace what runs outside, and to mount. Its arguments are `network`,
`tcp` or `no-network`, and the words of the command. Nothing of ours is imported. It ends with 125 where there can be no
filter.
"""

import ctypes
import errno
import os
import struct
import sys

# By architecture: the number that the kernel has for it, then those of the calls in the order of `_REFUSED`, then those
# of calls whose arguments decide.
_REFUSED = (
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open"),
    *("unshare", "setns", "io_uring_setup", "userfaultfd", "pidfd_getfd"),
)
_LOOKED_AT = ("socket", "clone", "sendto", "sendmsg", "sendmmsg")
_ARCHITECTURES = {
    "x86_64": (0xC000003E, (248, 249, 250, 321, 298, 272, 308, 425, 323, 438), (41, 56, 44, 46, 307)),
    "aarch64": (0xC00000B7, (217, 218, 219, 280, 241, 97, 268, 425, 282, 438), (198, 220, 206, 211, 269)),
}
_CLONE3 = 435
# Calls of another set, with 32 bits in an address, have this bit on x86_64.
_OTHER_SET = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_UNIX, _KERNEL, _INTERNET = 1, 16, (2, 10)
_STREAM, _TYPE, _TCP, _FAST_OPEN = 1, 0xF, 6, 0x20000000
NETWORKS = ("network", "tcp", "no-network")
# The form of what a filter is asked about: the call, the architecture, where it was made, its arguments.
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16 if sys.byteorder == "little" else 20
_SECOND_ARGUMENT, _THIRD_ARGUMENT, _FOURTH_ARGUMENT = (_FIRST_ARGUMENT + 8 * place for place in (1, 2, 3))
_LOAD, _AND, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NO_FAMILY = (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_BROKEN = 125

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def instructions(machine: str, network: str) -> list[Instruction]:
    """Return the filter of an architecture: operation, jumps if so and if not, operand. Raises KeyError for others.

    `network` is one of NETWORKS: all sockets, those of TCP, of files and of the kernel, or those of files alone.
    """
    architecture, numbers, looked_at = _ARCHITECTURES[machine]
    special = dict(zip(_LOOKED_AT, looked_at, strict=True))
    flags = {"sendto": _FOURTH_ARGUMENT, "sendmsg": _THIRD_ARGUMENT, "sendmmsg": _FOURTH_ARGUMENT}
    messages = [(special[name], argument) for name, argument in flags.items()]
    refused = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    rows: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, architecture), refused]
    rows += [(_LOAD, 0, 0, _CALL), (_JUMP_AT_LEAST, 0, 1, _OTHER_SET), refused]
    for number in numbers:
        rows += [(_JUMP_EQUAL, 0, 1, number), refused]
    # Its arguments cannot be looked at; a program that gets no such call uses `clone`.
    rows += [(_JUMP_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    rows += [(_JUMP_EQUAL, 0, 3, special["clone"]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    rows += [(_JUMP_ANY_BIT, 0, 1, _NEW_NAMESPACES), refused, (_LOAD, 0, 0, _CALL)]
    if network == "tcp":
        rows += [row for number, flags in messages for row in _without_fast_open(number, flags)]
    if network != "network":
        sockets = _of_files() if network == "no-network" else _of_tcp()
        rows += [(_JUMP_EQUAL, 1, 0, special["socket"]), (_RETURN, 0, 0, _ALLOW), *sockets]
    return [*rows, (_RETURN, 0, 0, _ALLOW)]


def _of_files() -> list[Instruction]:
    """Return what refuses sockets but those of files."""
    return [(_LOAD, 0, 0, _FIRST_ARGUMENT), (_JUMP_EQUAL, 1, 0, _UNIX), _NO_FAMILY]


def _of_tcp() -> list[Instruction]:
    """Return what refuses sockets but those of files, of the kernel, and of TCP, whose ports Landlock has rules for."""
    allowed, first, second = (_RETURN, 0, 0, _ALLOW), *_INTERNET
    return [
        *((_LOAD, 0, 0, _FIRST_ARGUMENT), (_JUMP_EQUAL, 0, 1, _UNIX), allowed, (_JUMP_EQUAL, 0, 1, _KERNEL), allowed),
        *((_JUMP_EQUAL, 2, 0, first), (_JUMP_EQUAL, 1, 0, second), _NO_FAMILY),
        *((_LOAD, 0, 0, _SECOND_ARGUMENT), (_AND, 0, 0, _TYPE), (_JUMP_EQUAL, 1, 0, _STREAM), _NO_FAMILY),
        *((_LOAD, 0, 0, _THIRD_ARGUMENT), (_JUMP_EQUAL, 2, 0, 0), (_JUMP_EQUAL, 1, 0, _TCP), _NO_FAMILY),
    ]


def _without_fast_open(number: int, flags: int) -> list[Instruction]:
    """Return what keeps a message from opening a connection, which no rule would see."""
    refused = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    return [
        *((_JUMP_EQUAL, 0, 3, number), (_LOAD, 0, 0, flags), (_JUMP_ANY_BIT, 0, 1, _FAST_OPEN), refused),
        (_LOAD, 0, 0, _CALL),
    ]


def install(rows: list[Instruction]) -> None:
    """Filter the calls of this process and of all that it starts. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    packed = b"".join(struct.pack("=HBBI", *instruction) for instruction in rows)
    program = _Program(len(rows), packed)
    for words in ((_NO_NEW_PRIVS, 1, 0), (_SET_SECCOMP, _FILTER, ctypes.addressof(program))):
        if libc.prctl(words[0], *map(ctypes.c_ulong, (*words[1:], 0, 0))) < 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))


def main() -> None:
    """Filter the calls of this process and become the command."""
    network, command = sys.argv[1], sys.argv[2:]
    try:
        install(instructions(os.uname().machine, network))
    except (OSError, KeyError) as error:
        sys.stderr.write(f"no filter of system calls: {error}\n")
        sys.exit(_BROKEN)
    try:
        os.execvp(command[0], command)  # noqa: S606 - running commands is the purpose
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
