"""JSON lines from a file, a gzip file or standard input, with errors that name file, line, field and fix."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import orjson

from runner.errors import InputError
from runner.input_files import LINE_LIMITS, LineLimits, limited_lines, open_input
from runner.json_texts import parse_json


@dataclass(frozen=True, slots=True)
class Row:
    """One object and where it stands, such as `answers.jsonl:12`."""

    where: str
    values: dict[str, Any]

    def text(self, field: str) -> str:
        """Return a field that must be there and be a string."""
        return cast("str", self._typed(field, str, "a string"))

    def flag(self, field: str) -> bool:
        """Return a field that must be there and be true or false."""
        return cast("bool", self._typed(field, bool, "true or false"))

    def optional_text(self, field: str) -> str | None:
        """Return a field that may be missing or null, else a string."""
        return None if self.values.get(field) is None else self.text(field)

    def texts(self, field: str, plural: str) -> tuple[str, ...]:
        """One string under `field`, or a list of them, not empty, under `plural`."""
        if plural not in self.values:
            return (self.text(field),)
        values = self._typed(plural, list, "a list of strings")
        if not values or not all(isinstance(value, str) for value in values):
            raise InputError(f"{self.where}: field {plural!r} must be a list of strings with at least one in it")
        return tuple(values)

    def _typed(self, field: str, kind: type, description: str) -> Any:  # noqa: ANN401 - the caller names the type
        if field not in self.values:
            known = ", ".join(map(repr, list(self.values)[:12])) or "none"
            raise InputError(f"{self.where}: field {field!r} is missing; add it (there are: {known})")
        if not isinstance(self.values[field], kind):
            raise InputError(
                f"{self.where}: field {field!r} must be {description}, not {type(self.values[field]).__name__}"
            )
        return self.values[field]


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a file, one a line, blank lines skipped; `-` is standard input, `.gz` is unpacked.

    Raises InputError naming the file and the line.
    """
    for row in each_row(path):
        if isinstance(row, InputError):
            raise row
        yield row


def each_row(path: Path, limits: LineLimits = LINE_LIMITS) -> Iterator[Row | InputError]:
    """Yield the same, but a line that is not an object gives its error: a check of a file reports all faults.

    Raises InputError for a file that cannot be read, is no regular file or is above the limits.
    """
    for number, line in enumerate(_lines(path, limits), 1):
        if not line.strip():
            continue
        try:
            yield _row(f"{path}:{number}", line)
        except InputError as error:
            yield error


def _row(where: str, line: bytes) -> Row:
    try:
        values = parse_json(line)
    except orjson.JSONDecodeError as error:
        raise InputError(f"{where}: not JSON ({error}); write one object a line") from None
    if not isinstance(values, dict):
        raise InputError(f"{where}: an object is needed, not {type(values).__name__}; write one object a line")
    return Row(where, values)


def _lines(path: Path, limits: LineLimits) -> Iterator[bytes]:
    if str(path) == "-":
        # Standard input may be a pipe, of which the limits hold as well.
        yield from _readable(path, limited_lines(sys.stdin.buffer, "-", limits))
        return
    with ExitStack() as opened:
        yield from _readable(path, _file_lines(path, limits, opened))


def _file_lines(path: Path, limits: LineLimits, opened: ExitStack) -> Iterator[bytes]:
    file = opened.enter_context(open_input(path))
    packed = path.suffix == ".gz"
    yield from limited_lines(gzip.GzipFile(fileobj=file) if packed else file, str(path), limits)


def _readable(path: Path, lines: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the lines; what reading them raises, as an InputError."""
    try:
        yield from lines
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: not a whole gzip file ({error}); pack it again") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a file of JSON lines") from None
