"""The names of one file: what each identifier defines, imports or uses, and in which scope."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from runner.suites.nextedit.commits import Span
from runner.suites.nextedit.order.languages import Language, compiled
from runner.suites.nextedit.order.parameters import arguments_by_place, documented, parameter_place
from runner.suites.nextedit.order.prose import Words, code_words
from runner.syntax import parse

if TYPE_CHECKING:
    from tree_sitter import Node

Captures = dict[str, list["Node"]]
# Where a name starts in the file, and how it is read there, "" for most: a pattern takes a member while it binds a
# name, and an argument may be a name too.
Place = tuple[int, str]
# The name of what a module exports without one.
DEFAULT = "default"
# The text of a longer argument is not kept, in bytes.
_LONG = 500
_TYPE = re.compile(r"[*&]?(?:\w+\.)*(\w\w+)(?:<.*>|\[.*\])?", re.DOTALL)
# A Go receiver `*T` or `T[K]` is of the type T.
_BARE = re.compile(r"^\*|\[.*")


class Role(StrEnum):
    """What an occurrence of a name does; a part is a member of an object that has a name or a function to make it.

    A key is a member that an object is made with, an argument what a call hands over at its place.
    """

    DEFINE = "define"
    FIELD = "field"
    PART = "part"
    IMPORT = "import"
    USE = "use"
    EXPORT = "export"
    MODULE = "module"
    MEMBER = "member"
    KEY = "key"
    KEYWORD = "keyword"
    ARGUMENT = "argument"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Scope:
    """A region that binds names; `owner` names the class or function; `parent` is an index, -1 for the file."""

    kind: str
    owner: str
    parent: int


def nearest(scopes: Sequence[Scope], kind: str, scope: int) -> int:
    """The nearest scope of a kind from one outwards, -1 if there is none."""
    while scope >= 0 and scopes[scope].kind != kind:
        scope = scopes[scope].parent
    return scope


@dataclass(frozen=True, slots=True)
class Name:
    """One occurrence of a name on a 0-based row.

    `scope` is where it stands, or for a definition where it is bound. `owner` is the class of a field, the receiver
    of a member, or the callee of a keyword or an argument. An import has the `module` as written and the name there, ""
    for a whole module; `original` is an argument's text, too, if it is short. `parameter` marks a parameter among
    definitions. `type` is the class that a definition is declared to be of; with a question mark, the one it is made
    of. `opens` is the scope of the function that a definition defines, `place` that of an argument or a parameter among
    the others, from 0; -1 where there is none.
    """

    text: str
    row: int
    role: Role
    scope: int
    owner: str = ""
    module: str = ""
    original: str = ""
    parameter: bool = False
    type: str = ""
    opens: int = -1
    place: int = -1

    @property
    def defines(self) -> bool:
        """Whether it makes the name mean something."""
        return self.role in {Role.DEFINE, Role.FIELD, Role.PART}


@dataclass(frozen=True, slots=True)
class FileNames:
    """The definitions and imports of a file, the uses in its edited rows, and its scopes, the file's own first.

    `words` are those of each run of edited rows. `heirs` are (class, one of its ancestors) by name;
    `interfaces` are types that others have without saying so. `package` is the one that the file declares to be in,
    whatever folder it lies in, "" in languages where the folder decides.
    """

    language: Language
    scopes: tuple[Scope, ...]
    names: tuple[Name, ...]
    bound: dict[tuple[int, str], Name] = field(repr=False)
    words: tuple[Words, ...] = ()
    heirs: frozenset[tuple[str, str]] = frozenset()
    interfaces: frozenset[str] = frozenset()
    package: str = ""

    def place(self, path: str) -> str:
        """Where the names of this file, at `path`, are known: in its package, else its folder or the file alone."""
        return (self.package or str(PurePosixPath(path).parent)) if self.language.shares_folder else path

    def binding(self, text: str, scope: int) -> Name | None:
        """The definition that a plain name refers to from within a scope, or None."""
        start = scope
        while scope >= 0:
            visible = self.scopes[scope].kind != "class" or scope == start or self.language.bare_members
            scope_name = self.bound.get((scope, text)) if visible else None
            if scope_name is not None:
                return scope_name
            scope = self.scopes[scope].parent
        return None

    def enclosing_function(self, scope: int) -> int:
        """The nearest function around a scope, -1 if there is none."""
        return nearest(self.scopes, "function", scope)

    def enclosing_class(self, scope: int) -> str:
        """The name of the class around a scope, "" if there is none."""
        within = nearest(self.scopes, "class", scope)
        return self.scopes[within].owner if within >= 0 else ""


def read_names(text: str, language: Language, rows: Sequence[Span]) -> FileNames:
    """Return the names of a file; where it does not parse, as many as can be recognized. `rows` are the edited ones."""
    from tree_sitter import QueryCursor

    root = parse(text, language.name).root_node
    matches = [captures for _, captures in QueryCursor(compiled(language.name, "definitions")).matches(root)]
    scopes = _Scopes(scope_node for captures in matches for scope_node in _scope_nodes(captures))
    heirs = [(_first(captures, "heir"), text_of(node)) for captures in matches for node in captures.get("ancestor", ())]
    names = _defined(matches, scopes)
    parameters = {(name.scope, name.text) for name in names.values() if name.parameter}
    cursor = QueryCursor(compiled(language.name, "uses"))
    for span in rows:
        cursor.set_point_range((span.start, 0), (span.end, 0))
        for _, captures in cursor.matches(root):
            for at, use in _uses(captures, scopes, dict(reversed(heirs))):
                if use.role == Role.DOCUMENT and (use.scope, use.text) not in parameters:
                    continue
                if span.start <= use.row < span.end and (at not in names or _says_less(names[at], use)):
                    names[at] = use
    ordered = tuple(names[at] for at in sorted(names))
    bound: dict[tuple[int, str], Name] = {}
    for name in ordered:
        if name.role in {Role.DEFINE, Role.FIELD, Role.IMPORT}:
            bound.setdefault((name.scope, name.text), name)
    words = code_words(text, root, language, rows)
    interfaces = frozenset(text_of(node) for captures in matches for node in captures.get("interface", ()))
    package = next((_first(captures, "package") for captures in matches if "package" in captures), "")
    return FileNames(language, scopes.scopes, ordered, bound, words, frozenset(heirs), interfaces, package)


def _defined(matches: Sequence[Captures], scopes: "_Scopes") -> dict[Place, Name]:
    """The definitions and imports of a file by their places."""
    names: dict[Place, Name] = {}
    for at, name in (definition for captures in matches for definition in _definitions(captures, scopes)):
        if at not in names or _reach(name) >= _reach(names[at]):
            names[at] = name if name.original or at not in names else replace(name, original=names[at].original)
    for captures in matches:
        for node in captures.get("typed", ()):
            at = (node.start_byte, "")
            kind = (
                bare_type(_first(captures, "type")) if "type" in captures else f"{_callee(_first(captures, 'made'))}?"
            )
            if at in names and not names[at].type:
                names[at] = replace(names[at], type=kind)
    return names


def _says_less(left: Name, right: Name) -> bool:
    """Whether a use of a name says less about it than another reading of the same place."""
    if left.role not in {Role.USE, Role.MEMBER, Role.KEY}:
        return False
    return (left.role != Role.USE, left.owner != "") < (right.role != Role.USE, right.owner != "")


def _reach(name: Name) -> int:
    """How far a definition is known: of several at one place, the one that others see counts."""
    if name.role == Role.IMPORT:
        return 3
    return 0 if name.parameter else 1 if name.role == Role.FIELD else 2


def _scope_nodes(captures: Captures) -> Iterator[tuple["Node", str]]:
    for key, nodes in captures.items():
        if key.startswith("scope."):
            yield from ((node, key.removeprefix("scope.")) for node in nodes)


class _Scopes:
    """The scopes of a file, to be found by position."""

    def __init__(self, nodes: Iterable[tuple["Node", str]]) -> None:
        self._starts = [0]
        self._innermost = [0]
        self._naming: dict[int, int] = {}
        scopes = [Scope("file", "", -1)]
        open_ends: list[tuple[int, int]] = []
        for node, kind in sorted(nodes, key=lambda item: (item[0].start_byte, -item[0].end_byte)):
            self._close(open_ends, node.start_byte, scopes)
            name = node.child_by_field_name("name") or (_named_by(node) if kind == "function" else None)
            if name is not None:
                self._naming[name.start_byte] = len(scopes)
            self._starts.append(node.start_byte)
            self._innermost.append(len(scopes))
            open_ends.append((node.end_byte, len(scopes)))
            scopes.append(
                Scope(
                    kind,
                    text_of(name),
                    open_ends[-2][1] if len(open_ends) > 1 else 0,
                )
            )
        self._close(open_ends, None, scopes)
        self.scopes = tuple(scopes)

    def _close(self, open_ends: list[tuple[int, int]], until: int | None, scopes: list[Scope]) -> None:
        while open_ends and (until is None or open_ends[-1][0] <= until):
            end, scope = open_ends.pop()
            self._starts.append(end)
            self._innermost.append(scopes[scope].parent)

    def at(self, byte: int) -> int:
        """The innermost scope that holds a position; a scope's own name stands outside it."""
        if byte in self._naming:
            return self.scopes[self._naming[byte]].parent
        return self._innermost[bisect_right(self._starts, byte) - 1]

    def opened_by(self, byte: int) -> int:
        """The scope of the function whose name stands at a position, -1 where none does."""
        scope = self._naming.get(byte, -1)
        return scope if scope >= 0 and self.scopes[scope].kind == "function" else -1

    def owner_of(self, kind: str, scope: int) -> str:
        """The class around a scope; of an object's `own` field else the function, which may make objects; or ""."""
        within = self.class_at(scope)
        while kind == "own" and within < 0 and scope > 0:
            within = scope if self.scopes[scope].kind == "function" else -1
            scope = self.scopes[scope].parent
        return self.scopes[within].owner if within >= 0 else ""

    def class_at(self, scope: int) -> int:
        """The nearest class from a scope outwards, -1 if there is none."""
        return nearest(self.scopes, "class", scope)


