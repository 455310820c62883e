"""Decodes a stream of Server-Sent Events for every wire: splits it into payloads, which the wire's reader reads."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

from suts.failures import malformed
from suts.sut import Beat, ErrorKind, Event, Received, SutError
from suts.wires.sse import SseSplitter

# What a reader raises for a payload that is not a chunk of its wire.
_NOT_A_CHUNK = (LookupError, TypeError, AttributeError, ValueError)


class Reader(Protocol):
    """The part of a wire that reads one payload."""

    ended: bool

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        """Append the events of this payload; set `ended` at the end marker.

        Raises SutError for an error object, and LookupError, TypeError, AttributeError or ValueError for a payload
        that is not a chunk of the wire.
        """
        ...


class SseDecoder:
    """One stream being decoded: pure, and the same events wherever the stream is cut into pieces (Beats aside)."""

    __slots__ = ("_answering", "_reader", "_sse")

    def __init__(self, new_reader: Callable[[], Reader]) -> None:
        """Begin a stream; `new_reader` makes the reader of one stream."""
        self._reader = new_reader()
        self._sse = SseSplitter()
        self._answering = False

    def feed(self, received: Received) -> Sequence[Event]:
        """Return the events that this piece completes; one Beat if they carry no content.

        A comment is not an event: gateways send comments before the model begins. Raises SutError: of the kind that the
        stream's error object names, or MALFORMED for a payload that is not a chunk. The error is always retryable
        once an answer has begun, because the provider had accepted the request.
        """
        at_ns, data = received
        payloads = self._sse.feed(data)
        if not payloads:
            return ()
        reader, events = self._reader, list[Event]()
        try:
            for payload in payloads:
                if payload and not reader.ended:
                    reader.read(payload, at_ns, events)
        except _NOT_A_CHUNK as error:
            raise malformed(payload) from error
        except SutError as error:
            error.retryable = error.retryable or self._answering or bool(events)
            raise
        self._answering = self._answering or bool(events)
        return events or ((Beat(at_ns),) if any(payloads) else ())

    def finish(self) -> None:
        """Raise SutError(CUT) if the stream's own end marker has not arrived."""
        if not self._reader.ended and (rest := self._sse.rest()):
            with suppress(*_NOT_A_CHUNK):
                self._reader.read(rest, 0, [])
        if not self._reader.ended:
            raise SutError(ErrorKind.CUT, "the stream ended before its end marker")
