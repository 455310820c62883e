"""What applying a diff gives: the edited text with a record per block, or an error that says why not."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Reason(StrEnum):
    """Why a diff was refused."""

    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"
    OVERLAP = "overlap"
    UNCLOSED = "unclosed"
    EXTRA_MARKER = "extra_marker"
    MISSING_MARKER = "missing_marker"
    EMPTY_SEARCH = "empty_search"
    MALFORMED = "malformed"


class Method(StrEnum):
    """How the place of a block was found, strictest first."""

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

    `similarity` is 0..1, or None where the method compares nothing beyond equality.
    """

    start: int
    end: int
    replacement: str
    method: Method
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """The edited text and what was placed where, in the order of the file."""

    text: str
    blocks: tuple[Placed, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """The place that comes nearest to a SEARCH that matched nothing.

    Lines are 1-based and inclusive; `difference` is the 1-based line of the file that differs first.
    """

    first_line: int
    last_line: int
    similarity: float
    difference: int
    expected: str
    found: str


class DiffError(Exception):
    """The only error a diff algorithm may raise; `block` counts from 1, None where no block is at fault."""

    def __init__(
        self, reason: Reason, message: str, *, block: int | None = None, nearest: Candidate | None = None
    ) -> None:
        """Keep the reason, the block and the nearest place beside the message."""
        super().__init__(message)
        self.reason = reason
        self.block = block
        self.nearest = nearest


class DiffAlgorithm(Protocol):
    """Applies a SEARCH/REPLACE diff to a text; pure, total but for DiffError."""

    def __call__(self, original: str, diff: str, *, final: bool = True) -> Applied:
        """Return the edited text; with `final` false the diff may go on. Raises DiffError, nothing else."""
        ...
