"""Groups of processes with bounds that hold for all of them together: how many they are, and how much memory they use.

Both versions of the kernel's interface are known: in the first each controller has a tree of groups of its own.
"""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from runner.execution import stale_dirs

PLACES = (Path("/sys/fs/cgroup/pids"), Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup"))
PROCESSES = "pids.max"
MEMORY = "memory.limit_in_bytes"
_MEMORY_NOW = "memory.max"
_PATIENCE_S = 30.0


def first_with(file: str) -> Path | None:
    """Return the folder in which groups with the bound `file` can be made; None where none exists or permits it."""
    return next((place for place in PLACES if _may(place, {file: "1000000000" if file == MEMORY else "2"})), None)


def _may(place: Path, bounds: Mapping[str, str]) -> bool:
    # A folder that is no group at all would give plain folders.
    try:
        with group(place, bounds):
            return True
    except OSError:
        return False


def sweep() -> None:
    """Remove groups of processes that were killed: the kernel has ended what was in them."""
    for place in PLACES:
        stale_dirs.sweep(place, Path.rmdir)


@contextmanager
def group(parent: Path, bounds: Mapping[str, str]) -> Iterator[Path]:
    """Make a group in a folder of groups, with bounds by the names of their files; it is removed once it is empty.

    Raises OSError where it cannot be made, or lacks one of the bounds.
    """
    cgroup = Path(tempfile.mkdtemp(prefix=stale_dirs.prefix("cell"), dir=parent))
    try:
        for name, value in bounds.items():
            # Opened without creating: where the kernel did not make it, nothing would be bound by it.
            with (cgroup / _here(cgroup, name)).open("r+") as bound:
                bound.write(value)
        yield cgroup
    finally:
        _remove(cgroup)


def _here(cgroup: Path, name: str) -> str:
    """Return the name of a bound's file in the version of the interface that the group is of."""
    return _MEMORY_NOW if name == MEMORY and not (cgroup / name).exists() else name


def _remove(cgroup: Path) -> None:
    """Remove a group once its last process has gone, for which the kernel may need a moment."""
    until = monotonic() + _PATIENCE_S
    while True:
        try:
            cgroup.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if monotonic() > until:
                raise
            sleep(0.002)
        else:
            return
