"""Reading an answer from its raw stream: text, usage and every clock, live and from the records alike."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import zstandard

from parsers.blocks import EditMarks, Parse
from parsers.forms.native_form import NativeFormParse
from parsers.native_calls import NativeParse
from parsers.transcript import Transcriber
from runner.inflating import DamagedError, inflated
from runner.records import Clocks, Completion, Tokens
from suts.agent_parts import EditBegins, EditEnds
from suts.sut import (
    Beat,
    Decoder,
    ErrorKind,
    Event,
    Finish,
    Note,
    ReasoningDelta,
    Received,
    SutError,
    TextDelta,
    Timings,
    ToolCallDelta,
    Usage,
    WholeText,
)
from suts.wires.tool_calls import ToolCall, ToolCalls

CODEC = "varint-zstd-1"

_NO_MARKS = EditMarks()
# In bits: nine groups of seven hold every time and length; a longer number would cost quadratic time.
_LONGEST_VARINT = 63


class AnswerReader:
    """One answer being read; feed it what arrives, then ask for the completion.

    Times are kept to the microsecond, the resolution in which a stream is stored: a clock read live and one
    read from the records are the same number.
    """

    __slots__ = (
        "_decoder",
        "_deltas",
        "_finish",
        "_first_ns",
        "_mark_ns",
        "_marks",
        "_note_text",
        "_parse",
        "_reasoning",
        "_text",
        "_timings",
        "_transcriber",
        "_usage",
        "sent_ns",
        "stream",
        "token_ns",
    )

    def __init__(self, decoder: Decoder, parse: Parse | None, sent_ns: int) -> None:
        """Begin an answer to a request that was sent at `sent_ns` (monotonic nanoseconds)."""
        self._decoder = decoder
        self._parse = parse
        # The text of an answer whose calls are read has these in it.
        self._transcriber = Transcriber() if isinstance(parse, (NativeParse, NativeFormParse)) else None
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._deltas: list[ToolCallDelta] = []
        self._note_text: str | None = None
        self._usage: Usage | None = None
        self._finish: Finish | None = None
        self._timings: Timings | None = None
        self._first_ns: int | None = None
        self._marks = _NO_MARKS
        self._mark_ns: list[int | None] = [None, None, None]
        self.stream: list[Received] = []
        self.sent_ns = sent_ns
        # When the last text, reasoning or tool call came: what comes beside them shows no progress.
        self.token_ns: int | None = None

    def feed(self, received: Received) -> bool:
        """Take a piece and return whether the answer is complete; a first piece without bytes marks the sending.

        Raises SutError when the stream says so or makes no sense; what came before that is read all the same, so that
        a broken answer is the same however the network cut it.
        """
        if not received.data and not self.stream:
            self.sent_ns = received.at_ns
            return False
        self.stream.append(received)
        texts: list[str] = []
        try:
            for event in self._decoder.feed(received):
                if self._first_ns is None and type(event) is not WholeText:
                    self._first_ns = event.at_ns
                if type(event) is TextDelta:
                    texts.append(event.text if self._transcriber is None else self._transcriber.prose(event.text))
                elif type(event) is ToolCallDelta and self._transcriber is not None:
                    self._deltas.append(event)
                    texts.append(self._transcriber.call(event.call, event.name, event.arguments))
                elif type(event) is not Beat:
                    self._take(event)
        finally:
            if texts:
                self._read(texts[0] if len(texts) == 1 else "".join(texts), received.at_ns)
        return self._decoder.ended

    def _read(self, text: str, at_ns: int) -> None:
        """Take the text of one piece, which may hold many chunks: they arrived together."""
        self.token_ns = at_ns
        self._text.append(text)
        if self._parse is None or self._mark_ns[2] is not None:
            return
        self._parse.feed(text)
        marks = self._parse.marks
        if marks is self._marks or marks == self._marks:
            return
        self._marks = marks
        for index, mark in enumerate((marks.opened, marks.first_line, marks.closed)):
            if mark is not None and self._mark_ns[index] is None:
                self._mark_ns[index] = at_ns

    def _take(self, event: Event) -> None:
        match event:
            case WholeText():
                self._text.append(event.text)
            case ReasoningDelta():
                self.token_ns = event.at_ns
                self._reasoning.append(event.text)
            case ToolCallDelta():
                self.token_ns = event.at_ns
                self._deltas.append(event)
            case Usage():
                self._usage = _newer_usage(self._usage, event)
            case Finish():
                self._finish = _newer_finish(self._finish, event)
            case Note():
                self._note_text = event.text
            case _:
                self._take_beside(event)

    def _take_beside(self, event: Event) -> None:
        """Take what few wires have: times of the server, the first and the last edit of an agent."""
        match event:
            case Timings():
                self._timings = event
            case EditBegins() if self._mark_ns[0] is None or event.at_ns < self._mark_ns[0]:
                self._mark_ns[0] = event.at_ns
            case EditEnds():
                self._mark_ns[2] = event.at_ns
            case _:
                pass

    @property
    def ended(self) -> bool:
        """Whether the stream's end marker has arrived: nothing that may follow belongs to the answer."""
        return self._decoder.ended

    def end(self, at_ns: int, lost: SutError | None = None) -> None:
        """Record the end of the stream, unless its last piece did. Raises SutError when it ended too early.

        `lost` is the error with which the connection ended. It is raised unless the end marker came before, if only
        without the blank line that closes it.
        """
        if not self.stream or self.stream[-1].data:
            last_ns = self.stream[-1].at_ns if self.stream else at_ns
            self.stream.append(Received(max(at_ns, last_ns), b""))
        try:
            for event in self._decoder.finish():
                self._take(event)
        except SutError as early:
            raise lost or early from None
        if lost is not None and not self._decoder.ended:
            raise lost

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The native tool calls so far, in the order in which they opened."""
        calls = ToolCalls()
        for delta in self._deltas:
            calls.add(delta)
        return calls.whole()

    @property
    def texts(self) -> tuple[str, ...]:
        """Everything that the answer says so far, put together: text, reasoning, tool calls, how it ended."""
        calls = (text for call in self.calls for text in call)
        ending = (str(part or "") for part in self._finish[1:]) if self._finish else ()
        return ("".join(self._text), "".join(self._reasoning), *calls, *ending)

    def completion(self) -> Completion:
        """Return the answer as read; call after `end`."""
        usage = self._usage
        finish = self._finish
        return Completion(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            clocks=self._clocks(),
            tokens=_tokens(usage),
            finish_reason=finish.reason if finish else None,
            served_model=finish.model if finish else None,
            upstream=finish.upstream if finish else None,
            note=self._note_text,
            provider_cost_usd=usage.cost_usd if usage else None,
            server_prompt_ms=self._timings.prompt_ms if self._timings else None,
            server_output_ms=self._timings.output_ms if self._timings else None,
            stream=tuple(self.stream),
            sent_ns=self.sent_ns,
        )

    def _clocks(self) -> Clocks:
        first_edit, first_line, closed = (self._since_sent(at) for at in self._mark_ns)
        return Clocks(
            first_token_ms=self._since_sent(self._first_ns),
            first_edit_ms=first_edit,
            first_line_ms=first_line,
            closed_ms=closed,
            round_trip_ms=self._since_sent(self.stream[-1].at_ns) if self.stream else None,
        )

    def _since_sent(self, at_ns: int | None) -> float | None:
        return None if at_ns is None else _micros(at_ns, self.sent_ns) / 1000


def _micros(at_ns: int, sent_ns: int) -> int:
    return max(at_ns - sent_ns, 0) // 1000


def _newer_usage(old: Usage | None, new: Usage) -> Usage:
    """Fields that the newer report leaves out keep their older value."""
    return old._replace(**_without_nulls(new._asdict())) if old else new


def _newer_finish(old: Finish | None, new: Finish) -> Finish:
    return old._replace(**_without_nulls(new._asdict())) if old else new


def _without_nulls(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _tokens(usage: Usage | None) -> Tokens:
    if usage is None:
        return Tokens()
    return Tokens(
        input=usage.input_tokens,
        cache_read=usage.cache_read_tokens,
        cache_write=usage.cache_write_tokens,
        output=usage.output_tokens,
        reasoning=usage.reasoning_tokens,
    )


def read_again(stream: Sequence[Received], decoder: Decoder, parse: Parse | None) -> Completion:
    """Return the completion of a stored stream, whose first piece stands at the moment of sending.

    Raises SutError where the live reading would have.
    """
    if not stream:
        raise SutError(ErrorKind.CUT, "the stored stream has no pieces")
    reading = AnswerReader(decoder, parse, sent_ns=0)
    *pieces, last = stream
    for received in pieces:
        reading.feed(received)
    # The last one has no bytes: it says when the stream ended.
    reading.stream.append(last)
    reading.end(last.at_ns)
    return reading.completion()


class Packed(NamedTuple):
    """A raw stream as stored: `pieces` counts arrivals, `size` their bytes."""

    pieces: int
    size: int
    data: bytes


def pack(stream: Sequence[Received], sent_ns: int, compressor: zstandard.ZstdCompressor) -> Packed:
    """Return a stream as bytes: arrival (microseconds since the piece before) and length per piece, then the pieces."""
    head = bytearray()
    before = 0
    for at_ns, data in stream:
        at = (at_ns - sent_ns) // 1000
        _put_varint(head, at - before if at > before else 0)
        _put_varint(head, len(data))
        before = max(at, before)
    body = b"".join([data for _, data in stream])
    return Packed(len(stream), len(body), compressor.compress(bytes(head) + body))


def unpack(packed: Packed, decompressor: zstandard.ZstdDecompressor) -> tuple[Received, ...]:
    """Return the stream again, its times in nanoseconds since the request was sent.

    Raises DamagedError for bytes that are no stream of ours: an untrusted database may hold anything.
    """
    data = inflated(packed.data, decompressor)
    heads, position = _heads(data, packed.pieces)
    pieces: list[Received] = []
    for at_ns, length in heads:
        pieces.append(Received(at_ns, data[position : position + length]))
        position += length
    return tuple(pieces)


def _heads(data: bytes, count: int) -> tuple[list[tuple[int, int]], int]:
    """Arrival (nanoseconds) and length of so many pieces, and where the first piece begins. Raises DamagedError."""
    heads: list[tuple[int, int]] = []
    at = position = size = 0
    try:
        for _ in range(count):
            gap, position = _get_varint(data, position)
            length, position = _get_varint(data, position)
            at += gap
            size += length
            heads.append((at * 1000, length))
    except IndexError:
        raise DamagedError("it ends within its times") from None
    if position + size != len(data):
        raise DamagedError("its pieces do not have the lengths that it declares")
    return heads, position


def _put_varint(out: bytearray, number: int) -> None:
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)


def _get_varint(data: bytes, position: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[position]
        position += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, position
        shift += 7
        if shift > _LONGEST_VARINT:
            raise DamagedError("it has a number of more than 64 bits")
