"""Writes a bundle: the same run gives the same bytes."""

import hashlib
import os
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO

import msgspec

from runner.bundles.form import (
    ASKED,
    DIGEST_LENGTH,
    FORMAT,
    LARGEST_MEMBER,
    MANIFEST,
    REPLAY,
    REPORT,
    RUN,
    STREAM_BYTES,
    STREAMS,
    TABLES,
    TEXTS,
    VERSION,
    Manifest,
    MemberFacts,
    Redaction,
)
from runner.bundles.lines import json_data, line_of
from runner.bundles.part import RunPart
from runner.errors import InputError
from runner.input_files import in_megabytes
from runner.storage.store import Row, Store

# Any moment does: that of the writing would make each file another one.
_MOMENT = (1980, 1, 1, 0, 0, 0)
_PIECE = 1 << 20
ReportOf = Callable[[Row], object]
Put = Callable[[bytes], object]


@dataclass(slots=True)
class _Member:
    """A member being written, or only counted where nobody keeps it."""

    name: str
    file: IO[bytes] | None
    size: int = 0
    sha256: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def put(self, data: bytes) -> None:
        self.size += len(data)
        if self.size > LARGEST_MEMBER:
            larger = f"{self.name} would be larger than {in_megabytes(LARGEST_MEMBER)}"
            raise InputError(f"bundle: {larger}; leave the bytes of answers out with --redact streams")
        self.sha256.update(data)
        if self.file is not None:
            self.file.write(data)


class _Writer:
    """Writes members, to a zip file or to nowhere, and keeps what the manifest says of them."""

    def __init__(self, archive: zipfile.ZipFile | None) -> None:
        self._archive = archive
        self.facts: dict[str, MemberFacts] = {}

    @contextmanager
    def member(self, name: str) -> Iterator[Put]:
        if self._archive is None:
            member = _Member(name, None)
            yield member.put
        else:
            with self._archive.open(_info(name), "w") as file:
                member = _Member(name, file)
                yield member.put
        self.facts[name] = MemberFacts(member.sha256.hexdigest(), member.size)


def _info(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type = zipfile.ZIP_DEFLATED
    # Made on Unix, wherever it is made: the system would be a byte of the file.
    info.create_system = 3
    info.external_attr = 0o644 << 16
    return info


def write_bundle(store: Store, run: Row, path: Path, redacted: Sequence[Redaction], report_of: ReportOf) -> int:
    """Write a run to a file, with the run that it replays; return the file's size in bytes.

    `report_of` gives the figures of a run as JSON data. The file takes its name once it is whole. Raises InputError.
    """
    try:
        with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            try:
                _write(store, run, file, tuple(sorted(set(redacted))), report_of)
                # A temporary file is the owner's alone.
                Path(file.name).chmod(0o666 & ~_umask())
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
        return path.stat().st_size
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror}); name another file with -o") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(store: Store, run: Row, file: IO[bytes], redacted: tuple[Redaction, ...], report_of: ReportOf) -> None:
    with store.snapshot():
        parts = parts_of(store, run)
        with zipfile.ZipFile(file, "w", compresslevel=6) as archive:
            writer = _Writer(archive)
            for part, row in parts.items():
                _write_part(writer, part, RunPart(store, row["run_id"], asked_by(row), redacted), row["run_id"])
                with writer.member(f"{part}/{REPORT}") as put:
                    # Without cases or answers no figure can be recomputed, and a report may quote them.
                    put(line_of({"report": json_data(report_of(row)) if {*redacted} <= {"streams"} else None}))
            runs = {part: str(row["run_id"]) for part, row in parts.items()}
            manifest = Manifest(FORMAT, VERSION, _version(), run["suite"], runs, redacted, writer.facts)
            archive.writestr(_info(MANIFEST), msgspec.json.format(msgspec.json.encode(manifest), indent=1))
            archive.comment = b"0" * DIGEST_LENGTH
    _sign(file)


def parts_of(store: Store, run: Row) -> dict[str, Row]:
    """Return the runs of a bundle by folder: the run, and before it the one that it replays."""
    if run["replay_of"] is None:
        return {ASKED: run}
    (source,) = store.rows("SELECT * FROM runs WHERE run_id = ?", run["replay_of"])
    return {ASKED: source, REPLAY: run}


def asked_by(run: Row) -> str:
    """Return the id of the run that asked for the answers that a run scores."""
    return str(run["replay_of"] or run["run_id"])


def part_facts(store: Store, run: Row, part: str, as_run_id: str) -> dict[str, MemberFacts]:
    """Return what a manifest would say of a run under this id, but for its report; nothing is written."""
    writer = _Writer(None)
    _write_part(writer, part, RunPart(store, run["run_id"], asked_by(run)), as_run_id)
    return writer.facts


def _write_part(writer: _Writer, name: str, part: RunPart, as_run_id: str) -> None:
    with writer.member(f"{name}/{RUN}") as put:
        put(line_of(part.run_row(as_run_id)))
    for table in TABLES:
        with writer.member(f"{name}/{table}.jsonl") as put:
            for row in part.rows(table):
                put(line_of(row))
    with writer.member(f"{name}/{TEXTS}") as put:
        for digest, text in part.texts():
            put(line_of({"digest": digest, "text": text}))
    with writer.member(f"{name}/{STREAMS}") as put:
        for stream in part.streams():
            pieces = [(piece.at_ns // 1000, len(piece.data)) for piece in stream.pieces]
            put(line_of({"answer": stream.answer, "wire": stream.wire, "pieces": pieces}))
    with writer.member(f"{name}/{STREAM_BYTES}") as put:
        for stream in part.streams():
            put(b"".join(piece.data for piece in stream.pieces))


def _sign(file: IO[bytes]) -> None:
    """Write the digest of all bytes before it to the end of the file."""
    digest, left = hashlib.sha256(), file.seek(0, os.SEEK_END) - DIGEST_LENGTH
    file.seek(0)
    while left > 0:
        data = file.read(min(_PIECE, left))
        digest.update(data)
        left -= len(data)
    file.seek(-DIGEST_LENGTH, os.SEEK_END)
    file.write(digest.hexdigest().encode())
    file.flush()


def _version() -> str:
    from importlib.metadata import version

    return version("evals")
