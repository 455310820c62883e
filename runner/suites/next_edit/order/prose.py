"""Which words of an edit are code: those of comments and of sentences in strings name nothing.

A string of one word may be a key or an option that others know, and a word of several parts (`max_rows`, `maxRows`) is
a name wherever it stands.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from runner.suites.next_edit.commits import Commit, Edit, Touched
from runner.suites.next_edit.order.languages import Language, compiled, language_named
from runner.suites.next_edit.order.versions import VERSIONS, Version, span_in, text_in
from runner.syntax import language_of, parse

_WORD = re.compile(r"\w+")
_KEY = re.compile(rb"[\w.:/-]+")
_COMPOUND = re.compile(rb"\b(?:[A-Za-z0-9]+_\w*[A-Za-z0-9]|[A-Za-z]?[a-z]+[A-Z]\w*)\b")
_LETTER = re.compile(rb"[^\n]")


def code_words(commit: Commit) -> list[frozenset[str] | None]:
    """Per edit, the words in its lines that are code, before or after; None where the language is not understood."""
    found: list[frozenset[str] | None] = [None] * len(commit.edits)
    for touched in commit.files:
        language = language_named(language_of(touched.path))
        if language is None:
            continue
        edits = [edit for edit in commit.edits if edit.path == touched.path]
        sides = [_words_in(touched, version, language, edits) for version in VERSIONS]
        for edit, words in zip(edits, zip(*sides, strict=True), strict=True):
            found[edit.idx] = frozenset(chain(*words))
    return found


def _words_in(touched: Touched, version: Version, language: Language, edits: Sequence[Edit]) -> list[frozenset[str]]:
    """Per edit, the words of one version that are code."""
    spans = [span_in(edit, version) for edit in edits]
    text = text_in(touched, version)
    if not text or not any(span.end > span.start for span in spans):
        return [frozenset()] * len(edits)
    source = text.encode(errors="replace")
    masked = bytearray(source)
    first, last = min(span.start for span in spans), max(span.end for span in spans)
    for start, end in _prose(text, language, first, last):
        masked[start:end] = _kept(source[start:end])
    lines = masked.split(b"\n")
    return [
        frozenset(_WORD.findall(b"\n".join(lines[span.start : span.end]).decode(errors="replace"))) for span in spans
    ]


def _prose(text: str, language: Language, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where comments and the contents of strings start and end, in bytes, in the rows from `first` to `last`."""
    from tree_sitter import QueryCursor

    cursor = QueryCursor(compiled(language.name, "prose"))
    cursor.set_point_range((first, 0), (last, 0))
    for nodes in cursor.captures(parse(text, language.name).root_node).values():
        yield from ((node.start_byte, node.end_byte) for node in nodes)


def _kept(prose: bytes) -> bytes:
    """The prose without what names nothing, as long as it was and with its line ends."""
    if _KEY.fullmatch(prose):
        return prose
    kept = bytearray(_LETTER.sub(b" ", prose))
    for found in _COMPOUND.finditer(prose):
        kept[found.start() : found.end()] = found[0]
    return bytes(kept)
