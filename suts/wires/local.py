"""The wire of systems that run on this machine: plain text, and a usage of nothing, since no token was used."""

from collections.abc import Iterable, Iterator

from suts.sut import Decoder, Event, Received, Usage
from suts.wires.plain import PlainText


class LocalText:
    """The wire of what is no model."""

    name = "local"

    def decoder(self) -> Decoder:
        """Begin a stream."""
        return _LocalDecoder(PlainText().decoder())


class _LocalDecoder:
    def __init__(self, plain: Decoder) -> None:
        self._plain = plain
        self._told = False

    def feed(self, received: Received) -> Iterable[Event]:
        """The text of a piece; with the first that no token was used."""
        return tuple(self._events(received))

    def _events(self, received: Received) -> Iterator[Event]:
        if received.data and not self._told:
            self._told = True
            yield Usage(received.at_ns, 0, 0, 0, 0, 0)
        yield from self._plain.feed(received)

    def finish(self) -> None:
        """Text may end anywhere."""
        self._plain.finish()
