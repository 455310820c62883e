"""Decodes a stream of Server-Sent Events for every wire: splits it into payloads, which the wire's reader reads."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from suts.failures import malformed
from suts.sut import Beat, ErrorKind, Event, Note, Received, SutError
from suts.wires.sse import SseSplitter

NO_END_MARKER = "ended without its end marker"
# What a reader raises for a payload that is not a chunk of its wire.
_NOT_A_CHUNK = (LookupError, TypeError, AttributeError, ValueError)


class Reader(Protocol):
    """The part of a wire that reads one payload.

    `ended` is set at the end marker, `finished` once the answer has stated why it ends.
    """

    ended: bool
    finished: bool

    def read(self, payload: bytes, at_ns: int, events: list[Event]) -> None:
        """Append the events of this payload.

        Raises SutError for an error object, and LookupError, TypeError, AttributeError or ValueError for a payload
        that is not a chunk of the wire.
        """
        ...


class SseDecoder:
    """One stream being decoded: pure, and the same events wherever the stream is cut into pieces (Beats aside)."""

    __slots__ = ("_answering", "_at_ns", "_error", "_reader", "_sse", "ended")

    def __init__(self, new_reader: Callable[[], Reader]) -> None:
        """Begin a stream; `new_reader` makes the reader of one stream."""
        self.ended = False
        self._reader = new_reader()
        self._sse = SseSplitter()
        self._answering = False
        self._at_ns = 0
        self._error: SutError | None = None

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the events that this piece completes; one Beat if they carry no content.

        A comment is not an event: gateways send comments before the model begins. After the events before it, the
        iteration raises SutError: of the kind that the stream's error object names, or MALFORMED for a payload that
        is not a chunk. The error is always retryable once an answer has begun, because the provider had accepted the
        request.
        """
        at_ns, data = received
        self._at_ns = at_ns
        payloads = self._sse.feed(data)
        if not payloads:
            return ()
        reader, events = self._reader, list[Event]()
        try:
            for payload in payloads:
                if payload and not reader.ended:
                    reader.read(payload, at_ns, events)
        except _NOT_A_CHUNK:
            return self._broken(malformed(payload), events)
        except SutError as error:
            return self._broken(error, events)
        self.ended = reader.ended
        if events:
            self._answering = True
            return events
        return (Beat(at_ns),) if any(payloads) else ()

    def finish(self) -> Sequence[Event]:
        """Return the events of an end marker that no blank line has closed, or a Note that it is missing.

        Any other event that no blank line has closed is incomplete, and dropped as the standard says, except that an
        error object raises its SutError. Raises SutError(CUT) without an end marker and without a finish reason.
        """
        if self._error is not None:
            raise self._error
        reader, events, finished = self._reader, list[Event](), self._reader.finished
        if not reader.ended and (rest := self._sse.rest()):
            with suppress(*_NOT_A_CHUNK):
                self._read_rest(rest, events)
        if reader.ended:
            self.ended = True
            return events
        if finished:
            return (Note(self._at_ns, NO_END_MARKER),)
        raise SutError(ErrorKind.CUT, "the stream ended before its end marker")

    def _read_rest(self, rest: bytes, events: list[Event]) -> None:
        try:
            self._reader.read(rest, self._at_ns, events)
        except SutError as error:
            error.retryable = error.retryable or self._answering
            raise

    def _broken(self, error: SutError, events: list[Event]) -> Iterator[Event]:
        error.retryable = error.retryable or self._answering or bool(events)
        self._error = error
        return _then_raise(events, error)


def _then_raise(events: list[Event], error: SutError) -> Iterator[Event]:
    yield from events
    raise error
