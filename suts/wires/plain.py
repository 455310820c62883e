"""The plain wire: the bytes are the answer's text in UTF-8, its end is the end of the stream."""

import codecs
from collections.abc import Iterable

from suts.sut import Decoder, Event, Received, TextDelta


class PlainText:
    """The wire of recorded answers."""

    name = "plain"

    def decoder(self) -> Decoder:
        """Begin a stream."""
        return _PlainDecoder()


class _PlainDecoder:
    ended = False

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("surrogatepass").decode

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the text of a piece; an incomplete character waits for its remaining bytes."""
        text = self._decode(received.data)
        return (TextDelta(received.at_ns, text),) if text else ()

    def finish(self) -> Iterable[Event]:
        """Return no further events: text may end anywhere."""
        return ()
