"""Distinguishes the native tool calls of one answer, and puts their pieces together.

Servers number calls differently: by index, by index 0 for all of them, or not at all; later pieces repeat the id and
the name, leave them out, or set them to null.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from suts.sut import ToolCallDelta

Index = int | str | None


class ToolCall(NamedTuple):
    """One whole call. `arguments` is the text as it came, or `{}` if none came; `id` is "" if the server sent none."""

    id: str
    name: str
    arguments: str


class ToolCalls:
    """The calls of one answer, put together from their pieces. The first id and name of a call that are not empty stay.

    >>> calls = ToolCalls()
    >>> calls.add(ToolCallDelta(0, 0, "read", '{"path"', "call_1"))
    >>> calls.add(ToolCallDelta(0, 0, "", ':"a"}'))
    >>> calls.whole()
    (ToolCall(id='call_1', name='read', arguments='{"path":"a"}'),)
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        """Begin an answer."""
        self._parts: dict[int, tuple[list[str], list[str], list[str]]] = {}

    def add(self, delta: ToolCallDelta) -> None:
        """Take one piece of a call."""
        parts = self._parts.get(delta.call)
        if parts is None:
            parts = self._parts[delta.call] = ([], [], [])
        ids, names, arguments = parts
        if delta.id:
            ids.append(delta.id)
        if delta.name:
            names.append(delta.name)
        arguments.append(delta.arguments)

    def whole(self) -> tuple[ToolCall, ...]:
        """Return the calls in the order in which they opened."""
        return tuple(call for _, call in self.numbered())

    def numbered(self) -> tuple[tuple[int, ToolCall], ...]:
        """Return the calls in the order in which they opened, each with its number."""
        return tuple(
            (number, ToolCall("".join(ids[:1]), "".join(names[:1]), "".join(arguments) or "{}"))
            for number, (ids, names, arguments) in self._parts.items()
        )


@dataclass(slots=True)
class _Call:
    """A call that has opened; `id` and `name` as sent so far."""

    number: int
    id: str = ""
    name: str = ""

    def differs(self, call_id: str, name: str) -> bool:
        """Return whether a piece with this id, which is new, and this name belongs to another call.

        An id alone does not decide: there are gateways that give every piece a new one.
        """
        return bool(call_id and name and (self.id or (self.name and self.name != name)))


@dataclass(slots=True)
class CallNumbers:
    """Assigns each piece of a tool call to a call; a call's number is its index where that is free.

    - With an index, a new id together with a name opens another call at the same index.
    - Without an index, an id or a name opens a call, and a piece with neither continues the last call.
    - An id that was seen before at the same index continues its call.
    """

    _at_index: dict[Index, _Call] = field(default_factory=dict)
    _by_id: dict[tuple[Index, str], _Call] = field(default_factory=dict)
    _taken: set[int] = field(default_factory=set)
    _next: int = 0
    _last: _Call | None = None

    def further(self, call: Mapping[str, object], at_ns: int) -> ToolCallDelta | None:
        """Return the event for `{"index": n, "function": {"arguments": "..."}}` of a known call: nearly every piece."""
        index, function = call.get("index"), call.get("function")
        known = self._at_index.get(index) if type(index) is int else None
        if known is None or type(function) is not dict or len(function) != 1:
            return None
        arguments = function.get("arguments")
        if type(arguments) is not str:
            return None
        self._last = known
        return ToolCallDelta(at_ns, known.number, "", arguments)

    def piece(self, at_ns: int, index: Index, call_id: str, name: str, arguments: str) -> ToolCallDelta | None:
        """Return the event for a piece, with id and name only where they are new; None for an empty first piece."""
        if not call_id and not name and index is not None and (known := self._at_index.get(index)):
            # Nearly every piece is a further one of a call.
            self._last = known
            return ToolCallDelta(at_ns, known.number, "", arguments)
        call = self._find(index, call_id, name)
        if call is None:
            if not (call_id or name or arguments):
                return None
            return self.opening(at_ns, index, call_id, name, arguments)
        return self._continued(call, at_ns, (index, call_id), name, arguments)

    def opening(self, at_ns: int, index: Index, call_id: str, name: str, arguments: str) -> ToolCallDelta:
        """Return the event for the first piece of a new call."""
        free = isinstance(index, int) and index not in self._taken
        number = index if free and isinstance(index, int) else self._next
        self._taken.add(number)
        self._next = max(self._next, number + 1)
        return self._continued(_Call(number), at_ns, (index, call_id), name, arguments)

    def _find(self, index: Index, call_id: str, name: str) -> _Call | None:
        known = self._by_id.get((index, call_id)) if call_id else None
        if known is not None:
            return known
        if index is None:
            return None if call_id or name else self._last
        current = self._at_index.get(index)
        return None if current is None or current.differs(call_id, name) else current

    def _continued(self, call: _Call, at_ns: int, key: tuple[Index, str], name: str, arguments: str) -> ToolCallDelta:
        index, call_id = key
        if call_id:
            self._by_id.setdefault(key, call)
        self._at_index[index] = self._last = call
        new_id, new_name = "" if call.id else call_id, "" if call.name else name
        call.id, call.name = call.id or call_id, call.name or name
        return ToolCallDelta(at_ns, call.number, new_name, arguments, new_id)