def _named_by(node: "Node") -> "Node | None":
    """What a function without a name is assigned to."""
    parent = node.parent
    if parent is None:
        return None
    return parent.child_by_field_name("name") or parent.child_by_field_name("key") or parent.child_by_field_name("left")


def text_of(node: "Node | None") -> str:
    """The text of a node, "" for none."""
    return node.text.decode("utf-8", "replace") if node is not None and node.text is not None else ""


def bare_type(text: str) -> str:
    """The name of the class that a type names, "" for what is none: a list, a union, a parameter such as `T`."""
    match = _TYPE.fullmatch(text.removeprefix(":").strip())
    return match[1] if match else ""


def _callee(call: str) -> str:
    """What a call calls, if it is named."""
    return call.partition("(")[0]


def _first(captures: Captures, key: str) -> str:
    return text_of(captures[key][0]) if key in captures else ""


def _definitions(captures: Captures, scopes: _Scopes) -> Iterator[tuple[Place, Name]]:
    for key, nodes in captures.items():
        group, _, kind = key.partition(".")
        for node in nodes:
            if key == "define.part":
                if part := _part(node, _first(captures, "owner"), scopes):
                    yield (node.start_byte, "part"), part
            elif group == "define" and kind == "default":
                original = _first(captures, "define.original")
                yield (node.start_byte, ""), Name(DEFAULT, node.start_point.row, Role.DEFINE, 0, original=original)
            elif group == "define" and kind != "original":
                yield (node.start_byte, ""), _define(node, kind, _first(captures, "owner"), scopes)
            elif key in {"import.name", "import.package", "import.default", "import.all"}:
                yield (node.start_byte, ""), _import(node, kind, captures, scopes)


