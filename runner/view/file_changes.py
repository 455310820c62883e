"""What an edit made of its file, as differences."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.report.export import Record
from runner.view.unified import UnifiedLine, unified

# More lines of a difference are cut, unless all is asked for.
MOST_LINES = 2_000


@dataclass(frozen=True, slots=True)
class FileDifference:
    """The difference of two files; `left_out` counts the lines that are not shown."""

    title: str
    lines: tuple[UnifiedLine, ...]
    added: int = 0
    removed: int = 0
    left_out: int = 0


def file_changes(record: Record, file: tuple[str, Sequence[str]] | None, *, whole: bool) -> list[FileDifference]:
    """Return the difference of a file before and after, and of a wrong result that of the expected file and it."""
    edited = record["edited_file"]
    if file is None or edited is None:
        return []
    original, expected = file
    changes = [_difference("Before and after", original, edited, whole=whole)]
    if record["equals_expected"] is False and expected:
        changes.append(_difference("Expected and after", expected[0], edited, whole=whole))
    return changes


def _difference(title: str, before: str, after: str, *, whole: bool) -> FileDifference:
    lines = unified(before, after)
    kept = lines if whole else lines[:MOST_LINES]
    added, removed = (sum(line.sign == sign for line in lines) for sign in "+-")
    return FileDifference(title, kept, added, removed, len(lines) - len(kept))
