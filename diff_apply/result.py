"""The result of applying a diff: the edited text with a record for each block, or an error with its reason."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Reason(StrEnum):
    """The reason why a diff is rejected."""

    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    OVERLAP = "overlap"
    UNCLOSED = "unclosed"
    EXTRA_MARKER = "extra_marker"
    MISSING_MARKER = "missing_marker"
    LEFTOVER_MARKER = "leftover_marker"
    EMPTY_SEARCH = "empty_search"
    MALFORMED = "malformed"


class Method(StrEnum):
    """How the place of a block is matched, strictest first."""

    EMPTY_FILE = "empty_file"
    WHOLE_FILE = "whole_file"
    EXACT = "exact"
    LINE_ENDS = "line_ends"
    TRIMMED = "trimmed"
    ANCHOR = "anchor"
    SIMILAR = "similar"
    EXACT_ELSEWHERE = "exact_elsewhere"


@dataclass(frozen=True, slots=True)
class Placed:
    """One applied block: `original[start:end]` (code points, clamped to the text) became `replacement`.

    `similarity` is 0..1, or None if the method compares only for equality; `block` counts the blocks of the diff
    from 1, or is None if the algorithm does not number them.
    """

    start: int
    end: int
    replacement: str
    method: Method
    similarity: float | None = None
    block: int | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """The edited text and its applied blocks, in the order of the file."""

    text: str
    blocks: tuple[Placed, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """The most similar place for a SEARCH without a match.

    Lines are 1-based and inclusive; `difference` is the first line of the file that differs: `actual`, not `expected`.
    """

    first_line: int
    last_line: int
    similarity: float
    difference: int
    expected: str
    actual: str


class DiffError(Exception):
    """The only error a diff algorithm may raise; `block` counts from 1, None if no block is at fault."""

    def __init__(
        self, reason: Reason, message: str, *, block: int | None = None, nearest: Candidate | None = None
    ) -> None:
        """Keep the reason, the block and the nearest place beside the message."""
        super().__init__(message)
        self.reason = reason
        self.block = block
        self.nearest = nearest


class DiffAlgorithm(Protocol):
    """Applies a SEARCH/REPLACE diff to a text; pure; raises only DiffError."""

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Return the edited text; with `final` false the diff may continue. Raises only DiffError."""
        ...
