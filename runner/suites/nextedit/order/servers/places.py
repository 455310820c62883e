"""The identifiers inside edited lines, at the positions by which language servers know them.

A server counts columns in units of UTF-16 and ends lines at a lone carriage return too; tree-sitter counts bytes, and
our lines end at a line feed alone. So columns are converted, and servers are shown texts without lone carriage returns.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.suites.nextedit.commits import Commit, Span
from runner.suites.nextedit.order.versions import Version, span_in, text_in
from runner.syntax import has_grammar, language_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_LONE_RETURN = re.compile(r"\r(?!\n)")
_IDENTIFIERS = frozenset({"constant", "name", "variable_name", "word"})
_DECLARES = re.compile("defin|declar|spec|param|item|signature|alias|assign|element|property")
_NAMED_BY = ("name", "left", "pattern", "declarator", "parameter", "property")


@dataclass(frozen=True, slots=True)
class IdentifierPlace:
    """An identifier inside an edited line: 0-based row, columns `start` to `end` in units of UTF-16.

    `imported` where it stands in an import, but for the name of the module; `declared` where it is being defined.
    """

    edit: int
    path: str
    row: int
    start: int
    end: int
    text: str
    imported: bool = False
    declared: bool = False


def shown_text(text: str) -> str:
    """A text as a server is shown it: valid UTF-8, and lines that end where ours do."""
    return _LONE_RETURN.sub(" ", text).encode(errors="replace").decode()


def places_of(commit: Commit, version: Version, language: str) -> list[IdentifierPlace]:
    """The identifiers in the edited lines of a version's files in one language, in the order of the edits."""
    places: list[IdentifierPlace] = []
    for touched in commit.files:
        text = text_in(touched, version)
        if text is None or language_of(touched.path) != language or not has_grammar(language):
            continue
        edits = [edit for edit in commit.edits if edit.path == touched.path]
        spans = [span_in(edit, version) for edit in edits]
        text_lines = shown_text(text)
        lines = text_lines.encode().split(b"\n")
        for position, node in _identifiers(parse(text_lines, language).root_node, spans):
            places.append(_place(node, edits[position].idx, touched.path, lines))
    return sorted(places, key=lambda place: (place.edit, place.row, place.start))


def _identifiers(root: "Node", spans: Sequence[Span]) -> Iterator[tuple[int, "Node"]]:
    """The identifiers within the spans, each with the number of its span."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        first, last = node.start_point.row, node.end_point.row
        if not any(span.start <= last and first < span.end for span in spans):
            continue
        if node.child_count:
            waiting += node.children
        elif node.is_named and ("identifier" in node.type or node.type in _IDENTIFIERS):
            yield from ((at, node) for at, span in enumerate(spans) if span.start <= first < span.end)


def _place(node: "Node", edit: int, path: str, lines: Sequence[bytes]) -> IdentifierPlace:
    row, column = node.start_point
    line = lines[row]
    start = _units(line[:column])
    text = line[column : node.end_point.column].decode(errors="replace")
    return IdentifierPlace(
        edit, path, row, start, start + _units(text.encode()), text, _is_imported(node), _is_declared(node)
    )


def _units(text: bytes) -> int:
    """The length of UTF-8 text in units of UTF-16."""
    return len(text.decode(errors="replace").encode("utf-16-le")) // 2


def _is_imported(node: "Node") -> bool:
    inner, outer = node, node.parent
    while outer is not None:
        if outer.child_by_field_name("module_name") == inner:
            return False
        if "import" in outer.type:
            return True
        inner, outer = outer, outer.parent
    return False


def _is_declared(node: "Node") -> bool:
    parent = node.parent
    if parent is None or "argument" in parent.type or not _DECLARES.search(parent.type):
        return False
    return any(parent.child_by_field_name(name) == node for name in _NAMED_BY) or "param" in parent.type
