"""JSON lines from a file, a gzip file or standard input, with errors that name file, line, field and fix."""

import gzip
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import orjson

from runner.errors import InputError
from runner.input_files import LINE_LIMITS, LineLimits, limited_lines, open_input
from runner.json_texts import parse_json
from runner.structs import WrongField, converted

FormT = TypeVar("FormT")


@dataclass(frozen=True, slots=True)
class Row:
    """One object and where it stands, such as `answers.jsonl:12`."""

    where: str
    values: dict[str, Any]

    def read(self, form: type[FormT], remedy: str = "") -> FormT:
        """Return the object as a form of `runner.structs`. Raises InputError for the first field that does not fit.

        `remedy` is another way out than to fix the field, such as `build the data set again`.
        """
        return converted(self.values, form, lambda wrong: self._error(wrong, remedy))

    def _error(self, wrong: WrongField, remedy: str) -> InputError:
        field = f"field {wrong.path!r}" if wrong.path else "the object"
        otherwise = f", or {remedy}" if remedy else ""
        if wrong.problem == "is missing":
            present = ", ".join(map(repr, list(self.values)[:12])) or "none"
            otherwise += f" (there are: {present})"
        return InputError(f"{self.where}: {field} {wrong.problem}; {wrong.fix}{otherwise}")


def read_rows(path: Path) -> Iterator[Row]:
    """Yield the objects of a file, one a line, blank lines skipped; `-` is standard input, `.gz` is unpacked.

    Raises InputError naming the file and the line.
    """
    for row in each_row(path):
        if isinstance(row, InputError):
            raise row
        yield row


def each_row(
    path: Path, limits: LineLimits = LINE_LIMITS, parse: Callable[[bytes], object] = parse_json
) -> Iterator[Row | InputError]:
    """Yield the same, but a line that is not an object gives its error: a check of a file reports all faults.

    `parse` reads a line, and raises orjson.JSONDecodeError.

    Raises InputError for a file that cannot be read, is no regular file or is above the limits.
    """
    for number, line in enumerate(_lines(path, limits), 1):
        if not line.strip():
            continue
        try:
            yield _row(f"{path}:{number}", line, parse)
        except InputError as error:
            yield error


def _row(where: str, line: bytes, parse: Callable[[bytes], object]) -> Row:
    try:
        values = parse(line)
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