def _define(node: "Node", kind: str, owner: str, scopes: _Scopes) -> Name:
    return replace(_defined_as(node, kind, owner, scopes), opens=scopes.opened_by(node.start_byte))


def _defined_as(node: "Node", kind: str, owner: str, scopes: _Scopes) -> Name:
    text, row, scope = text_of(node), node.start_point.row, scopes.at(node.start_byte)
    if kind == "export":
        return Name(text, row, Role.DEFINE, 0)
    if kind == "constructor":
        return _constructor(text, row, scopes.class_at(scope), scopes)
    if kind in {"field", "own"} or (kind not in {"parameter", "type"} and scopes.scopes[scope].kind == "class"):
        within = scopes.class_at(scope)
        named = _BARE.sub("", owner) if owner else scopes.owner_of(kind, scope) or f"?{row}"
        return Name(text, row, Role.FIELD, -1 if owner else within, owner=named)
    if kind == "parameter":
        return Name(text, row, Role.DEFINE, scope, parameter=True, place=parameter_place(node))
    return Name(text, row, Role.DEFINE, scope)


def _part(node: "Node", owner: str, scopes: _Scopes) -> Name | None:
    """A member of an object, of which the variable `owner` or the function around that makes it is known by name."""
    function = nearest(scopes.scopes, "function", scopes.at(node.start_byte))
    named = owner or (scopes.scopes[function].owner if function >= 0 else "")
    return Name(text_of(node), node.start_point.row, Role.PART, -1, owner=named) if named else None


