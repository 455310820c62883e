"""Names that state which process a folder belongs to, so that a later process can remove what a killed one left.

A folder is only taken for abandoned where that is sure: its owner was of our process namespace and user, and no process
of that number has run since the moment that the name states. The names of other users' folders mean nothing here.
"""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

_NAME = re.compile(r"\.?evals-([a-z]+)-([0-9a-f]+)-([0-9a-f]+)-([0-9a-f]+)-\w+")


def prefix(kind: str) -> str:
    """Return what the name of a folder of this process begins with; `kind` is a word in small letters."""
    pid = os.getpid()
    # Short, for tests make sockets below such folders, whose paths may have about a hundred letters.
    return f"evals-{kind}-{pid:x}-{_began(pid) or 0:x}-{_space():x}-"


def sweep(folder: Path, remove: Callable[[Path], None], kind: str | None = None) -> None:
    """Remove what processes that are gone have left in a folder, of one kind or any; what cannot be removed stays.

    A dot may stand before the name.
    """
    for path in _abandoned(folder, kind):
        with suppress(OSError):
            remove(path)


def _abandoned(folder: Path, kind: str | None) -> Iterator[Path]:
    try:
        paths = sorted(folder.iterdir())
    except OSError:
        return
    for path in paths:
        match = _NAME.fullmatch(path.name)
        if match is not None and kind in (None, match[1]) and _is_ours(path):
            pid, began, space = (int(number, 16) for number in match.groups()[1:])
            if space == _space() and _is_gone(pid, began):
                yield path


def _is_ours(path: Path) -> bool:
    """Return whether it is a folder, not a link to one, of the user that we are."""
    try:
        return path.is_dir() and not path.is_symlink() and path.lstat().st_uid == os.geteuid()
    except OSError:
        return False


def _is_gone(pid: int, began: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        pass
    # The number may belong to another process by now. Where nothing is known of it, the process may still exist.
    now = _began(pid)
    return now is not None and now != began


def _began(pid: int) -> int | None:
    """Return when a process began, in ticks since the start of the machine; None where that is unknown."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        # The second field is a name in brackets, with whatever in it.
        return int(stat.rpartition(")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return None


def _space() -> int:
    """Return the number of our process namespace; 0 on systems without."""
    try:
        return Path("/proc/self/ns/pid").stat().st_ino
    except OSError:
        return 0
