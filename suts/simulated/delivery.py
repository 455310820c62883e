"""One answer on its way to a client: paced, corrupted by its fault, and recorded in the journal at its end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from suts.simulated.answer import AnswerRequest, Sending, answer
from suts.simulated.choices import choices
from suts.simulated.connection import LAST_CHUNK, ClientConnection, chunk
from suts.simulated.encode import broken_frame, error_frame, odd_frame
from suts.simulated.faults import WHOLE
from suts.simulated.journal import JournalEntry
from suts.simulated.pacer import Playing
from suts.simulated.question import SimQuestion
from suts.simulated.spec import ModelSpec
from suts.simulated.usage import prompt_tokens
from suts.sut import Truth

_WITHOUT_LAST_CHUNK: Final = frozenset({"reset", "stall", "open"})
_COMMENT: Final = b": still here\n\n"
_COMMENT_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that is answered: the model, the truth with its number, and the fault on the way ("" = none).

    `numbers` are those of all choices; `give_back` frees them when the answer does not arrive whole; `place` (0..1) is
    how far into the stream the fault strikes; `headers` go with the answer.
    """

    question: SimQuestion
    spec: ModelSpec
    truth: Truth
    numbers: tuple[int, ...]
    give_back: Callable[[], None]
    fault: str
    place: float
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Hooks:
    """What deliveries need of the server: the clock, a timer, and a callback for the end of an answer."""

    now_ns: Callable[[], int]
    call_later: Callable[[float, Callable[[], None]], object]
    closed: Callable[[], None]
    stall_s: float | None


def sending_of(exchange: Exchange) -> Sending:
    """Return the answer of an exchange, whatever goes wrong on the way."""
    question = exchange.question
    ask = AnswerRequest(
        exchange.truth,
        prompt_tokens(question.system, question.texts),
        question.max_tokens,
        question.stream,
        question.usage,
        question.call,
        native=question.native,
        turn=question.turn,
        marked=question.marked,
    )
    several = len(exchange.numbers) > 1
    return choices(exchange.spec, ask, exchange.numbers) if several else answer(exchange.spec, ask)


class Delivery:
    """One answer being delivered; `playing` is for the pacer."""

    def __init__(self, exchange: Exchange, entry: JournalEntry, connection: ClientConnection, hooks: Hooks) -> None:
        """Plan the answer and watch for the client's disconnect."""
        self._exchange = exchange
        self._entry = entry
        self._connection = connection
        self._hooks = hooks
        sending = sending_of(exchange)
        entry.status, entry.planned, entry.usage = 200, sending.planned.outcome, sending.usage
        self.playing = self._play(sending)
        connection.on_close = self._client_left

    def _play(self, sending: Sending) -> Playing:
        exchange = self._exchange
        at_once = exchange.spec.pace.time == "virtual"
        due_ns = [self._entry.arrived_ns + (0 if at_once else offset) for offset in sending.offsets_ns]
        if not exchange.question.stream:
            whole = exchange.fault in WHOLE
            body = self._connection.whole(200, sending.frames[0], exchange.headers) if whole else b""
            return Playing([body], due_ns, self._write, self._ended)
        frames = _corrupted(list(sending.frames), exchange)
        due_ns += due_ns[-1:] * (len(frames) - len(due_ns))
        pieces = [chunk(frame) for frame in frames]
        pieces[0] = self._connection.opening(exchange.headers) + pieces[0]
        if exchange.fault not in _WITHOUT_LAST_CHUNK:
            pieces[-1] += LAST_CHUNK
        return Playing(pieces, due_ns[: len(pieces)], self._write, self._ended)

    def _write(self, data: bytes) -> None:
        if self._entry.first_byte_ns is None:
            self._entry.first_byte_ns = self._hooks.now_ns()
        self._connection.write(data)

    def _ended(self) -> None:
        fault, connection = self._exchange.fault, self._connection
        if fault == "stall":
            if self._hooks.stall_s is not None:
                self._hooks.call_later(self._hooks.stall_s, connection.reset)
        elif fault == "open" and self._exchange.question.stream:
            self._close(whole=True)
            connection.on_close = self._stop
            self._comment()
        elif fault == "reset" or (fault not in WHOLE and not self._exchange.question.stream):
            connection.reset()
        else:
            self._close(whole=fault in WHOLE)
            connection.finish()

    def _comment(self) -> None:
        """Send comments behind a whole answer for as long as the client stays."""
        if not self.playing.stopped:
            self._connection.write(chunk(_COMMENT))
            self._hooks.call_later(_COMMENT_S, self._comment)

    def _stop(self) -> None:
        self.playing.stopped = True

    def _client_left(self) -> None:
        self._stop()
        self._close(whole=False)

    def _close(self, *, whole: bool) -> None:
        self._entry.whole = whole
        self._entry.ended_ns = self._hooks.now_ns()
        self._hooks.closed()
        if not whole:
            self._exchange.give_back()


def _corrupted(frames: list[bytes], exchange: Exchange) -> list[bytes]:
    """Return the frames with the fault worked in, after the first and before the last of them."""
    at = 1 + int(exchange.place * (len(frames) - 1))
    wire = exchange.question.wire
    match exchange.fault:
        case "reset" | "cut" | "stall":
            return frames[:at]
        case "malformed":
            return [*frames[:at], broken_frame(wire), *frames[at:]]
        case "error":
            return [*frames[:at], error_frame(wire)]
        case "odd":
            return [*frames[:at], odd_frame(wire), *frames[at:]]
        case _:
            return frames