def _constructor(text: str, row: int, class_scope: int, scopes: _Scopes) -> Name:
    """A constructor defines its class once more: code that makes an object names the class."""
    if class_scope < 0:
        return Name(text, row, Role.FIELD, -1)
    scope = scopes.scopes[class_scope]
    outer = scopes.scopes[scope.parent]
    if outer.kind == "class":
        return Name(scope.owner, row, Role.FIELD, scope.parent, owner=outer.owner)
    return Name(scope.owner, row, Role.DEFINE, scope.parent)


def _import(node: "Node", kind: str, captures: Captures, scopes: _Scopes) -> Name:
    text = text_of(node).rpartition("/")[2]
    module = _first(captures, "import.module").strip("\"'`")
    original = {"package": "", "all": "", "default": DEFAULT}.get(kind, _first(captures, "import.original") or text)
    return Name(text, node.start_point.row, Role.IMPORT, scopes.at(node.start_byte), module=module, original=original)


def _uses(captures: Captures, scopes: _Scopes, parents: Mapping[str, str]) -> Iterator[tuple[Place, Name]]:
    for key, nodes in captures.items():
        group, _, kind = key.partition(".")
        for node in nodes if group == "use" else ():
            at, row, scope = node.start_byte, node.start_point.row, scopes.at(node.start_byte)
            if kind == "doc":
                opened = scopes.opened_by(captures["documented"][0].start_byte)
                lines = documented(node)
                yield from (((byte, kind), Name(text, at_row, Role.DOCUMENT, opened)) for byte, at_row, text in lines)
                continue
            if kind == "arguments":
                callee = ".".join(filter(None, (_first(captures, "receiver"), _first(captures, "callee"))))
                yield from _arguments(node, callee, scope)
                continue
            if kind == "super":
                # Code that makes the part of an ancestor names the ancestor.
                yield (at, ""), Name(parents.get(scopes.owner_of(kind, scope), ""), row, Role.USE, scope)
                continue
            role = Role.MEMBER if kind == "part" else Role(kind) if kind else Role.USE
            owner = _first(captures, "callee") if role == Role.KEYWORD else _first(captures, "receiver")
            yield (at, kind if kind == "part" else ""), Name(text_of(node), row, role, scope, owner)


def _arguments(arguments: "Node", callee: str, scope: int) -> Iterator[tuple[Place, Name]]:
    for place, node in arguments_by_place(arguments):
        long = node.end_byte - node.start_byte > _LONG
        text = text_of(node) if node.type == "identifier" else ""
        original = "" if long else text_of(node)
        name = Name(text, node.start_point.row, Role.ARGUMENT, scope, callee, original=original, place=place)
        yield (node.start_byte, "argument"), name
