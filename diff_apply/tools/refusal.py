"""Why an edit tool refuses an edit, and what is left in the files after it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from diff_apply.result import DiffError, Reason

Files = Mapping[str, str]
"""Texts by path."""


class Cause(StrEnum):
    """What an edit tool finds wrong, as precise as the tool itself is."""

    # The place.
    NO_MATCH = "no_match"
    NOT_FOUND = "not_found"
    LINES_NOT_FOUND = "lines_not_found"
    CONTEXT_NOT_FOUND = "context_not_found"
    CONTEXT = "context"
    EOF_CONTEXT = "eof_context"
    NOT_UNIQUE = "not_unique"
    STALE_HASH = "stale_hash"
    STALE_TAG = "stale_tag"
    TAG_MISSING = "tag_missing"
    SPAN_TOO_LARGE = "span_too_large"
    # Line numbers.
    LINE_OUT_OF_RANGE = "line_out_of_range"
    REVERSED_RANGE = "reversed_range"
    BAD_RANGE = "bad_range"
    BAD_INSERT_LINE = "bad_insert_line"
    OVERLAP = "overlap"
    # The file.
    FILE_MISSING = "file_missing"
    PATH_MISSING = "path_missing"
    READ_FAILED = "read_failed"
    DELETE_FAILED = "delete_failed"
    EXISTS = "exists"
    # The form of the answer.
    MISSING_FILENAME = "missing_filename"
    MISSING_DIVIDER = "missing_divider"
    MISSING_END = "missing_end"
    BEGIN_MARKER = "begin_marker"
    END_MARKER = "end_marker"
    BAD_HEADER = "bad_header"
    BAD_LINE = "bad_line"
    BAD_ADD_LINE = "bad_add_line"
    EMPTY_HUNK = "empty_hunk"
    EMPTY_UPDATE = "empty_update"
    EMPTY_SECTION = "empty_section"
    NO_FILES = "no_files"
    BAD_ANCHOR = "bad_anchor"
    BODY_NOT_ALLOWED = "body_not_allowed"
    EMPTY_INSERT = "empty_insert"
    ORPHAN_ROW = "orphan_row"
    UNKNOWN_COMMAND = "unknown_command"
    MISSING_PARAM = "missing_param"
    BAD_PARAM = "bad_param"
    EMPTY_SEARCH = "empty_search"
    # What would change nothing.
    IDENTICAL = "identical"
    NO_CHANGE = "no_change"
    MV_SAME = "mv_same"
    # Beyond the original: a bound on the work, and what the checked form of a tool does not do.
    TOO_MUCH_WORK = "too_much_work"
    DAMAGE = "damage"


_REASONS = {
    Cause.NO_MATCH: Reason.NO_MATCH,
    Cause.NOT_FOUND: Reason.NO_MATCH,
    Cause.LINES_NOT_FOUND: Reason.NO_MATCH,
    Cause.CONTEXT_NOT_FOUND: Reason.NO_MATCH,
    Cause.CONTEXT: Reason.NO_MATCH,
    Cause.EOF_CONTEXT: Reason.NO_MATCH,
    Cause.STALE_HASH: Reason.NO_MATCH,
    Cause.STALE_TAG: Reason.NO_MATCH,
    Cause.SPAN_TOO_LARGE: Reason.NO_MATCH,
    Cause.LINE_OUT_OF_RANGE: Reason.NO_MATCH,
    Cause.BAD_INSERT_LINE: Reason.NO_MATCH,
    Cause.NOT_UNIQUE: Reason.AMBIGUOUS,
    Cause.OVERLAP: Reason.OVERLAP,
    Cause.EMPTY_SEARCH: Reason.EMPTY_SEARCH,
    Cause.MISSING_DIVIDER: Reason.MISSING_MARKER,
    Cause.MISSING_END: Reason.UNCLOSED,
    Cause.END_MARKER: Reason.UNCLOSED,
}


class EditError(DiffError):
    """An edit that a tool refuses; its reason follows from the cause. `block` counts the edits from 1."""

    def __init__(self, cause: Cause, message: str, *, block: int | None = None, lines: tuple[int, ...] = ()) -> None:
        """Keep the cause, and the lines (1-based, of the file or of the answer) that it names."""
        super().__init__(_REASONS.get(cause, Reason.MALFORMED), message, block=block)
        self.cause = cause
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Edited:
    """What a tool leaves behind: the new text by path, None = deleted, also after a refusal; none if all went well."""

    changed: Mapping[str, str | None]
    errors: tuple[EditError, ...] = ()


def changes_between(before: Files, after: Files) -> dict[str, str | None]:
    """Return the paths whose text differs, with their new text; None = deleted."""
    changed: dict[str, str | None] = {path: text for path, text in after.items() if before.get(path) != text}
    return changed | dict.fromkeys(before.keys() - after.keys())
