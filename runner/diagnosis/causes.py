"""The causes for which an edit fails: differences that a tool could forgive, and those that no tool can."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from itertools import combinations

from diff_apply.lines import BLANKS


class Relaxation(StrEnum):
    """A difference that a tool could forgive; the order is that in which smaller sets are preferred."""

    LINE_ENDS = "line ends"
    TRAILING_SPACE = "trailing space"
    INDENTATION = "indentation"
    QUOTES = "quotes and dashes"
    INVISIBLE = "invisible characters"
    ELIDED = "elided lines"
    LINE_OFF = "a line off"
    ORDER = "block order"
    MARKERS = "markers"
    SEVERAL = "several places"


class Unforgivable(StrEnum):
    """Why an answer fails under every relaxation."""

    IMAGINED = "stale or imagined text"
    WRONG_FILE = "wrong file"
    WRONG_INTENT = "wrong intent"
    NO_CALL = "no call"
    SEVERAL_CALLS = "several calls"
    CUT_OFF = "cut off"
    UNREADABLE = "unreadable blocks"
    EMPTY_SEARCH = "empty SEARCH"
    OVERLAP = "overlapping blocks"
    UNEXPLAINED = "not explained"


FOLDS = (
    Relaxation.LINE_ENDS,
    Relaxation.TRAILING_SPACE,
    Relaxation.INDENTATION,
    Relaxation.QUOTES,
    Relaxation.INVISIBLE,
)
_RANKS = {relaxation: rank for rank, relaxation in enumerate(Relaxation)}

_QUOTES = str.maketrans(
    {**dict.fromkeys("\u2018\u2019\u201a\u201b\u2032`", "'"), **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"')}
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-")
    | {"\u2026": "..."}
)
# Characters of no width are removed, and every other space is a plain one.
_INVISIBLE = str.maketrans(
    dict.fromkeys("\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u202a\u202b\u202c\u202d\u202e\ufeff", "")
    | dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " ")
    | {chr(code): " " for code in range(0x2000, 0x200B)}
)
# A line that stands for lines left out: dots alone, or a comment with dots.
_ELISION = re.compile(r"\s*(?:\.{3,}|\u2026|(?:#|//|/\*|--|<!--|;|%).{0,100}?(?:\.{3}|\u2026).{0,100})\s*")


def in_order(relaxations: Iterable[Relaxation]) -> tuple[Relaxation, ...]:
    """Return the relaxations without duplicates, in their fixed order."""
    return tuple(sorted(set(relaxations), key=_RANKS.__getitem__))


@cache
def relaxation_sets() -> tuple[frozenset[Relaxation], ...]:
    """Return every set under which one block may match, the smallest first, then by the fixed order.

    Lines are either elided or one is off, not both.
    """
    of_blocks = [*FOLDS, Relaxation.ELIDED, Relaxation.LINE_OFF, Relaxation.SEVERAL]
    sets = (frozenset(chosen) for size in range(len(of_blocks) + 1) for chosen in combinations(of_blocks, size))
    return tuple(chosen for chosen in sets if not {Relaxation.ELIDED, Relaxation.LINE_OFF} <= chosen)


def folded(line: str, relaxations: frozenset[Relaxation]) -> str:
    """Return a line without the differences that the relaxations forgive; its LF is not a part of it."""
    body, ending = (line[:-1], "\r") if line.endswith("\r") else (line, "")
    if not body.isascii() and Relaxation.INVISIBLE in relaxations:
        body = unicodedata.normalize("NFC", body.translate(_INVISIBLE))
    if Relaxation.QUOTES in relaxations:
        body = body.translate(_QUOTES)
    if Relaxation.INDENTATION in relaxations:
        body = body.lstrip(BLANKS)
    if Relaxation.TRAILING_SPACE in relaxations:
        body = body.rstrip(BLANKS)
    return body if Relaxation.LINE_ENDS in relaxations else body + ending


_ALL_FOLDS = frozenset(FOLDS)


def wholly_folded(line: str) -> str:
    """Return a line without any difference that a relaxation of single lines forgives."""
    if line.isascii():
        # Most lines are: of the quotes, one alone is ASCII, and CR is a blank.
        return line.strip(BLANKS).replace("`", "'")
    return folded(line, _ALL_FOLDS)


def is_elision(line: str) -> bool:
    """Return whether a line stands for lines that were left out."""
    return _ELISION.fullmatch(line) is not None


def elisions(lines: Iterable[str]) -> Iterator[int]:
    """Yield the indexes of the lines that stand for others."""
    return (at for at, line in enumerate(lines) if is_elision(line))
