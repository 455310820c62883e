"""Entries that could not be written to the database, in a file that the next session of the run merges.

The file is one line with the format's version, then frames: length and CRC-32 of the payload (big-endian, 4 bytes
each), and the payload, MessagePack. The first payload is the run, each further one an entry. A file may end within a
frame, when the process was killed; that frame is dropped.
"""

import hashlib
import os
import secrets
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from msgspec import DecodeError, Struct, to_builtins
from msgspec.msgpack import Decoder, Encoder

from runner.errors import InputError
from runner.input_files import MEGABYTE, open_input
from runner.json_texts import readable
from runner.storage.entries import Answered, Lasting
from runner.user_folders import state_folder

_MAGIC = b"evals-spill 1\n"
_FRAME = struct.Struct(">II")
# An answer has at most 32 MB, its text, its reasoning and its stream are three copies, and each piece has a time.
_LARGEST_FRAME = 512 * MEGABYTE
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_INTEGERS = range(-(2**63), 2**63)


class SpilledRun(Struct, frozen=True):
    """Which run the entries of a file belong to."""

    run_id: str


_encoder = Encoder()
_entry_decoder: Decoder[Lasting] = Decoder(Lasting)
_run_decoder = Decoder(SpilledRun)


@dataclass(slots=True)
class Spill:
    """Keeps entries of a run in new files: in the first of the folders that takes them.

    `answers` counts the answers that were kept, `lost` those that no folder took.
    """

    run_id: str
    places: list[Path]
    files: list[Path] = field(default_factory=list)
    entries: int = 0
    answers: int = 0
    lost: int = 0
    _file: BinaryIO | None = None

    def keep(self, entries: Iterable[Lasting]) -> None:
        """Append entries, and have the disk keep them."""
        for entry in entries:
            frame = _framed(_encoded(entry))
            while not self._append(frame):
                if not self._open_next():
                    self.lost += isinstance(entry, Answered)
                    break
            else:
                self.entries += 1
                self.answers += isinstance(entry, Answered)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            with suppress(OSError):
                self._file.close()

    def _append(self, frame: bytes) -> bool:
        """Write a frame, whole or not at all; return whether that worked."""
        if self._file is None:
            return False
        end = os.fstat(self._file.fileno()).st_size
        with suppress(OSError):
            # A full disk takes a part of it.
            if self._file.write(frame) == len(frame):
                os.fsync(self._file.fileno())
                return True
        with suppress(OSError):
            self._file.truncate(end)
        return False

    def _open_next(self) -> bool:
        """Begin a file in the next folder; return whether there was one left."""
        self.close()
        self._file = None
        if not self.places:
            return False
        path = self.places.pop(0)
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = os.fdopen(os.open(path, _NEW_FILE, 0o600), "wb", buffering=0)
        except OSError:
            return True
        if self._append(_MAGIC + _framed(_encoder.encode(SpilledRun(self.run_id)))):
            self.files.append(path)
        else:
            self.close()
            self._file = None
            path.unlink(missing_ok=True)
        return True


def new_spill(db: Path, run_id: str) -> Spill:
    """Return where entries of a run can be kept: beside its database, else in the user's state folder."""
    name = f"{secrets.token_hex(4)}"
    return Spill(run_id, [folder / f"{prefix}{name}" for folder, prefix in _places(db, run_id)])


def spill_files(db: Path, run_id: str) -> list[Path]:
    """Return the files with entries of a run that wait to be merged. Links are passed over."""
    return [
        path
        for folder, prefix in _places(db, run_id)
        if folder.is_dir()
        for path in sorted(folder.iterdir())
        if path.name.startswith(prefix) and path.is_file() and not path.is_symlink()
    ]


def _places(db: Path, run_id: str) -> Iterator[tuple[Path, str]]:
    """Yield folders, each with the beginning of the names of a run's files there."""
    db = db.resolve()
    run = _short_digest(run_id)
    yield db.parent, f"{db.name}-spill-{run}-"
    with suppress(InputError):
        yield state_folder(os.environ) / "spill", f"{_short_digest(str(db))}-{run}-"


def _short_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def read_spill(path: Path, run_id: str) -> Iterator[Lasting | None]:
    """Yield the entries of a file; None for one that is damaged.

    Raises InputError for a file that cannot be read, is of another run, or was written by another version of evals.
    """
    try:
        with open_input(path) as file:
            if file.readline(len(_MAGIC)) != _MAGIC:
                raise InputError(f"{path}: is no file of entries of this version of evals; upgrade evals, or remove it")
            payloads = _payloads(file)
            if _run_of(next(payloads, None)) != run_id:
                raise InputError(f"{path}: is not of run {run_id}; remove it")
            for payload in payloads:
                yield None if payload is None else _decoded(payload)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); make it readable, or remove it") from error


def answers_waiting(db: Path, run_id: str) -> int:
    """Return how many answers of a run wait in files. Files that cannot be read count as none."""
    count = 0
    for path in spill_files(db, run_id):
        with suppress(InputError):
            count += sum(isinstance(entry, Answered) for entry in read_spill(path, run_id))
    return count


def waiting_note(db: Path, run_id: str) -> str:
    """Return a line about the answers of a run that wait to be merged; "" if there are none."""
    count = answers_waiting(db, run_id)
    if not count:
        return ""
    return (
        f"run {run_id}: {count} answers could not be written to the database and wait in a file;"
        f" resume the run to merge them (the same command with --run-id {run_id})"
    )


def _payloads(file: BinaryIO) -> Iterator[bytes | None]:
    """Yield whole frames; None for one with a wrong checksum. Ends at a frame without an end."""
    while len(head := file.read(_FRAME.size)) == _FRAME.size:
        length, checksum = _FRAME.unpack(head)
        payload = file.read(length) if length <= _LARGEST_FRAME else b""
        if len(payload) < length:
            return
        yield payload if zlib.crc32(payload) == checksum else None


def _run_of(payload: bytes | None) -> str | None:
    try:
        return None if payload is None else _run_decoder.decode(payload).run_id
    except DecodeError:
        return None


def _decoded(payload: bytes) -> Lasting | None:
    try:
        return _entry_decoder.decode(payload)
    except (DecodeError, RecursionError):
        return None


def _framed(payload: bytes) -> bytes:
    return _FRAME.pack(len(payload), zlib.crc32(payload)) + payload


def _encoded(entry: Lasting) -> bytes:
    try:
        return _encoder.encode(entry)
    except (UnicodeEncodeError, OverflowError):
        return _encoder.encode(_encodable(to_builtins(entry, builtin_types=(bytes,))))


def _encodable(value: object) -> object:
    """Return the value with what MessagePack can hold: half surrogate pairs become "?", larger integers unknown."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, int) and value not in _INTEGERS:
        return None
    if isinstance(value, dict):
        return {key: _encodable(item) for key, item in value.items()}
    return (
        [_encodable(item) for item in value] if isinstance(value, Sequence) and not isinstance(value, bytes) else value
    )
