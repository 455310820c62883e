"""How deep a source text nests, by its brackets alone: what is deeper is not parsed.

A parser's time grows with the square of the depth in some grammars (90,000 open brackets of a Python text take 8 s to
search for comments, 30,000 open calls of a Scala text 7 s to parse), and the scanner of Markdown writes out of its
memory at 255 nested blocks.
"""

import re
from collections.abc import Iterable

MOST_BRACKETS = 1000
# Elements without an end, such as <br>, count as open.
MOST_TAGS = 10_000
MOST_COLUMNS = 200

_OTHERS = bytes(byte for byte in range(256) if byte not in b"()[]{}")
_TAGGED = frozenset({"html", "svelte", "vue", "xml"})
_TAG = re.compile(rb"<[A-Za-z]|</|/>")
# What stands before the text of a line: each block around it takes one column or more.
_BLOCKS = re.compile(rb"^(?:[ \t>]|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))++", re.MULTILINE)


def nests_too_deep(source: bytes, language: str) -> bool:
    """Return whether a text nests deeper than is parsed in its language."""
    if language == "markdown":
        return any(len(match[0].expandtabs(4)) > MOST_COLUMNS for match in _BLOCKS.finditer(source))
    if language in _TAGGED and _exceeds((match[0][1:2].isalpha() for match in _TAG.finditer(source)), MOST_TAGS):
        return True
    brackets = source.translate(None, _OTHERS)
    opened = sum(brackets.count(bracket) for bracket in (b"(", b"[", b"{"))
    return opened > MOST_BRACKETS and _exceeds((byte in b"([{" for byte in brackets), MOST_BRACKETS)


def _exceeds(opens: Iterable[bool], limit: int) -> bool:
    """Return whether more than `limit` are open at once; an end without a beginning ends nothing."""
    depth = 0
    for is_open in opens:
        depth = depth + 1 if is_open else max(depth - 1, 0)
        if depth > limit:
            return True
    return False
