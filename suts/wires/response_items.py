"""The items of one response: which call a piece belongs to, and what was stated of each so far."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import orjson

from suts.sut import Event, ToolCallDelta
from suts.wires.fields import call_arguments, text

# The kinds of items that are calls, with the field that holds what is called with, and a name where they have none.
CALLS: Mapping[str, tuple[str, str]] = {
    "function_call": ("arguments", ""),
    "custom_tool_call": ("input", ""),
    "apply_patch_call": ("operation", "apply_patch"),
}


@dataclass(slots=True)
class Stated:
    """The texts of one kind that were stated so far."""

    parts: list[str] = field(default_factory=list)

    def lacks(self, whole: str) -> bool:
        """Return whether a whole text was not among what was stated."""
        return whole not in "".join(self.parts)


@dataclass(slots=True)
class _Call:
    """A call that has opened: its number, its id and name as stated, and the pieces stated so far.

    `begun_with` are arguments that came with the opening, which count only if nothing else states them.
    """

    number: int
    id: str = ""
    name: str = ""
    begun_with: str = ""
    stated: list[str] = field(default_factory=list)


class ResponseCalls:
    """The calls of one response.

    A piece names its call by the item's id, which for llama.cpp is the call's; else by its place in the output, else it
    is of the call that opened last.
    """

    __slots__ = ("_at_place", "_by_id", "_calls", "_done")

    def __init__(self) -> None:
        """Begin a response."""
        self._by_id: dict[str, _Call] = {}
        self._at_place: dict[int, _Call] = {}
        self._calls: list[_Call] = []
        self._done: set[int] = set()

    def __bool__(self) -> bool:
        """Return whether there is a call."""
        return bool(self._calls)

    def open(self, place: int | None, item: Mapping[str, object], at_ns: int, events: list[Event]) -> None:
        """Take an item that was added."""
        kind = text(item.get("type"))
        call = self._new(place, item)
        call.begun_with = _arguments(kind, item)
        self._state(call, at_ns, events, "", item)

    def write(self, place: int | None, item_id: str, piece: str, at_ns: int, events: list[Event]) -> None:
        """Take a piece of a call's arguments."""
        call = self._find(place, item_id)
        if call is None:
            call = self._new(place, {"id": item_id})
        if piece:
            self._state(call, at_ns, events, piece)

    def complete(self, place: int | None, item_id: str, whole: str, at_ns: int, events: list[Event]) -> None:
        """Take the whole arguments of a call."""
        call = self._find(place, item_id) or self._new(place, {"id": item_id})
        self._state_rest(call, whole, at_ns, events)

    def finish(self, place: int | None, item: Mapping[str, object], at_ns: int, events: list[Event]) -> None:
        """Take an item that is done: what it says is what counts."""
        call = self._of_item(place, item) or self._new(place, item)
        if not (call.id and call.name):
            self._state(call, at_ns, events, "", item)
        self._state_rest(call, _arguments(text(item.get("type")), item), at_ns, events)
        self._done.add(call.number)

    def close(self, at_ns: int, events: list[Event]) -> None:
        """End the response: state what calls began with that nothing else stated."""
        for call in self._calls:
            if not call.stated and call.begun_with:
                self._state(call, at_ns, events, call.begun_with)

    def _of_item(self, place: int | None, item: Mapping[str, object]) -> _Call | None:
        """Return the call of a whole item; an unknown one at a place that is done is another."""
        for name in (text(item.get("id")), text(item.get("call_id"))):
            if name in self._by_id:
                return self._by_id[name]
        known = self._at_place.get(place) if place is not None else None
        if known is not None and (known.number in self._done or known.id not in {"", text(item.get("call_id"))}):
            return None
        return known

    def _find(self, place: int | None, item_id: str) -> _Call | None:
        if item_id and item_id in self._by_id:
            return self._by_id[item_id]
        if place is not None:
            return self._at_place.get(place)
        return self._calls[-1] if self._calls else None

    def _new(self, place: int | None, item: Mapping[str, object]) -> _Call:
        call = _Call(len(self._calls))
        self._calls.append(call)
        for name in (text(item.get("id")), text(item.get("call_id"))):
            if name:
                self._by_id[name] = call
        if place is not None:
            self._at_place[place] = call
        return call

    def _state(
        self, call: _Call, at_ns: int, events: list[Event], piece: str, item: Mapping[str, object] | None = None
    ) -> None:
        """Append the event of a piece, with the id and the name that `item` has, where they are new."""
        new_id = new_name = ""
        if item is not None:
            usual = CALLS.get(text(item.get("type")), ("", ""))[1]
            call_id = text(item.get("call_id")) or text(item.get("id"))
            new_id, new_name = ("" if call.id else call_id), ("" if call.name else text(item.get("name")) or usual)
            call.id, call.name = call.id or new_id, call.name or new_name
        if piece:
            call.stated.append(piece)
        if piece or new_id or new_name:
            events.append(ToolCallDelta(at_ns, call.number, new_name, piece, new_id))

    def _state_rest(self, call: _Call, whole: str, at_ns: int, events: list[Event]) -> None:
        """State what the pieces have not stated; where they stated something else, they stay."""
        stated = "".join(call.stated)
        if len(whole) > len(stated) and whole.startswith(stated):
            self._state(call, at_ns, events, whole[len(stated) :])


def _arguments(kind: str, item: Mapping[str, object]) -> str:
    """Return what an item is called with: JSON text, the text of a custom tool, or the operation as JSON."""
    value = item.get(CALLS[kind][0]) if kind in CALLS else None
    if isinstance(value, dict) and value:
        return orjson.dumps(value).decode()
    return call_arguments(value)
