"""The wire of systems that run on this machine: plain text and a usage of zero tokens."""

from collections.abc import Iterable, Iterator

from suts.sut import Decoder, Event, Received, Usage
from suts.wires.plain import PlainText


class LocalText:
    """The wire of systems that are not models."""

    name = "local"

    def decoder(self) -> Decoder:
        """Begin a stream."""
        return _LocalDecoder(PlainText().decoder())


class _LocalDecoder:
    ended = False

    def __init__(self, plain: Decoder) -> None:
        self._plain = plain
        self._reported = False

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the text of a piece; the first is preceded by a usage of zero tokens."""
        return tuple(self._events(received))

    def _events(self, received: Received) -> Iterator[Event]:
        if received.data and not self._reported:
            self._reported = True
            yield Usage(received.at_ns, 0, 0, 0, 0, 0)
        yield from self._plain.feed(received)

    def finish(self) -> Iterable[Event]:
        """Return no further events: text may end anywhere."""
        return self._plain.finish()
