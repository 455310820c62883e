"""Answers that come as one JSON object, as batches deliver them: read as the stream of the same answer would be.

The object becomes the events of its API's stream, which the wire of that stream reads: there is one reading of fields,
counts and ends for both.
"""

from collections.abc import Callable, Iterable, Iterator

import orjson

from suts.failures import malformed
from suts.sut import Decoder, Event, Received, Wire
from suts.wires.fields import members, text

Members = dict[str, object]
Payloads = Callable[[Members], Iterable[bytes]]
BATCHED = "-batch"


class WholeAnswerWire:
    """The wire of whole answers to `streaming`'s requests; `events` are the payloads of that stream."""

    def __init__(self, streaming: Wire, events: Payloads) -> None:
        """Take the name of the streaming wire, with `-batch` behind it."""
        self.name = streaming.name + BATCHED
        self._streaming = streaming
        self._events = events

    def decoder(self) -> "_WholeDecoder":
        """Begin an answer."""
        return _WholeDecoder(self._streaming.decoder(), self._events)


class _WholeDecoder:
    """Collects the object, which may be cut anywhere; its events are those of the piece that completes it."""

    def __init__(self, streaming: Decoder, events: Payloads) -> None:
        self._streaming = streaming
        self._events = events
        self._data = bytearray()
        self._read = False

    @property
    def ended(self) -> bool:
        return self._streaming.ended

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the events of the whole answer once it is there; raises SutError(MALFORMED) for another object."""
        self._data += received.data
        # Only at its end can an object be complete: it is not parsed once for each piece.
        if self._read or not received.data.rstrip().endswith(b"}"):
            return ()
        try:
            answer = orjson.loads(self._data)
        except orjson.JSONDecodeError:
            return ()
        self._read = True
        try:
            frames = [b"data: %b\n\n" % payload for payload in self._events(members(answer))]
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise malformed(bytes(self._data)) from error
        return self._streaming.feed(Received(received.at_ns, b"".join(frames)))

    def finish(self) -> Iterable[Event]:
        """Return no further events. Raises SutError(CUT) for an object without an end."""
        return self._streaming.finish()


def chat_events(answer: Members) -> Iterator[bytes]:
    """Yield a chat completion as one chunk, and the end marker."""
    choices = answer.get("choices")
    if not isinstance(choices, list):
        yield orjson.dumps(answer)
        return
    chunks = []
    for choice in map(members, choices):
        message = members(choice.get("message"))
        calls = message.get("tool_calls")
        if isinstance(calls, list):
            message["tool_calls"] = [{"index": index, **members(call)} for index, call in enumerate(calls)]
        chunks.append({**choice, "delta": message})
    yield orjson.dumps({**answer, "choices": chunks})
    yield b"[DONE]"


def message_events(answer: Members) -> Iterator[bytes]:
    """Yield a message of Anthropic's: each block is whole in its opening, as it may be in a stream."""
    content = answer.get("content")
    if not isinstance(content, list):
        yield orjson.dumps(answer)
        return
    yield orjson.dumps({"type": "message_start", "message": {**answer, "content": []}})
    for index, block in enumerate(content):
        yield orjson.dumps({"type": "content_block_start", "index": index, "content_block": block})
        yield orjson.dumps({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": answer.get("stop_reason")}
    yield orjson.dumps({"type": "message_delta", "delta": delta, "usage": answer.get("usage")})
    yield orjson.dumps({"type": "message_stop"})


def response_events(answer: Members) -> Iterator[bytes]:
    """Yield a response as the last event of its stream, which holds all of it."""
    status = text(answer.get("status")) or "completed"
    yield orjson.dumps({"type": f"response.{status}", "response": answer} if "output" in answer else answer)


def generate_events(answer: Members) -> Iterator[bytes]:
    """Yield an answer of Google's, which is a response of its stream."""
    yield orjson.dumps(answer)
