"""JSON lines from a file, a gzip file or standard input, with errors that name file, line, field and mend."""

import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from runner.errors import InputError


@dataclass(frozen=True, slots=True)
class Row:
    """One object and where it stands, such as `answers.jsonl:12`."""

    where: str
    values: dict[str, Any]

    def text(self, field: str) -> str:
        """A field that must be there and be a string."""
        return cast("str", self._typed(field, str, "a string"))

    def flag(self, field: str) -> bool:
        """A field that must be there and be true or false."""
        return cast("bool", self._typed(field, bool, "true or false"))

    def optional_text(self, field: str) -> str | None:
        """A field that may be missing or null, else a string."""
        return None if self.values.get(field) is None else self.text(field)

    def texts(self, field: str, plural: str) -> tuple[str, ...]:
        """One string under `field`, or a list of them, not empty, under `plural`."""
        if plural not in self.values:
            return (self.text(field),)
        found = self._typed(plural, list, "a list of strings")
        if not found or not all(isinstance(one, str) for one in found):
            raise InputError(f"{self.where}: field {plural!r} must be a list of strings with at least one in it")
        return tuple(found)

    def _typed(self, field: str, kind: type, told: str) -> Any:  # noqa: ANN401 - the caller names the type
        if field not in self.values:
            known = ", ".join(map(repr, list(self.values)[:12])) or "none"
            raise InputError(f"{self.where}: field {field!r} is missing; add it (there are: {known})")
        if not isinstance(self.values[field], kind):
            raise InputError(f"{self.where}: field {field!r} must be {told}, not {type(self.values[field]).__name__}")
        return self.values[field]


def read_rows(path: Path) -> Iterator[Row]:
    """The objects of a file, one a line, blank lines skipped; `-` is standard input, `.gz` is unpacked.

    Raises InputError naming the file and the line.
    """
    for row in each_row(path):
        if isinstance(row, InputError):
            raise row
        yield row


def each_row(path: Path) -> Iterator[Row | InputError]:
    """The same, but for a line that is no object what is wrong with it: whoever checks a file wants to know of all.

    Raises InputError for a file that cannot be read.
    """
    for number, line in enumerate(_lines(path), 1):
        if not line.strip():
            continue
        try:
            yield _row(f"{path}:{number}", line)
        except InputError as error:
            yield error


def _row(where: str, line: bytes) -> Row:
    try:
        values = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error}); write one object a line") from None
    if not isinstance(values, dict):
        raise InputError(f"{where}: an object is needed, not {type(values).__name__}; write one object a line")
    return Row(where, values)


def _lines(path: Path) -> Iterable[bytes]:
    if str(path) == "-":
        return sys.stdin.buffer
    try:
        data = path.read_bytes()
        return (gzip.decompress(data) if path.suffix == ".gz" else data).split(b"\n")
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a whole gzip file ({error}); pack it again") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a file of JSON lines") from None
