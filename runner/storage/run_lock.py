"""One session at a time per run: two at once would ask twice, and take each other's calls for lost."""

import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from runner.console import say
from runner.errors import InputError
from runner.storage.merging import merge_spills
from runner.storage.store import Store

_TAKEN = frozenset({errno.EACCES, errno.EAGAIN})
# A link that someone put there would have an empty file made wherever it leads. Windows has no such flag.
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)


@contextmanager
def opened(db: Path, run_id: str) -> Iterator[Store]:
    """Open a database and hold a run of it for this session; merge what an earlier session could not write.

    Raises InputError as `claimed` and `merge_spills` do.
    """
    with closing(Store.open(db)) as store, claimed(store.path, run_id):
        if line := merge_spills(store, run_id).line:
            say(line)
        yield store


@contextmanager
def claimed(db: Path, run_id: str) -> Iterator[None]:
    """Hold the run for this session, by a locked file beside the database that goes when the session ends.

    Links to the database are followed: all its names in this sense share the lock, as they share its log.

    The lock ends with the process, however that ends, and a file that a killed one leaves is taken over. Where the
    system knows no such locks nothing is held. Raises InputError where another session holds the run, and where the
    file cannot be made.
    """
    db = db.resolve()
    file = db.with_name(f"{db.name}-lock-{hashlib.sha256(run_id.encode()).hexdigest()[:8]}")
    descriptor = _taken(file, run_id)
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        os.close(descriptor)


def _taken(file: Path, run_id: str) -> int:
    while True:
        descriptor = _opened(file)
        try:
            _lock(descriptor)
            if _names(file, descriptor):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise InputError(
                f"--run-id {run_id}: another process is at work on this run; let it end, or stop it"
            ) from error
        # Its last holder took the file away between our opening and our locking it.
        os.close(descriptor)


def _opened(file: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT | _NO_LINK, 0o644)
    except OSError as error:
        raise InputError(f"{file}: cannot be made or opened ({error.strerror}); remove it") from error


def _lock(descriptor: int) -> None:
    """Raise OSError where another process has the lock."""
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network file systems have no locks at all.
        if error.errno in _TAKEN:
            raise


def _names(file: Path, descriptor: int) -> bool:
    """Return whether the file of this name is the one that is open."""
    try:
        return os.path.samestat(file.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
