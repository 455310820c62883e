"""Where a function's parameters are named outside of its code: in the arguments of calls, and in documentation."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

_LISTS = frozenset({"parameters", "lambda_parameters", "formal_parameters", "inferred_parameters", "parameter_list"})
# Parameters behind one of these are given by name.
_LAST = frozenset({"keyword_separator", "list_splat_pattern"})
# Lists of more parameters than this are no people's work, and are not counted through for each of them.
_MOST = 255
# Behind one of these it is not known which parameter an argument is for.
_SPREAD = frozenset({"list_splat", "dictionary_splat", "spread_element", "variadic_argument"})
# `:param name:` and `:type name:` of Sphinx, `@param {type} name` of JSDoc and Javadoc, `name (type):` of Google's
# form, `name : type` of numpy's.
_DOCUMENTED = re.compile(
    r"^[\s*/]*(?:[:@]\w+\s+(?:\{[^}]*\}\s*)?(?:[\w.]+\s+(?=\w+:))?\[?\**(\w+)|\**(\w+)\s*(?:\([^)]*\))?\s*:)"
)


def arguments_by_place(arguments: "Node") -> Iterator[tuple[int, "Node"]]:
    """The arguments of a call that are given by place, each with its place from 0, up to one that is several."""
    place = 0
    for argument in arguments.named_children:
        if argument.type in _SPREAD:
            return
        if argument.type != "keyword_argument" and not argument.type.endswith("comment"):
            yield place, argument
            place += 1


def parameter_place(node: "Node") -> int:
    """The place of the parameter that a name stands for, from 0; -1 where arguments reach it by name alone."""
    before = 0
    while node.parent is not None and node.parent.type not in _LISTS:
        before += _names_before(node)
        node = node.parent
    if node.parent is None or node.parent.named_child_count > _MOST:
        return -1
    for sibling in node.parent.named_children:
        if sibling.start_byte >= node.start_byte:
            break
        if sibling.type in _LAST:
            return -1
        if not sibling.type.endswith("comment"):
            before += max(1, len(sibling.children_by_field_name("name")))
    return before


def _names_before(node: "Node") -> int:
    """How many names stand before one in a declaration of several parameters, such as `a, b int` of Go."""
    declaration = node.parent
    if declaration is None or declaration.type != "parameter_declaration":
        return 0
    return sum(name.start_byte < node.start_byte for name in declaration.children_by_field_name("name"))


def documented(node: "Node") -> Iterator[tuple[int, int, str]]:
    """What a comment or a docstring may document, line by line: the first byte of the line, its row, and a name."""
    at, row = node.start_byte, node.start_point.row
    for line in (node.text or b"").split(b"\n"):
        match = _DOCUMENTED.match(line.decode("utf-8", "replace"))
        if match is not None:
            yield at, row, match[1] or match[2]
        at, row = at + len(line) + 1, row + 1
