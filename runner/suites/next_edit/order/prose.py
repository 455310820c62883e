"""Which words of an edit are code: those of comments and of sentences in strings name nothing.

A string of one word may be a key or an option that others know, and a word of several parts (`max_rows`, `maxRows`) is
a name wherever it stands.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from runner.suites.next_edit.commits import Span
from runner.suites.next_edit.order.languages import Language, compiled

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(r"\w+")
_KEY = re.compile(rb"[\w.:/-]+")
_COMPOUND = re.compile(rb"\b(?:[A-Za-z0-9]+_\w*[A-Za-z0-9]|[A-Za-z]?[a-z]+[A-Z]\w*)\b")
_LETTER = re.compile(rb"[^\n]")


def code_words(text: str, root: "Node", language: Language, spans: Sequence[Span]) -> tuple[frozenset[str], ...]:
    """Per span of lines of a parsed text, the words in it that are code."""
    if not spans:
        return ()
    source = text.encode(errors="replace")
    masked = bytearray(source)
    for start, end in _prose(root, language, min(span.start for span in spans), max(span.end for span in spans)):
        masked[start:end] = _kept(source[start:end])
    lines = masked.split(b"\n")
    parts = (b"\n".join(lines[span.start : span.end]).decode(errors="replace") for span in spans)
    return tuple(frozenset(_WORD.findall(part)) for part in parts)


def _prose(root: "Node", language: Language, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where comments and the contents of strings start and end, in bytes, in the rows from `first` to `last`."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(compiled(language.name, "prose"))
    cursor.set_point_range((first, 0), (last, 0))
    for nodes in cursor.captures(root).values():
        yield from ((node.start_byte, node.end_byte) for node in nodes)


def _kept(prose: bytes) -> bytes:
    """The prose without what names nothing, as long as it was and with its line ends."""
    if _KEY.fullmatch(prose):
        return prose
    kept = bytearray(_LETTER.sub(b" ", prose))
    for found in _COMPOUND.finditer(prose):
        kept[found.start() : found.end()] = found[0]
    return bytes(kept)
