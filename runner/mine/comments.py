"""Comments of programs in any language: whether two versions differ in nothing else."""

from functools import cache
from typing import TYPE_CHECKING

from runner import syntax

if TYPE_CHECKING:
    from tree_sitter import Query, Tree

_SPACE = b" \t\r\n\v\f"
# Names that grammars have for comments beside the usual ones.
_FURTHER = (
    "Comment",
    "block_documentation_comment",
    "bracket_comment",
    "comment_environment",
    "container_doc_comment",
    "doc_comment",
    "document_comment",
    "documentation_comment",
    "haddock",
    "html_comment",
    "js_comment",
    "pod",
    "preproc_comment",
)
# Python's documentation is a string that stands alone; it is what a comment is elsewhere.
_STRINGS_THAT_STAND_ALONE = {"python": "(expression_statement . (string) @it .)"}


def differ_in_comments_only(before: bytes, after: bytes, language: str) -> bool:
    """Return whether two texts in UTF-8 are the same but for comments and white space.

    A language whose grammar knows no comments has none. Raises LookupError for one without a grammar.
    """
    return _bare(before, language) == _bare(after, language)


def _bare(text: bytes, language: str) -> bytes:
    """Return the text without comments and white space."""
    kept, end = [], 0
    for start, stop in _spans(syntax.parse(text, language), language):
        if stop > end:
            kept.append(text[end:start])
            end = stop
    return b"".join((*kept, text[end:])).translate(None, _SPACE)


def _spans(tree: "Tree", language: str) -> list[tuple[int, int]]:
    """Return where the comments start and end, in bytes, in order; an outer one before those within it."""
    spans = syntax.comments(tree, language)
    query = _further(language)
    if query is not None:
        from tree_sitter import QueryCursor

        nodes = QueryCursor(query).captures(tree.root_node).get("it", [])
        spans += [(node.start_byte, node.end_byte) for node in nodes]
    return sorted(spans, key=lambda span: (span[0], -span[1]))


@cache
def _further(language: str) -> "Query | None":
    """Return what finds the comments that a grammar calls otherwise; None where it has none of those."""
    from tree_sitter import Query

    grammar = syntax.parse(b"", language).language
    assert grammar is not None
    kinds = [f"({kind}) @it" for kind in _FURTHER if grammar.id_for_node_kind(kind, True) is not None]  # noqa: FBT003 - tree-sitter's own: a named kind
    pattern = " ".join((*kinds, _STRINGS_THAT_STAND_ALONE.get(language, "")))
    return Query(grammar, pattern) if pattern.strip() else None
