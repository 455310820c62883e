"""A program that becomes another one, which the kernel refuses some system calls: for machines without namespaces.

It installs a filter (https://docs.kernel.org/userspace-api/seccomp_filter.html), for which it needs no permission. What
Landlock refuses by itself is not repeated: to trace what runs outside, and to mount. Its arguments are `network` or
`no-network`, and the words of the command. Nothing of ours is imported. It ends with 125 where there can be no filter.
"""

import ctypes
import errno
import os
import struct
import sys

# By architecture: the number that the kernel has for it, then those of the calls in the order of `_REFUSED`.
_REFUSED = (
    *("add_key", "request_key", "keyctl", "bpf", "perf_event_open"),
    *("unshare", "setns", "io_uring_setup", "userfaultfd", "pidfd_getfd"),
)
_ARCHITECTURES = {
    "x86_64": (0xC000003E, (248, 249, 250, 321, 298, 272, 308, 425, 323, 438), {"socket": 41, "clone": 56}),
    "aarch64": (0xC00000B7, (217, 218, 219, 280, 241, 97, 268, 425, 282, 438), {"socket": 198, "clone": 220}),
}
_CLONE3 = 435
# Calls of another set, with 32 bits in an address, have this bit on x86_64.
_OTHER_SET = 0x40000000
_NEW_NAMESPACES = 0x7E020000
_UNIX = 1
# The form of what a filter is asked about: the call, the architecture, where it was made, its arguments.
_CALL, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16 if sys.byteorder == "little" else 20
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2
_BROKEN = 125

Instruction = tuple[int, int, int, int]


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def instructions(machine: str, *, network: bool) -> list[Instruction]:
    """Return the filter of an architecture: operation, jumps if so and if not, operand. Raises KeyError for others."""
    architecture, numbers, special = _ARCHITECTURES[machine]
    refused = (_RETURN, 0, 0, _ERROR | errno.EPERM)
    rows: list[Instruction] = [(_LOAD, 0, 0, _ARCHITECTURE), (_JUMP_EQUAL, 1, 0, architecture), refused]
    rows += [(_LOAD, 0, 0, _CALL), (_JUMP_AT_LEAST, 0, 1, _OTHER_SET), refused]
    for number in numbers:
        rows += [(_JUMP_EQUAL, 0, 1, number), refused]
    # Its arguments cannot be looked at; a program that gets no such call uses `clone`.
    rows += [(_JUMP_EQUAL, 0, 1, _CLONE3), (_RETURN, 0, 0, _ERROR | errno.ENOSYS)]
    rows += [(_JUMP_EQUAL, 0, 3, special["clone"]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
    rows += [(_JUMP_ANY_BIT, 0, 1, _NEW_NAMESPACES), refused, (_LOAD, 0, 0, _CALL)]
    if not network:
        rows += [(_JUMP_EQUAL, 0, 3, special["socket"]), (_LOAD, 0, 0, _FIRST_ARGUMENT)]
        rows += [(_JUMP_EQUAL, 1, 0, _UNIX), (_RETURN, 0, 0, _ERROR | errno.EAFNOSUPPORT)]
    return [*rows, (_RETURN, 0, 0, _ALLOW)]


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
    network, command = sys.argv[1] == "network", sys.argv[2:]
    try:
        install(instructions(os.uname().machine, network=network))
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
