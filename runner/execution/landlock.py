"""A program that becomes another one, which can write in some places only: for machines without namespaces.

It asks the kernel for Landlock (https://docs.kernel.org/userspace-api/landlock.html), gives up all capabilities, and
needs no permission for either. Its arguments are three numbers: of places that can be written, of hidden places, and of
places in those which are seen all the same; then these, and the words of the command.
Nothing of ours is imported. It ends with 125 where the kernel does not know Landlock.
"""

import ctypes
import os
import sys

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_ASK_VERSION, _BENEATH = 1, 1
_CAPBSET_DROP, _NO_NEW_PRIVS, _CAP_AMBIENT, _CLEAR_ALL = 24, 38, 47, 4
_CAPABILITIES_V3 = 0x20080522
# Rights that change files, by the version that they came with. Of a file, not a folder, the first and truncation.
_WRITE_FILE, _READ_FILE, _TRUNCATE = 1 << 1, 1 << 2, 1 << 14
_FIRST = _WRITE_FILE | sum(1 << bit for bit in range(4, 13))
_LATER = ((2, 1 << 13), (3, _TRUNCATE))
_SIGNALS, _ABSTRACT_SOCKETS = 1 << 1, 1
# With these, networks and signals have rules: Linux 6.7 and 6.12.
PORTS_VERSION, SIGNALS_VERSION = 4, 6
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty")
_BROKEN = 125

_libc = ctypes.CDLL(None, use_errno=True)


class _Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _Place(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


def version() -> int:
    """Return the version of Landlock that the kernel knows, 0 for none."""
    return max(0, _version()) if sys.platform == "linux" else 0


def _version() -> int:
    return int(_libc.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION))


def restrict(places: list[str], hidden: list[str], visible: list[str]) -> None:
    """Let this process, and all that it starts, change files in these places alone, and read none that are hidden.

    What is hidden can be listed all the same. What others make later beside it, or above, cannot be read either. Raises
    OSError.
    """
    known = _call(_version())
    rights = _FIRST | sum(right for since, right in _LATER if known >= since) | (_READ_FILE if hidden else 0)
    scoped = _SIGNALS | _ABSTRACT_SOCKETS if known >= SIGNALS_VERSION else 0
    rules = _Rules(rights, 0, scoped)
    # An older kernel knows the first fields only.
    size = ctypes.sizeof(rules) if scoped else ctypes.sizeof(ctypes.c_uint64)
    ruleset = _call(_libc.syscall(_CREATE, ctypes.byref(rules), ctypes.c_size_t(size), 0))
    for place in places:
        _allow(ruleset, place, rights)
    for place in filter(os.path.exists, _DEVICES):
        _allow(ruleset, place, rights & (_WRITE_FILE | _TRUNCATE | _READ_FILE))
    for place in (*visible, *_not_hidden(hidden)):
        try:
            _allow(ruleset, place, _READ_FILE)
        except OSError:
            # It has gone, or may not be read anyway.
            continue
    _call(_libc.prctl(_NO_NEW_PRIVS, *map(ctypes.c_ulong, (1, 0, 0, 0))))
    _call(_libc.syscall(_RESTRICT, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, place: str, rights: int) -> None:
    folder = os.open(place, os.O_PATH | os.O_CLOEXEC)
    try:
        rights = rights if os.path.isdir(place) else rights & (_WRITE_FILE | _READ_FILE | _TRUNCATE)  # noqa: PTH112 - starts sooner without pathlib
        _call(_libc.syscall(_ADD_RULE, ruleset, _BENEATH, ctypes.byref(_Place(rights, folder)), 0))
    finally:
        os.close(folder)


def _not_hidden(hidden: list[str]) -> list[str]:
    """Return the uppermost places that hold nothing hidden; none where nothing is. A rule holds for all beneath."""
    above, open_places, pending = {"/"}, list[str](), ["/"] if hidden else []
    for place in hidden:
        names = place.split("/")
        above.update("/".join(names[:depth]) for depth in range(2, len(names)))
    while pending:
        place = pending.pop()
        if place in hidden:
            continue
        if place not in above:
            open_places.append(place)
            continue
        try:
            # A link leads to what has a rule of its own, or is hidden.
            pending += [entry.path for entry in os.scandir(place) if not entry.is_symlink()]
        except OSError:
            continue
    return open_places


def drop_capabilities() -> None:
    """Give up all capabilities for good: what root may do beyond its own files."""
    capability = 0
    while _libc.prctl(_CAPBSET_DROP, *map(ctypes.c_ulong, (capability, 0, 0, 0))) == 0:
        capability += 1
    _libc.prctl(_CAP_AMBIENT, *map(ctypes.c_ulong, (_CLEAR_ALL, 0, 0, 0)))
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITIES_V3, 0), (ctypes.c_uint32 * 6)()
    _call(_libc.capset(ctypes.byref(header), ctypes.byref(none)))


def _call(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def main() -> None:
    """Restrict this process and become the command."""
    numbers, words = [int(number) for number in sys.argv[1:4]], sys.argv[4:]
    places, hidden, visible = (words[sum(numbers[:group]) : sum(numbers[: group + 1])] for group in range(3))
    command = words[sum(numbers) :]
    try:
        restrict(places, hidden, visible)
        drop_capabilities()
    except OSError as error:
        sys.stderr.write(f"landlock: {error}\n")
        sys.exit(_BROKEN)
    try:
        os.execvp(command[0], command)  # noqa: S606 - running commands is the purpose
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    main()
