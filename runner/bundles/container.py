"""Opens a bundle of unknown origin: its members by name, each within its size; nothing is unpacked to the disk."""

import hashlib
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from runner.bundles.form import (
    DIGEST_LENGTH,
    HARMLESS,
    LARGEST_MANIFEST,
    LARGEST_MEMBER,
    LINES,
    MANIFEST,
    MOST_RATIO,
    VERSION,
    Manifest,
    member_names,
)
from runner.errors import InputError
from runner.input_files import in_megabytes, limited_lines, open_input
from runner.json_texts import parse_json
from runner.structs import WrongField, converted

# The end of a zip file without extensions: its mark, two disks, entries here and in all, size and place of the
# directory, length of the comment.
_END = struct.Struct("<4sHHHHIIH")
_END_MARK = b"PK\5\6"
_MOST_ENTRIES = 64
_MOST_DIRECTORY = 64 << 10
_PIECE = 1 << 20
# What reading a damaged zip file raises: `zipfile` checks little of what it reads.
_DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    struct.error,
)


@dataclass(slots=True)
class Container:
    """A bundle whose directory and manifest have been read; `faults` are the digests that do not hold."""

    path: Path
    archive: zipfile.ZipFile
    manifest: Manifest
    faults: list[str] = field(default_factory=list)

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a member. Raises InputError."""
        with self._readable(name), self.archive.open(name) as file:
            yield from limited_lines(file, name, LINES)

    @contextmanager
    def reading(self, name: str) -> Iterator[IO[bytes]]:
        """Open a member, for `exactly`. Raises InputError for what is damaged."""
        with self._readable(name), self.archive.open(name) as file:
            yield file

    def check_digests(self) -> None:
        """Compare the digest of the file and of each member with what is on record; the faults name what differs."""
        with self._readable("the file"):
            if not _is_as_signed(self.path):
                self.faults.append("the file: is not as it was written (its digest differs)")
        for name, facts in self.manifest.members.items():
            digest, size = hashlib.sha256(), 0
            try:
                with self.reading(name) as file:
                    while data := file.read(_PIECE):
                        digest.update(data)
                        size += len(data)
            except InputError as error:
                self.faults.append(str(error).removeprefix(f"{self.path}: "))
                continue
            if (digest.hexdigest(), size) != (facts.sha256, facts.bytes):
                self.faults.append(f"{name}: is not as it was written (its digest differs)")

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        try:
            yield
        except _DAMAGED as error:
            raise damaged(self.path, f"{name} cannot be read: {_words(error)}") from None


def exactly(file: IO[bytes], size: int) -> bytes:
    """Return so many bytes of a member. Raises ValueError where it ends before; never asks for more than there are."""
    pieces = list[bytes]()
    while size > 0:
        data = file.read(min(size, _PIECE))
        if not data:
            raise ValueError("it ends too early")
        pieces.append(data)
        size -= len(data)
    return b"".join(pieces)


def damaged(path: Path, why: str) -> InputError:
    """Return the error for a file that is no bundle, or no longer one."""
    return InputError(f"{path}: no bundle of evals, or damaged ({why}); make it again with `evals bundle`")


@contextmanager
def opened_bundle(path: Path) -> Iterator[Container]:
    """Open a bundle. Raises InputError for what is none: a bomb, too many members or others than there have to be."""
    try:
        file = open_input(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); name a file that `evals bundle` wrote") from None
    with file:
        try:
            _check_end(file)
            archive = zipfile.ZipFile(file)
        except _DAMAGED as error:
            raise damaged(path, _words(error)) from None
        with archive:
            yield Container(path, archive, _manifest_of(path, archive))


def _check_end(file: IO[bytes]) -> None:
    """Raise ValueError for a file with a directory that is no bundle's: `zipfile` would read the whole of it."""
    length = _END.size + DIGEST_LENGTH
    size = file.seek(0, os.SEEK_END)
    if size < length:
        raise ValueError("it is too short")
    file.seek(-length, os.SEEK_END)
    mark, disk, first, here, entries, directory, place, comment = _END.unpack(file.read(_END.size))
    if mark != _END_MARK or comment != DIGEST_LENGTH:
        raise ValueError("it does not end as a bundle does")
    if disk or first or here != entries or entries > _MOST_ENTRIES or directory > _MOST_DIRECTORY:
        raise ValueError("it has more members than a bundle")
    if place + directory + length != size:
        raise ValueError("it has bytes that belong to no member")
    file.seek(0)


def _manifest_of(path: Path, archive: zipfile.ZipFile) -> Manifest:
    """Return the manifest, of a bundle whose members are those that there have to be."""
    entries = archive.infolist()
    for entry in entries:
        _check_entry(path, entry)
    if sum(entry.file_size for entry in entries) > max(HARMLESS, MOST_RATIO * path.stat().st_size):
        raise damaged(path, f"it would unpack to more than {MOST_RATIO} times its size")
    manifest = _parsed(path, archive)
    names, expected = [entry.filename for entry in entries], member_names(manifest.runs)
    if not expected or len(names) != len({*names}) or {*names} != {*expected, MANIFEST}:
        raise damaged(path, "its members are not those of a bundle")
    if {*manifest.members} != {*expected}:
        raise damaged(path, f"{MANIFEST} does not name its members")
    return manifest


def _parsed(path: Path, archive: zipfile.ZipFile) -> Manifest:
    try:
        with archive.open(MANIFEST) as file:
            values = parse_json(file.read(LARGEST_MANIFEST))
    except (*_DAMAGED, KeyError) as error:
        raise damaged(path, f"{MANIFEST} cannot be read: {_words(error)}") from None

    def wrong(field: WrongField) -> InputError:
        return InputError(f"{path}: {MANIFEST}: field {field.path!r} {field.problem}; {field.fix}")

    manifest = converted(values, Manifest, wrong)
    if manifest.version != VERSION:
        newer = f"{MANIFEST}: field 'version' is {manifest.version}, and this evals reads {VERSION}"
        raise InputError(f"{path}: {newer}; use the evals that wrote it ({manifest.evals[:20]!r})")
    return manifest


def _check_entry(path: Path, entry: zipfile.ZipInfo) -> None:
    """Raise InputError for a member that is too large, or would be unpacked to too much."""
    name = entry.filename[:80]
    if entry.file_size > LARGEST_MEMBER:
        raise damaged(path, f"{name!r} would unpack to more than {in_megabytes(LARGEST_MEMBER)}")
    if entry.file_size > max(HARMLESS, MOST_RATIO * entry.compress_size):
        raise damaged(path, f"{name!r} would unpack to more than {MOST_RATIO} times its size")
    if entry.flag_bits & 1:
        raise damaged(path, f"{name!r} is encrypted")


def _is_as_signed(path: Path) -> bool:
    """Return whether the comment at the end is the digest of all that stands before it."""
    with open_input(path) as file:
        left, digest = os.fstat(file.fileno()).st_size - DIGEST_LENGTH, hashlib.sha256()
        while left > 0:
            data = file.read(min(_PIECE, left))
            digest.update(data)
            left -= max(len(data), 1)
        return file.read() == digest.hexdigest().encode()


def _words(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error) or type(error).__name__
