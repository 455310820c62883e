"""The constructs that enclose a line, as Historian writes them: its stand-in for the place of an insertion.

Once anything was found the walk goes into the first child that covers the line and into no other, so whatever follows
a name, a keyword or a bracket on the same line is not seen. The grammars are newer than the original's, which shows
where a file does not parse (JavaScript with Flow types).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NotRequired, TypedDict

from runner.syntax import language_of, parse

if TYPE_CHECKING:
    from tree_sitter import Node

_SHOWN = 30
# The files of a commit are asked about at every step, and few of them change.
_REMEMBERED = 32
_CALLEES = frozenset({"identifier", "attribute", "member_expression", "selector_expression"})


class Construct(TypedDict):
    """One enclosing construct; `argument` is the beginning of a call's argument that covers the line."""

    type: str
    name: str | None
    signature: str | None
    at_line: int
    argument: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Outline:
    """A parsed file, to be asked for the constructs around its lines."""

    root: "Node | None"
    language: str

    def around(self, line: int) -> list[Construct]:
        """The constructs around a 0-based line, outermost first; none for a line before the first."""
        if line < 0 or self.root is None:
            return []
        try:
            return _walk(self.root, line, [], _CONSTRUCTS[self.language])
        except RecursionError:
            # An expression of very many operators nests without any bracket.
            return []


@lru_cache(_REMEMBERED)
def outline(text: str, path: str) -> Outline:
    """The outline of a file; one in a language that the original does not know has no constructs."""
    language = language_of(path)
    if language is None or language not in _CONSTRUCTS:
        return Outline(None, "")
    return Outline(parse(text, language).root_node, language)


def _walk(node: "Node", line: int, above: list[Construct], constructs: dict[str, "_Describe"]) -> list[Construct]:
    construct = constructs[node.type](node, line) if node.type in constructs else None
    path_here = [*above, construct] if construct else above
    for child in node.children:
        if _covers(child, line):
            path = _walk(child, line, path_here, constructs)
            if path:
                return path
    return path_here


def _covers(node: "Node", line: int) -> bool:
    return node.start_point.row <= line <= node.end_point.row


def _text(node: "Node | None") -> str:
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def _field(node: "Node", name: str) -> str:
    return _text(node.child_by_field_name(name))


def _construct(kind: str, node: "Node", name: str | None, signature: str) -> Construct:
    return {"type": kind, "name": name, "signature": signature, "at_line": node.start_point.row}


_Describe = Callable[["Node", int], Construct | None]


def _python_class(node: "Node", _line: int) -> Construct:
    name = _field(node, "name")
    return _construct("class", node, name, f"class {name}{_field(node, 'superclasses')}:")


def _python_function(node: "Node", _line: int) -> Construct:
    name, returns = _field(node, "name"), _field(node, "return_type")
    arrow = f" -> {returns}" if returns else ""
    return _construct("function", node, name, f"def {name}{_field(node, 'parameters')}{arrow}:")


def _call(node: "Node", line: int) -> Construct | None:
    """A call of something that has a name: a function called where it is written, or a call's result, has none."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if callee is None or callee.type not in _CALLEES:
        return None
    name = _text(callee)
    construct = _construct("call", node, name, name + _text(arguments))
    return _with_argument(construct, arguments, line)


def _with_argument(construct: Construct, arguments: "Node | None", line: int) -> Construct:
    covering = (child for child in arguments.named_children if _covers(child, line)) if arguments else iter(())
    for argument in covering:
        construct["argument"] = _argument(argument)
        break
    return construct


def _argument(node: "Node") -> str:
    if node.type == "keyword_argument":
        return f"{_field(node, 'name')}=..."
    text = _text(node)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _java_call(node: "Node", line: int) -> Construct:
    scope = f"{_field(node, 'object')}." if node.child_by_field_name("object") else ""
    name, arguments = scope + _field(node, "name"), node.child_by_field_name("arguments")
    return _with_argument(_construct("call", node, name, name + _text(arguments)), arguments, line)


def _java_class(node: "Node", _line: int) -> Construct:
    return _construct("class", node, _field(node, "name"), _java_head(node))


def _java_method(node: "Node", _line: int) -> Construct:
    return _construct("function", node, _field(node, "name"), _java_head(node))


def _java_head(node: "Node") -> str:
    """The parts of a declaration before its body, annotations left out; parameters stick to the name."""
    parts = []
    for child in node.children:
        if child.type in {"class_body", "block", ";"}:
            break
        if child.type == "modifiers":
            parts += [_text(node) for node in child.children if "annotation" not in node.type]
        elif child.type == "formal_parameters":
            parts[-1] += _text(child)
        elif "comment" not in child.type:
            parts.append(_text(child))
    return " ".join(parts)


def _go_function(node: "Node", _line: int) -> Construct:
    name = _field(node, "name")
    lists = "".join(_text(child) for child in node.children if child.type == "parameter_list")
    return _construct("function", node, name, f"func {name}{lists}")


def _go_method(node: "Node", _line: int) -> Construct:
    name = _field(node, "name")
    receiver, *lists = (_text(child) for child in node.children if child.type == "parameter_list")
    return _construct("method", node, name, f"func {receiver} {name}{''.join(f'{part} ' for part in lists)}")


def _go_type(node: "Node", _line: int) -> Construct:
    spec = next((child for child in node.named_children if child.type == "type_spec"), node)
    kind = _field(spec, "type").partition("{")[0].strip()
    return _construct("class", node, _field(spec, "name"), f"type {_field(spec, 'name')} {kind}")


def _script_function(node: "Node", _line: int) -> Construct:
    name = _field(node, "name")
    return _construct("function", node, name, f"function {name}{_field(node, 'parameters')}")


def _script_method(node: "Node", _line: int) -> Construct:
    name = _field(node, "name")
    return _construct("method", node, name, name + _field(node, "parameters"))


def _script_arrow(node: "Node", _line: int) -> Construct:
    return _construct("arrow_function", node, None, f"{_field(node, 'parameters') or _field(node, 'parameter')} =>")


def _script_declaration(kind: str) -> _Describe:
    def describe(node: "Node", _line: int) -> Construct:
        head = _text(node).partition("{")[0].partition("=")[0].strip()
        return _construct(kind, node, _field(node, "name"), head)

    return describe


_SCRIPT: dict[str, _Describe] = {
    "class_declaration": _script_declaration("class"),
    "function_declaration": _script_function,
    "method_definition": _script_method,
    "call_expression": _call,
}
_TYPED: dict[str, _Describe] = {
    **_SCRIPT,
    "interface_declaration": _script_declaration("interface"),
    "type_alias_declaration": _script_declaration("type_alias"),
}
_CONSTRUCTS: dict[str, dict[str, _Describe]] = {
    "python": {"class_definition": _python_class, "function_definition": _python_function, "call": _call},
    "go": {
        "type_declaration": _go_type,
        "function_declaration": _go_function,
        "method_declaration": _go_method,
        "call_expression": _call,
    },
    "java": {"class_declaration": _java_class, "method_declaration": _java_method, "method_invocation": _java_call},
    "javascript": {**_SCRIPT, "arrow_function": _script_arrow},
    "typescript": _TYPED,
    "tsx": _TYPED,
}
