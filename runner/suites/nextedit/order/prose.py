"""Which words of an edit are code: those of comments and of sentences in strings name nothing.

A string of one word may be a key or an option that others know, and a word of several parts (`max_rows`, `maxRows`) is
a name wherever it stands.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.suites.nextedit.commits import Span
from runner.suites.nextedit.order.languages import Language, compiled

if TYPE_CHECKING:
    from tree_sitter import Node

_WORD = re.compile(r"\w+")
_KEY = re.compile(rb"[\w.:/-]+")
_COMPOUND = re.compile(rb"\b(?:[A-Za-z0-9]+_\w*[A-Za-z0-9]|[A-Za-z]?[a-z]+[A-Z]\w*)\b")
_BLANK = bytes(byte if byte == ord("\n") else ord(" ") for byte in range(256))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of some lines that may name something: code, what fills a string, names that prose mentions.

    `code` and `mentioned` are those that are only code, or only mentioned.
    """

    names: frozenset[str] = frozenset()
    code: frozenset[str] = frozenset()
    mentioned: frozenset[str] = frozenset()

    def __or__(self, other: "Words") -> "Words":
        """The words of both."""
        code, mentioned = self.code | other.code, self.mentioned | other.mentioned
        return Words(self.names | other.names, code, mentioned - code)


def code_words(text: str, root: "Node", language: Language, spans: Sequence[Span]) -> tuple[Words, ...]:
    """The words in each span of lines of a parsed text."""
    if not spans:
        return ()
    source = text.encode(errors="replace")
    blank = source.translate(_BLANK)
    code, keys, mentioned = bytearray(source), bytearray(blank), bytearray(blank)
    for start, end in _prose(root, language, min(span.start for span in spans), max(span.end for span in spans)):
        prose = source[start:end]
        code[start:end] = blank[start:end]
        if _KEY.fullmatch(prose):
            keys[start:end] = prose
            continue
        for match in _COMPOUND.finditer(prose):
            mentioned[start + match.start() : start + match.end()] = match[0]
    parts = zip(*(_words(masked, spans) for masked in (code, keys, mentioned)), strict=True)
    return tuple(Words(word | two | three, word, three - word - two) for word, two, three in parts)


def _words(masked: bytearray, spans: Sequence[Span]) -> Iterator[frozenset[str]]:
    lines = masked.split(b"\n")
    for span in spans:
        yield frozenset(_WORD.findall(b"\n".join(lines[span.start : span.end]).decode(errors="replace")))


def _prose(root: "Node", language: Language, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where comments and the contents of strings start and end, in bytes, in the rows from `first` to `last`."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(compiled(language.name, "prose"))
    cursor.set_point_range((first, 0), (last, 0))
    for nodes in cursor.captures(root).values():
        yield from ((node.start_byte, node.end_byte) for node in nodes)
