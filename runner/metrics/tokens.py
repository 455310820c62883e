"""Texts as tokens: the leaves of a syntax tree, lines, or words; comments and blank lines never count."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from runner.syntax import comments, has_grammar, parse

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

Layout = Literal["auto", "always", "never"]
Tokens = tuple[str, ...]

# Where indentation is syntax: the width of an indentation is a token, and lines differ if it differs.
LAYOUT_LANGUAGES = frozenset({"python", "starlark", "yaml", "haskell", "fsharp", "nim", "elm", "pug", "gdscript"})
LAYOUT_MARK = "\u2504"

# A text without the mark has no comment, which saves a parse; languages not named here are always parsed.
_COMMENT_MARKS = {
    "python": ("#",),
    **dict.fromkeys(("c", "cpp", "csharp", "go", "java", "javascript", "rust", "tsx", "typescript"), ("//", "/*")),
}
_WORD = re.compile(r"\w+|[^\w\s]")

# Origins and references recur row after row; these many texts of each kind are remembered.
_REMEMBERED = 256


def words(text: str) -> list[str]:
    """Runs of word characters and single other characters, blanks dropped."""
    return _WORD.findall(text)


@lru_cache(_REMEMBERED)
def normalise(text: str, language: str | None) -> str:
    """Return the text without comments, blanks at the end of lines and blank lines. Without a grammar comments stay."""
    lines = (line.rstrip() for line in _without_comments(text, language).split("\n"))
    return "".join(f"{line}\n" for line in lines if line)


@lru_cache(_REMEMBERED)
def lines(text: str, language: str | None) -> Tokens:
    """Return the normalised lines; in a language whose indentation is not syntax, without it."""
    split = normalise(text, language).split("\n")[:-1]
    if language is None or language in LAYOUT_LANGUAGES:
        return tuple(split)
    return tuple(line.strip() for line in split)


@lru_cache(_REMEMBERED)
def leaves(text: str, language: str | None, layout: Layout = "auto") -> Tokens:
    """Return the leaves of the normalised text's syntax tree, broken code included; without a grammar its words.

    Text between two leaves is a token if it is not blank (the letters around an escape in a string). With
    layout, each line starts with a token for the width of its indentation, but for lines inside a token:
    otherwise a program flattened to one line would be equal to the original.
    """
    if language is None or not has_grammar(language):
        return tuple(words(text))
    source = normalise(text, language).encode("utf-8", "replace")
    with_layout = layout == "always" or (layout == "auto" and language in LAYOUT_LANGUAGES)
    return tuple(_tokens(source, parse(source, language), with_layout=with_layout))


def _without_comments(text: str, language: str | None) -> str:
    if language is None or not has_grammar(language):
        return text
    if not any(mark in text for mark in _COMMENT_MARKS.get(language, ("",))):
        return text
    source = text.encode("utf-8", "replace")
    pieces, done = [], 0
    for start, end in comments(parse(source, language), language):
        if start < done:
            # A comment within a comment.
            continue
        pieces.append(source[done:start])
        done = end
        # A comment between two words keeps them apart.
        if _ends_word(pieces[-1]) and _ends_word(source[done : done + 1]):
            pieces.append(b" ")
    return b"".join([*pieces, source[done:]]).decode()


def _ends_word(source: bytes) -> bool:
    return source[-1:].isalnum() or source[-1:] == b"_"


def _visit(tree: "Tree") -> Iterator["Node"]:
    """Yield the leaves from left to right."""
    cursor = tree.walk()
    down, across, up = cursor.goto_first_child, cursor.goto_next_sibling, cursor.goto_parent
    while True:
        if down():
            continue
        # Every look at it makes a new object.
        node = cursor.node
        if node is not None:
            yield node
        while not across():
            if not up():
                return


def _tokens(source: bytes, tree: "Tree", *, with_layout: bool) -> Iterator[str]:
    """Yield the leaves with text; one without is missing code. A blank anonymous leaf is layout, a named one data."""
    before, done, after_escape = -1, 0, False
    for node in _visit(tree):
        start, end = node.start_byte, node.end_byte
        if start == end:
            continue
        gap, text = source[done:start], source[start:end].decode()
        escape = node.type == "escape_sequence"
        if gap and (after_escape or escape or not gap.isspace()):
            yield gap.decode()
        if with_layout and not escape and (before < 0 or source.find(b"\n", before, start) >= 0):
            yield f"{LAYOUT_MARK}{_indentation(source, start)}"
        if node.is_named or not text.isspace():
            yield text
        before, done, after_escape = start, end, escape
    if rest := source[done:].strip():
        yield rest.decode()


def _indentation(source: bytes, start: int) -> int:
    """Return the width, in bytes, of the blanks that begin the line in which `start` lies."""
    line = source[source.rfind(b"\n", 0, start) + 1 : start]
    return len(line) - len(line.lstrip())
