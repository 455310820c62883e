"""The marker lines of a diff, by the grammar of each published version."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


class Mark(Enum):
    """What a marker line does."""

    START = 1
    SEPARATOR = 2
    END = 3


_MARKS = (None, Mark.START, Mark.SEPARATOR, Mark.END)


@dataclass(frozen=True, slots=True)
class Grammar:
    """The marker lines of a version: `line` has one group each for start, separator and end."""

    line: re.Pattern[str]

    def sections(self, diff: str) -> Iterator[tuple[Mark | None, str]]:
        """Yield each marker and the lines after it, each ending in LF; first None and the lines before all markers."""
        mark, begin = None, 0
        for match in self.line.finditer(diff):
            yield mark, diff[begin : match.start()]
            mark, begin = _MARKS[match.lastindex or 0], match.end() + 1
        yield mark, diff[begin:] + "\n" if begin <= len(diff) else ""


def _grammar(start: str, separator: str, end: str) -> Grammar:
    return Grammar(re.compile(f"^(?:({start})|({separator})|({end}))$", re.MULTILINE))


LENGTHENED = _grammar("-{3,} SEARCH", "={3,}", r"\+{3,} REPLACE")
EXACT = _grammar("-{7} SEARCH", "={7}", r"\+{7} REPLACE")
TOLERANT = _grammar("(?:-{3,}|<{3,}) SEARCH", "={3,}", r"(?:\+{3,}|>{3,}) REPLACE")
BRACKETED = _grammar("(?:-{3,}|<{3,}) SEARCH>?", "={3,}", r"(?:\+{3,}|>{3,}) REPLACE>?")


def without_unfinished(diff: str, starts: str, known: Grammar) -> str:
    """Remove a last line that begins like a marker (with one of `starts`) but is not a marker of `known`.

    This hides a half-written marker in a streamed file; in a final diff, a last line such as `- item` is lost.
    """
    begin = diff.rfind("\n") + 1
    if begin < len(diff) and diff[begin] in starts and not known.line.fullmatch(diff, begin):
        return diff[: max(begin - 1, 0)]
    return diff
