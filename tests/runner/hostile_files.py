"""Files that no reader may wait for or take whole: a pipe nobody writes to, a link to a device, a huge sparse file."""

import os
from pathlib import Path

import zstandard

HOSTILE = {
    "a pipe": "not a regular file",
    "a link to an endless device": "not a regular file",
    "a huge file": "larger than",
}


def make_hostile(kind: str, path: Path) -> Path:
    """Make one of them at `path`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "a pipe":
        os.mkfifo(path)
    elif kind == "a link to an endless device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as file:
            file.truncate(10 << 30)
    return path


def bomb(size: int) -> bytes:
    """A few kilobytes that declare, and are, so many zero bytes."""
    packer = zstandard.ZstdCompressor(level=3).compressobj(size=size)
    piece = bytes(1 << 20)
    return b"".join(packer.compress(piece) for _ in range(size >> 20)) + packer.flush()
