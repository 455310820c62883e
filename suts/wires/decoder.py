"""Decodes a stream of Server-Sent Events: the loop and the fast path that every wire shares.

Nearly every event of a stream differs from the one before in the text it brings and in nothing else. So the
bytes before and after the text of one event are kept, and whatever has the same around is read by decoding one
JSON string: head + any JSON string + tail is the same tree with another leaf. A piece of several such events, as
they come under load, is split where a tail meets a head; a long one that begins or ends otherwise is cut into parts
first. That costs 0.9 us an event of 200 bytes, 0.6 us among several alike and 0.7 us in a long mixed piece, where
splitting and parsing the whole cost 1.9 us.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple, Protocol, cast

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
    """The bytes around the text, where it begins and ends, what lies between two texts, and their kind."""

    head: bytes
    tail: bytes
    start: int
    stop: int
    joint: bytes
    kind: type[TextDelta | ReasoningDelta]


# No bytes begin like this one: 0xFF occurs nowhere in UTF-8.
_NONE = Shape(b"\xff", b"", 0, 0, b"\xff", TextDelta)
# A piece of so many bytes is worth cutting into parts.
_MANY_EVENTS = 4096
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

    __slots__ = ("_answering", "_event", "_new_reader", "_payload", "_reader", "_sse", "_used", "_wasted")

    def __init__(self, new_reader: Callable[[], Reader]) -> None:
        """Begin a stream; `new_reader` makes the reader of one stream."""
        self._new_reader = new_reader
        self._reader = new_reader()
        self._sse = SseSplitter()
        self._payload = _NONE
        self._event = _NONE  # the same, with the lines and the end around the payload
        self._used = True
        self._wasted = 0
        self._answering = False

    def feed(self, received: Received) -> Sequence[Event]:
        """The events that this piece completes; one Beat when what it completes says nothing.

        A comment is no event: gateways send some while the model is still to begin. Raises SutError: of the kind the
        stream's error object tells, or MALFORMED for what is no chunk; always retryable once an answer has begun,
        since a request that was being answered is no bad one.
        """
        at_ns, data = received
        known = self._known(at_ns, data)
        if known:
            return known
        return self._feed(at_ns, data) if len(data) < _MANY_EVENTS else self._feed_parts(at_ns, data)

    def finish(self) -> None:
        """Raise SutError(CUT) when the stream's own end marker has not come."""
        if not self._reader.ended and (rest := self._sse.rest()):
            with suppress(*_NO_CHUNK):
                self._reader.read(rest, 0, [])
        if not self._reader.ended:
            raise SutError(ErrorKind.CUT, "the stream ended before its end marker")

    def _known(self, at_ns: int, data: bytes) -> Sequence[Event]:
        """The events of a piece that holds none but those of the known shape; else none."""
        head, tail, start, stop, joint, kind = self._event
        if not (data.startswith(head) and data.endswith(tail) and self._sse.clean):
            return ()
        inner = data[start:stop]
        if joint in inner:
            events: Sequence[Event] = [kind(at_ns, text) for text in _strings(inner.split(joint))]
        else:
            text = _string(inner)
            events = (kind(at_ns, text),) if text else ()
        self._used = self._used or bool(events)
        return events

    def _feed_parts(self, at_ns: int, data: bytes) -> Sequence[Event]:
        events: list[Event] = []
        for part in self._parts(data):
            events += self._known(at_ns, part) or self._feed(at_ns, part)
        return [event for event in events if type(event) is not Beat] or events[:1]

    def _parts(self, data: bytes) -> Iterator[bytes]:
        """A piece of many events in parts, each read before the next is cut off.

        Its first events one by one until one shows the shape of those that follow; these together; the rest.
        """
        for _ in range(_PATIENCE):
            cut = data.find(b"\n\n") + 2
            if cut < 2 or self._event is not _NONE or not self._sse.clean:
                break
            yield data[:cut]
            data = data[cut:]
        head, tail, *_ = self._event
        end = data.rfind(tail) if data.startswith(head) else -1
        if end >= 0:
            yield data[: end + len(tail)]
            data = data[end + len(tail) :]
        if data:
            yield data

    def _feed(self, at_ns: int, data: bytes) -> Sequence[Event]:
        whole = self._sse.clean
        payloads = self._sse.feed(data)
        if not payloads:
            return ()
        events: list[Event] = []
        for payload in payloads:
            head, tail, start, stop, _, kind = self._payload
            alike = payload.startswith(head) and payload.endswith(tail)
            if alike and (text := _string(payload[start:stop])):
                self._used = True
                events.append(kind(at_ns, text))
            elif payload and not self._reader.ended:
                self._read(payload, at_ns, events)
        if whole and self._event is _NONE:
            self._frame(data, payloads[0])
        return events or ((Beat(at_ns),) if any(payloads) else ())

    def _read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        known = len(events)
        try:
            self._reader.read(payload, at_ns, events)
        except _NO_CHUNK as error:
            raise malformed(payload) from error
        except SutError as error:
            error.retryable = error.retryable or self._answering
            raise
        self._answering = self._answering or len(events) > known
        if self._reader.ended:
            self._payload = self._event = _NONE
        elif len(events) == known + 1 and self._wasted < _PATIENCE:
            self._learn(payload, events[-1])

    def _learn(self, payload: bytes, event: Event) -> None:
        """Keep what surrounds the text of this payload, if another text in its place would be read as such."""
        if not isinstance(event, (TextDelta, ReasoningDelta)):
            return
        head, text, tail = payload.partition(orjson.dumps(event.text))
        read: list[Event] = []
        with suppress(SutError, *_NO_CHUNK):
            self._new_reader().read(head + orjson.dumps(_PROBE) + tail, event.at_ns, read)
        if not text or read != [event._replace(text=_PROBE)]:
            return
        self._wasted = 0 if self._used else self._wasted + 1
        self._used = False
        self._payload, self._event = _shape(head, tail, type(event)), _NONE

    def _frame(self, data: bytes, payload: bytes) -> None:
        """Keep what surrounds the text in the first event of `data`, if its payload is of the shape that is known."""
        head, tail, *_, kind = self._payload
        if not (payload.startswith(head) and payload.endswith(tail)):
            return
        before, _, rest = data.partition(payload)
        blank = next((each for each in _BLANK_LINES if rest.startswith(each)), b"")
        if blank:
            self._event = _shape(before + head, tail + blank, kind)


def _shape(head: bytes, tail: bytes, kind: type[TextDelta | ReasoningDelta]) -> Shape:
    return Shape(head, tail, len(head), -len(tail), tail + head, kind)


def _string(part: bytes) -> str | None:
    """The text, if this is one JSON string."""
    try:
        text = orjson.loads(part)
    except orjson.JSONDecodeError:
        return None
    return text if type(text) is str else None


def _strings(parts: Sequence[bytes]) -> Sequence[str]:
    """The texts, if each part is one JSON string that is not empty; else none. No part holds a newline.

    They are read at once: a string does not go over the newline that is put between two, so there are as many
    texts as parts only if each part is one.
    """
    try:
        texts: list[object] = orjson.loads(b"[%b]" % b",\n".join(parts))
    except orjson.JSONDecodeError:
        return ()
    right = len(texts) == len(parts) and all(text and type(text) is str for text in texts)
    return cast("list[str]", texts) if right else ()
