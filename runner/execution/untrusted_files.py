"""What something untrusted left on the disk: read and removed, whatever its kind, size, depth and modes."""

import os
import shutil
import stat
import subprocess
from contextlib import suppress
from pathlib import Path


def read_plain(path: Path, most: int) -> bytes | None:
    """Return the bytes of a file; None where there is no plain file, or one of more than so many bytes."""
    # Neither through a link nor waiting for someone to write.
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        about = os.fstat(file)
        if not stat.S_ISREG(about.st_mode) or about.st_size > most:
            return None
        with os.fdopen(file, "rb", closefd=False) as opened:
            return opened.read()
    finally:
        os.close(file)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder with all that is in it."""
    if path.is_symlink() or not path.is_dir():
        path.unlink()
        return
    with suppress(OSError, RecursionError):
        shutil.rmtree(path)
        return
    # Programs that go down step by step: Python gives paths as a whole, of which the kernel takes 4096 bytes.
    for words in (["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        subprocess.run([*words, "--", str(path)], check=False, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603 - our own words
