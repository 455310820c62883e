"""The parts of a Python file that a hole can be: functions' bodies, statements of all kinds, arguments, comments.

Found with tree-sitter, so that files of any version of the language are read. The types are those of Codev-Bench
(METHOD, IF, FOR, WHILE, TRY, CATCH, STATEMENT) and WITH, MATCH, IMPORT, ARGUMENTS, COMMENT.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from runner.suites.completion.dataset import ByteSpan
from runner.syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 60
COMPOUND = {
    "if_statement": "IF",
    "for_statement": "FOR",
    "while_statement": "WHILE",
    "try_statement": "TRY",
    "except_clause": "CATCH",
    "except_group_clause": "CATCH",
    "with_statement": "WITH",
    "match_statement": "MATCH",
}
# Whatever else stands in a block is a simple statement; an expression that stands alone goes by its own kind.
_NOT_SIMPLE = frozenset(
    {
        *COMPOUND,
        "case_clause",
        "class_definition",
        "comment",
        "decorated_definition",
        "ellipsis",
        "ERROR",
        "function_definition",
        "future_import_statement",
        "global_statement",
        "nonlocal_statement",
        "pass_statement",
        "string",
    }
)
_IMPORTS = frozenset({"import_statement", "import_from_statement"})
TYPES = ("METHOD", *dict.fromkeys(COMPOUND.values()), "STATEMENT", "IMPORT", "ARGUMENTS", "COMMENT")
_EMPTY = frozenset({"pass_statement", "comment", "ellipsis"})
_GENERATED = (b"@generated", b"DO NOT EDIT")


@dataclass(frozen=True, slots=True)
class Function:
    """The function around a hole: its dotted name and where it is."""

    name: str
    span: ByteSpan


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a file.

    `header` is the text of a CATCH up to its colon, without which no filling can be tried; `statements` are the simple
    statements within, in order.
    """

    type: str
    span: ByteSpan
    function: Function | None
    header: str = ""
    statements: tuple[ByteSpan, ...] = ()


def blocks(data: bytes) -> Iterator[Block]:
    """The blocks of a file, in the order of their beginnings.

    Left out: generated files, files that nest too deep, what is guarded by `TYPE_CHECKING`, overloads, bodies without
    code, and what has more lines than `LONGEST`. Of what a module or a class body executes only imports are given.
    """
    if any(mark in data[:1000] for mark in _GENERATED):
        return
    try:
        matches = list(_walk(parse(data, "python").root_node, (), None))
    except RecursionError:
        # An expression of very many operators nests without any bracket.
        return
    yield from sorted(
        (block for block in matches if block.span.end_line - block.span.start_line < LONGEST),
        key=lambda block: (block.span.start, -block.span.end, block.type),
    )


def span_of(first: "Node", last: "Node | None" = None) -> ByteSpan:
    """From a node's beginning to its, or another's, end."""
    last = last or first
    return ByteSpan(first.start_byte, last.end_byte, first.start_point[0] + 1, last.end_point[0] + 1)


def _walk(node: "Node", names: tuple[str, ...], function: Function | None) -> Iterator[Block]:
    if node.type in {"function_definition", "class_definition"}:
        names = (*names, _text(node.child_by_field_name("name")))
        if node.type == "function_definition":
            # Of a nested function the outer one is what the scenes cut at.
            function = function or Function(".".join(names), span_of(node))
            yield from _method(node, function)
    elif function is not None or node.type in _IMPORTS or node.type == "comment":
        yield from _block(node, function)
    for child in node.children:
        if not _is_passed_over(child):
            yield from _walk(child, names, function)


def _method(node: "Node", function: Function) -> Iterator[Block]:
    body = node.child_by_field_name("body")
    if body is None:
        return
    code = list(body.named_children)
    if code and _kind(code[0]) == "string":
        code = code[1:]
    while code and code[0].type == "comment":
        code = code[1:]
    if any(_kind(node) not in _EMPTY for node in code):
        yield Block("METHOD", span_of(code[0], code[-1]), function, statements=tuple(_statements(body)))


def _block(node: "Node", function: Function | None) -> Iterator[Block]:
    if node.type in COMPOUND:
        yield Block(
            COMPOUND[node.type], span_of(node), function, _catch_header(node), statements=tuple(_statements(node))
        )
    elif node.type in _IMPORTS:
        yield Block("IMPORT", span_of(node), function)
    elif _is_simple(node):
        yield Block("STATEMENT", span_of(node), function, statements=(span_of(node),))
    elif node.type == "argument_list" and node.named_child_count and node.parent and node.parent.type == "call":
        yield Block("ARGUMENTS", span_of(node.children[1], node.children[-2]), function)
    elif node.type == "comment" and len(_text(node).strip("# ")) > 3 and not _text(node).startswith("#!"):
        yield Block("COMMENT", span_of(node), function)


def _statements(node: "Node") -> Iterator[ByteSpan]:
    for child in node.named_children:
        if _is_simple(child):
            yield span_of(child)
        elif child.type not in {"function_definition", "class_definition", "decorated_definition"}:
            yield from _statements(child)


def _catch_header(node: "Node") -> str:
    if COMPOUND[node.type] != "CATCH":
        return ""
    body = next(child for child in node.children if child.type == "block")
    colon = next(child for child in reversed(node.children) if child.type == ":" and child.end_byte <= body.start_byte)
    return (node.text or b"")[: colon.end_byte - node.start_byte].decode()


def _is_passed_over(node: "Node") -> bool:
    """Whether what is below says nothing that tests could see."""
    if node.type == "if_statement":
        return b"TYPE_CHECKING" in ((node.child_by_field_name("condition") or node).text or b"")
    if node.type == "decorated_definition":
        return any(child.type == "decorator" and _text(child).endswith("overload") for child in node.children)
    return node.type == "ERROR"


def _is_simple(node: "Node") -> bool:
    """Whether a node is a statement that holds no others, is no import, and does something."""
    in_block = node.is_named and node.parent is not None and node.parent.type == "block"
    return in_block and _kind(node) not in _NOT_SIMPLE and node.type not in _IMPORTS


def _kind(node: "Node") -> str:
    """Return the type of a node; of a statement that is an expression, the expression's."""
    parts = node.named_children if node.type == "expression_statement" else []
    return parts[0].type if len(parts) == 1 else node.type


def _text(node: "Node | None") -> str:
    return (node.text or b"").decode() if node is not None else ""
