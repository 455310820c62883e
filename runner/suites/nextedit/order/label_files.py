"""Files of labelled pairs of edits.

One JSON object per line (`.xz` is unpacked): `id`, `message`, `files` with `path`, `before` and `after` (null where the
file is absent), `edits` with `file_path` and `parent_version_range`, and `pairs`, whose keys `"0-3"` name two edits and
whose values say what they have to do with each other; a pair that is not named is unrelated. Edits are git's own; where
the annotators cut otherwise, theirs with their `child_version_range` count, if they make one version the other.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from runner.errors import InputError
from runner.inflating import LARGEST_STORED, DamagedError, unpacked_xz
from runner.input_files import read_bytes
from runner.json_texts import parse_json
from runner.suites.nextedit.bundle_fields import FieldError, check_files, check_text, form_of
from runner.suites.nextedit.bundles import Bundle, commits_of
from runner.suites.nextedit.commits import Commit, Limits, Origin, Refused, Span, Touched
from runner.suites.nextedit.order.graph import Pair
from runner.suites.nextedit.order.labels import LabelledCommit
from runner.suites.nextedit.order.own_edits import OwnEdit, commit_with

_ANY_SIZE = Limits(min_edits=0, max_edits=1_000_000, max_files=1_000_000)
# EditFlow's words for what two edits have to do with each other, and whether that is anything.
_WORDS = {"bi-directional": True, "0 before 1": True, "1 before 0": True, "no relation": False}
_DIGITS = 10


class LabelledEditRow(msgspec.Struct, frozen=True):
    """An edit of a line of labels."""

    file_path: str
    parent_version_range: Span
    child_version_range: Span | None = None


class LabelRow(msgspec.Struct, frozen=True, kw_only=True):
    """A line of labels."""

    id: str
    message: str = ""
    files: tuple[Touched, ...]
    edits: tuple[LabelledEditRow, ...]
    pairs: dict[str, object]


class _UnfitError(ValueError):
    """The edits of a line are no cut of its texts."""


def read_labels(path: Path, skip: Callable[[str], object] | None = None) -> Iterator[LabelledCommit]:
    """The labelled commits of a file.

    A line whose edits do not make one version of its files the other goes to `skip`, and left out. Raises InputError
    naming line, field and fix; without `skip` also for such a line.
    """
    rows: list[tuple[int, LabelRow]] = []
    for number, content in _objects(path):
        with _line(path, number):
            rows.append((number, _row(content)))
    if not rows:
        raise InputError(f"{path}: holds no labels; write one JSON object per line")
    bundles = [Bundle(Origin(row.id, ""), row.message, row.files) for _, row in rows]
    for (number, row), bundle, commit in zip(rows, bundles, commits_of(bundles, _ANY_SIZE), strict=True):
        with _line(path, number):
            try:
                labelled = _labelled(row, bundle, commit)
            except _UnfitError as error:
                if skip is None:
                    raise FieldError(str(error)) from error
                skip(f"{path}: line {number}: {error}")
                continue
        yield labelled


@contextmanager
def _line(path: Path, number: int) -> Iterator[None]:
    """Name the line in what is wrong with it."""
    try:
        yield
    except FieldError as error:
        raise InputError(f"{path}: line {number}: {error}") from error


def _objects(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    try:
        data = unpacked_xz(read_bytes(path)) if path.suffix == ".xz" else read_bytes(path, LARGEST_STORED)
    except OSError as error:
        raise InputError(f"{path}: no readable labels ({error.strerror})") from error
    except DamagedError as error:
        raise InputError(f"{path}: no readable labels ({error})") from error
    for number, line in enumerate(data.split(b"\n"), 1):
        if line.strip():
            try:
                row: object = parse_json(line, json.loads)
            except ValueError as error:
                raise InputError(f"{path}: line {number}: no readable JSON ({error})") from error
            if not isinstance(row, dict):
                raise InputError(f"{path}: line {number}: no JSON object; write one per labelled commit")
            yield number, row


def _row(content: dict[str, object]) -> LabelRow:
    row = form_of(content, LabelRow)
    check_text("id", row.id)
    check_text("message", row.message)
    check_files(row.files)
    return row


def _labelled(row: LabelRow, bundle: Bundle, commit: Commit | Refused) -> LabelledCommit:
    edits = [OwnEdit(edit.file_path, edit.parent_version_range, edit.child_version_range) for edit in row.edits]
    related = _related(row.pairs, len(edits))
    if isinstance(commit, Refused):
        raise _UnfitError(f"no tree can hold the files of the field files: {commit.reason} {commit.detail}")
    cut_commit = _cut(bundle, commit, edits)
    if cut_commit is None:
        raise _UnfitError(
            "field edits does not list the edits that git's diff gives for the files, nor others that make of before "
            "what after is"
        )
    cut, places = cut_commit
    return LabelledCommit(
        bundle.origin.sha, cut, frozenset(_pair(places[first], places[second]) for first, second in related)
    )


def _cut(bundle: Bundle, commit: Commit, edits: Sequence[OwnEdit]) -> tuple[Commit, list[int]] | None:
    """The commit with the listed edits, git's or their own, and their numbers in it; None if they fit neither way."""
    for version in (commit, commit_with(bundle, edits)):
        places = _places(version, edits) if version is not None else None
        if version is not None and places is not None:
            return version, places
    return None


def _places(commit: Commit, edits: Sequence[OwnEdit]) -> list[int] | None:
    """The numbers that the listed edits have in the commit; None if they are not its edits."""
    known = {(edit.path, edit.parent): edit.idx for edit in commit.edits}
    places = [known.get((edit.path, edit.parent)) for edit in edits]
    if len(places) != len(known) or set(places) != set(known.values()):
        return None
    return [place for place in places if place is not None]


def _related(pairs: dict[str, object], size: int) -> frozenset[Pair]:
    """The pairs that people relate. Raises FieldError for other words, and for a pair named twice by other words."""
    answers: dict[Pair, object] = {}
    for key, word in pairs.items():
        pair = _pair_of(key, size)
        if not isinstance(word, str) or word not in _WORDS:
            raise FieldError(f"field pairs says {word!r} of {key!r}; the words are {', '.join(map(repr, _WORDS))}")
        if _WORDS[word] is not answers.setdefault(pair, _WORDS[word]):
            raise FieldError(f"field pairs calls {key!r} related and unrelated")
    return frozenset(pair for pair, related in answers.items() if related)


def _pair_of(key: str, size: int) -> Pair:
    # More digits than that are no number of an edit, and int() refuses very many.
    numbers = [
        int(number) for number in key.split("-") if number.isascii() and number.isdecimal() and len(number) < _DIGITS
    ]
    if len(numbers) != 2 or key.count("-") != 1 or numbers[0] == numbers[1] or max(numbers) >= size:
        raise FieldError(f"field pairs has {key!r}, which names no two of the {size} edits")
    return _pair(*numbers)


def _pair(first: int, second: int) -> Pair:
    return min(first, second), max(first, second)
