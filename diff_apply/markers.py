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
        """Each marker with the lines that follow it, an LF after every line; first None and what precedes all."""
        mark, begin = None, 0
        for found in self.line.finditer(diff):
            yield mark, diff[begin : found.start()]
            mark, begin = _MARKS[found.lastindex or 0], found.end() + 1
        yield mark, diff[begin:] + "\n" if begin <= len(diff) else ""


def _grammar(start: str, separator: str, end: str) -> Grammar:
    return Grammar(re.compile(f"^(?:({start})|({separator})|({end}))$", re.MULTILINE))


LENGTHENED = _grammar("-{3,} SEARCH", "={3,}", r"\+{3,} REPLACE")
EXACT = _grammar("-{7} SEARCH", "={7}", r"\+{7} REPLACE")
TOLERANT = _grammar("(?:-{3,}|<{3,}) SEARCH", "={3,}", r"(?:\+{3,}|>{3,}) REPLACE")
BRACKETED = _grammar("(?:-{3,}|<{3,}) SEARCH>?", "={3,}", r"(?:\+{3,}|>{3,}) REPLACE>?")


def without_unfinished(diff: str, starts: str, known: Grammar) -> str:
    """The diff without a last line that begins like a marker (one of `starts`) and is none that is `known`.

    So a half-written marker does not show in a streamed file; when final, a last line such as `- item` is lost.
    """
    begin = diff.rfind("\n") + 1
    if begin < len(diff) and diff[begin] in starts and not known.line.fullmatch(diff, begin):
        return diff[: max(begin - 1, 0)]
    return diff
