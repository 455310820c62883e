"""Decodes a stream of Server-Sent Events: the loop and the fast path that every wire shares.

Nearly every event of a stream differs from the one before in the text it brings and in nothing else. So the
bytes before and after the text of one event are kept, and whatever has the same around is read by decoding one
JSON string: head + any JSON string + tail is the same tree with another leaf. A piece of several such events, as
they come under load, is split where a tail meets a head. That costs 0.9 us an event of 200 bytes, or 0.6 us
among several, where splitting and parsing the whole cost 1.9 us.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol

import orjson

from suts.failures import malformed
from suts.sut import Beat, ErrorKind, Event, ReasoningDelta, Received, SutError, TextDelta
from suts.wires.sse import SseSplitter

_PROBE = "\x00 any text"
# What a reader raises for what is no chunk of its wire.
_NO_CHUNK = (LookupError, TypeError, AttributeError, ValueError)
# After so many shapes in a row that never came again the stream is one whose chunks vary (padding, counters).
_PATIENCE = 4


class Shape(NamedTuple):
    """The bytes around the text of an event, where it begins and ends, and what kind of text it is."""

    head: bytes
    tail: bytes
    start: int
    stop: int
    joint: bytes
    kind: type[TextDelta | ReasoningDelta]


# No bytes begin like this one: 0xFF occurs nowhere in UTF-8.
_NONE = Shape(b"\xff", b"", 0, 0, b"\xff", TextDelta)
_BLANK_LINES = (b"\n\n", b"\r\n\r\n")


class Reader(Protocol):
    """What is peculiar to a wire: reading one payload."""

    ended: bool

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        """Add what this payload says; set `ended` at the end marker, read nothing after it.

        Raises SutError for an error object, and LookupError, TypeError, AttributeError or ValueError for what
        is no chunk of the wire.
        """
        ...


class SseDecoder:
    """One stream being decoded: pure, and the same events whatever the cuts (Beats aside)."""

    __slots__ = ("_new_reader", "_reader", "_shape", "_sse", "_used", "_wasted")

    def __init__(self, new_reader: Callable[[], Reader]) -> None:
        """Begin a stream; `new_reader` makes the reader of one stream."""
        self._new_reader = new_reader
        self._reader = new_reader()
        self._sse = SseSplitter()
        self._shape = _NONE
        self._used = True
        self._wasted = 0

    def feed(self, received: Received) -> Sequence[Event]:
        """The events that this piece completes; one Beat when what it completes says nothing.

        Raises SutError: of the kind the stream's error object tells, or MALFORMED for what is no chunk.
        """
        at_ns, data = received
        head, tail, start, stop, joint, kind = self._shape
        if data.startswith(head) and data.endswith(tail) and self._sse.clean:
            inner = data[start:stop]
            if joint in inner:
                events = [kind(at_ns, text) for text in _strings(inner.split(joint))]
                if events:
                    self._used = True
                    return events
            elif text := _string(inner):
                self._used = True
                return (kind(at_ns, text),)
        return self._feed(at_ns, data)

    def finish(self) -> None:
        """Raise SutError(CUT) when the stream's own end marker has not come."""
        if not self._reader.ended and (rest := self._sse.rest()):
            with suppress(*_NO_CHUNK):
                self._reader.read(rest, 0, [])
        if not self._reader.ended:
            raise SutError(ErrorKind.CUT, "the stream ended before its end marker")

    def _feed(self, at_ns: int, data: bytes) -> Sequence[Event]:
        whole = self._sse.clean
        payloads = self._sse.feed(data)
        if not payloads:
            return ()
        events: list[Event] = []
        for payload in payloads:
            if not payload or self._reader.ended:
                continue
            try:
                self._reader.read(payload, at_ns, events)
            except _NO_CHUNK as error:
                raise malformed(payload) from error
        if self._reader.ended:
            self._shape = _NONE
        elif whole and events and payloads[0] and self._wasted < _PATIENCE:
            self._learn(data, payloads[0], events[0])
        return events or (Beat(at_ns),)

    def _learn(self, data: bytes, payload: bytes, event: Event) -> None:
        """Keep what surrounds the text of the first event, if another text in its place would be read as such."""
        if not isinstance(event, (TextDelta, ReasoningDelta)):
            return
        before, _, rest = data.partition(payload)
        blank = next((each for each in _BLANK_LINES if rest.startswith(each)), b"")
        head, text, tail = payload.partition(orjson.dumps(event.text))
        read: list[Event] = []
        with suppress(SutError, *_NO_CHUNK):
            self._new_reader().read(head + orjson.dumps(_PROBE) + tail, event.at_ns, read)
        if not blank or not text or read != [event._replace(text=_PROBE)]:
            return
        self._wasted = 0 if self._used else self._wasted + 1
        self._used = False
        head, tail = before + head, tail + blank
        self._shape = Shape(head, tail, len(head), -len(tail), tail + head, type(event))


def _string(part: bytes) -> str | None:
    """The text, if this is one JSON string."""
    try:
        text = orjson.loads(part)
    except orjson.JSONDecodeError:
        return None
    return text if type(text) is str else None


def _strings(parts: Sequence[bytes]) -> Sequence[str]:
    """The texts, if each part is one JSON string that is not empty; else none."""
    texts = [text for part in parts if (text := _string(part))]
    return texts if len(texts) == len(parts) else ()
