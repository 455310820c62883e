"""Files of labelled pairs of edits.

One JSON object per line (`.xz` is unpacked): `id`, `message`, `files` with `path`, `before` and `after` (null where the
file is absent), `edits` with `file_path` and `parent_version_range` as git's diff has them, and `pairs`, whose keys
`"0-3"` name the related edits; a pair that is not named is unrelated.
"""

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runner.errors import InputError
from runner.suites.next_edit.bundles import Bundle, commits_of
from runner.suites.next_edit.commits import Commit, Limits, Origin, Touched, is_inside
from runner.suites.next_edit.order.graph import Pair
from runner.suites.next_edit.order.labels import Labelled

_ANY_SIZE = Limits(min_edits=0, max_edits=1_000_000, max_files=1_000_000)
Row = dict[str, object]


class _FaultError(ValueError):
    """What is wrong with a line."""


def read_labels(path: Path) -> Iterator[Labelled]:
    """The labelled commits of a file. Raises InputError naming line, field and mend."""
    rows = list(_rows(path))
    if not rows:
        raise InputError(f"{path}: holds no labels; write one JSON object per line")
    bundles = []
    for number, row in rows:
        with _line(path, number):
            bundles.append(_bundle(row))
    for (number, row), commit in zip(rows, commits_of(bundles, _ANY_SIZE), strict=True):
        assert isinstance(commit, Commit)
        with _line(path, number):
            labelled = _labelled(row, commit)
        yield labelled


@contextmanager
def _line(path: Path, number: int) -> Iterator[None]:
    """Name the line in what is wrong with it."""
    try:
        yield
    except _FaultError as error:
        raise InputError(f"{path}: line {number}: {error}") from error


def _rows(path: Path) -> Iterator[tuple[int, Row]]:
    try:
        data = lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()
    except (OSError, lzma.LZMAError) as error:
        raise InputError(f"{path}: no readable labels ({error})") from error
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                row: object = json.loads(line)
            except ValueError as error:
                raise InputError(f"{path}: line {number}: no readable JSON ({error})") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}: line {number}: no JSON object; write one per labelled commit")
            yield number, row


def _bundle(row: Row) -> Bundle:
    name, message = _text(row, "id"), _text({"message": "", **row}, "message")
    files = tuple(_touched(each) for each in _objects(row, "files"))
    if len({each.path for each in files}) != len(files):
        raise _FaultError("field files names a path twice")
    return Bundle(Origin(name, ""), message, files)


def _labelled(row: Row, commit: Commit) -> Labelled:
    pairs = _part(row, "pairs")
    if not isinstance(pairs, dict):
        raise _FaultError('field pairs is no object with keys such as "0-3"')
    ranges = [_range(each) for each in _objects(row, "edits")]
    if [(edit.path, edit.parent.start, edit.parent.end) for edit in commit.edits] != ranges:
        raise _FaultError("field edits does not list the edits that git's diff gives for the files")
    return Labelled(str(row["id"]), commit, frozenset(_pair(key, len(commit.edits)) for key in pairs))


def _part(row: Row, field: str) -> object:
    if field not in row:
        raise _FaultError(f"field {field} is missing")
    return row[field]


def _text(row: Row, field: str) -> str:
    text = _part(row, field)
    if not isinstance(text, str):
        raise _FaultError(f"field {field} is no text")
    return text


def _objects(row: Row, field: str) -> Iterator[Row]:
    listed = _part(row, field)
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        raise _FaultError(f"field {field} is no list of objects")
    yield from listed


def _touched(each: Row) -> Touched:
    path = _text(each, "path")
    if not is_inside(path):
        raise _FaultError(f"field path is {path!r}, which is no relative path inside a tree")
    before, after = _part(each, "before"), _part(each, "after")
    if not isinstance(before, str | None) or not isinstance(after, str | None) or not (before or after):
        raise _FaultError(f"fields before and after of {path} are no texts (null where the file is absent)")
    return Touched(path, before, after)


def _range(edit: Row) -> tuple[str, int, int]:
    span = _part(edit, "parent_version_range")
    start, end = (span.get("start"), span.get("end")) if isinstance(span, dict) else (None, None)
    if not isinstance(start, int) or not isinstance(end, int):
        raise _FaultError("field parent_version_range has no numbers start and end")
    return _text(edit, "file_path"), start, end


def _pair(key: str, size: int) -> Pair:
    one, _, two = key.partition("-")
    if not (one.isdecimal() and two.isdecimal() and max(int(one), int(two)) < size and int(one) != int(two)):
        raise _FaultError(f"field pairs has {key!r}, which names no two of the {size} edits")
    return min(int(one), int(two)), max(int(one), int(two))
