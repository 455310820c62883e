"""Opens the files that a user names: regular files only, of a limited size.

What cannot be read is an OSError with words in `strerror`, so that each reader says what to give instead.
"""

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol

from runner.errors import InputError

MEGABYTE = 1 << 20
# The largest file that is read whole: a case, a bundle, a task, a price table.
LARGEST_FILE = 64 * MEGABYTE
# The largest file of settings, and the largest prompt.
LARGEST_SETTINGS = MEGABYTE


@dataclass(frozen=True, slots=True)
class LineLimits:
    """The most bytes that are read of a file of lines: of one line, and of all of them, unpacked."""

    line: int = 32 * MEGABYTE
    total: int = 1024 * MEGABYTE


LINE_LIMITS = LineLimits()


class Lines(Protocol):
    """A binary file, or what unpacks one."""

    def readline(self, size: int, /) -> bytes:
        """Return the next line with its end, or so many bytes of it; empty at the end."""
        ...


def open_input(path: Path) -> BinaryIO:
    """Return a regular file, or a link to one, to be read. Raises OSError, also for pipes, devices and sockets.

    Opening a pipe without a writer would wait for one; hence the descriptor is opened without waiting, then examined.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    raise OSError(errno.EINVAL, "not a regular file", str(path))


def read_bytes(path: Path, limit: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file. Raises OSError, also for a file of more than `limit` bytes."""
    with open_input(path) as file:
        # A file may be larger than its size says, and grow while it is read.
        is_small = os.fstat(file.fileno()).st_size <= limit
        data = file.read(limit + 1) if is_small else b""
    if not is_small or len(data) > limit:
        raise OSError(errno.EFBIG, f"larger than {in_megabytes(limit)}, the limit for such a file", str(path))
    return data


def input_bytes(path: Path, fix: str, limit: int = LARGEST_FILE) -> bytes:
    """Return the bytes of a regular file. Raises InputError, which ends with what the user can do, the `fix`."""
    try:
        return read_bytes(path, limit)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); {fix}") from None


def read_text(path: Path, limit: int = LARGEST_FILE) -> str:
    """Return the text of a regular file, each line end as a line feed. Raises OSError and UnicodeDecodeError."""
    return read_bytes(path, limit).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


def limited_lines(file: Lines, name: str, limits: LineLimits = LINE_LIMITS) -> Iterator[bytes]:
    """Yield the lines of a binary file with their ends. Raises OSError for a line, or a file, above the limits."""
    left, number = limits.total, 0
    while line := file.readline(limits.line + 1):
        number += 1
        left -= len(line)
        if len(line) > limits.line:
            why = f"line {number} is longer than {in_megabytes(limits.line)}, the limit for a line"
            raise OSError(errno.EFBIG, why, name)
        if left < 0:
            raise OSError(errno.EFBIG, f"larger than {in_megabytes(limits.total)}, the limit for a file of lines", name)
        yield line


def in_megabytes(size: int) -> str:
    """Return a size in words, such as `64 MB`."""
    return f"{size / MEGABYTE:g} MB"
