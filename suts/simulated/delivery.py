"""One answer on its way to a client: paced, spoilt by its fault, and accounted for when it is over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from suts.simulated.answer import Ask, Sending, answer
from suts.simulated.connection import LAST_CHUNK, Connection, chunk
from suts.simulated.encode import broken_frame, error_frame
from suts.simulated.journal import Entry
from suts.simulated.pacer import Playing
from suts.simulated.question import Question
from suts.simulated.spec import ModelSpec
from suts.simulated.usage import prompt_tokens
from suts.sut import Truth

_ENDS_IN_RESET: Final = frozenset({"reset", "stall"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is answered: the model, the truth with its number, and the fault on the way ("" = none).

    `give_back` frees the number when the answer does not arrive whole; `place` (0..1) is how far into the stream the
    fault strikes; `headers` go with the answer.
    """

    question: Question
    spec: ModelSpec
    truth: Truth
    give_back: Callable[[], None]
    fault: str
    place: float
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Desk:
    """What deliveries need of the server: the clock, a timer, and to be told of an answer that is over."""

    now_ns: Callable[[], int]
    call_later: Callable[[float, Callable[[], None]], object]
    closed: Callable[[], None]
    stall_s: float | None


class Delivery:
    """One answer being delivered; `playing` is for the pacer."""

    def __init__(self, asked: Asked, entry: Entry, connection: Connection, desk: Desk) -> None:
        """Plan the answer and be told when the client goes."""
        self._asked = asked
        self._entry = entry
        self._connection = connection
        self._desk = desk
        question = asked.question
        prompt = prompt_tokens(question.system, question.texts)
        ask = Ask(asked.truth, prompt, question.max_tokens, question.stream, question.usage)
        sending = answer(asked.spec, ask)
        entry.status, entry.planned, entry.usage = 200, sending.planned.outcome, sending.usage
        self.playing = self._play(sending)
        connection.gone = self._gone

    def _play(self, sending: Sending) -> Playing:
        asked = self._asked
        at_once = asked.spec.pace.time == "virtual"
        due_ns = [self._entry.arrived_ns + (0 if at_once else offset) for offset in sending.offsets_ns]
        if not asked.question.stream:
            body = b"" if asked.fault else self._connection.whole(200, sending.frames[0], asked.headers)
            return Playing([body], due_ns, self._write, self._ended)
        frames = _spoilt(list(sending.frames), asked)
        due_ns += due_ns[-1:] * (len(frames) - len(due_ns))
        pieces = [chunk(frame) for frame in frames]
        pieces[0] = self._connection.opening(asked.headers) + pieces[0]
        if asked.fault not in _ENDS_IN_RESET:
            pieces[-1] += LAST_CHUNK
        return Playing(pieces, due_ns[: len(pieces)], self._write, self._ended)

    def _write(self, data: bytes) -> None:
        if self._entry.first_byte_ns is None:
            self._entry.first_byte_ns = self._desk.now_ns()
        self._connection.write(data)

    def _ended(self) -> None:
        fault, connection = self._asked.fault, self._connection
        if fault == "stall":
            if self._desk.stall_s is not None:
                self._desk.call_later(self._desk.stall_s, connection.reset)
        elif fault == "reset" or (fault and not self._asked.question.stream):
            connection.reset()
        else:
            self._close(whole=not fault)
            connection.finish()

    def _gone(self) -> None:
        self.playing.stopped = True
        self._close(whole=False)

    def _close(self, *, whole: bool) -> None:
        self._entry.whole = whole
        self._entry.ended_ns = self._desk.now_ns()
        self._desk.closed()
        if not whole:
            self._asked.give_back()


def _spoilt(frames: list[bytes], asked: Asked) -> list[bytes]:
    """The frames with the fault worked in, after the first and before the last of them."""
    at = 1 + int(asked.place * (len(frames) - 1))
    wire = asked.question.wire
    match asked.fault:
        case "reset" | "cut" | "stall":
            return frames[:at]
        case "malformed":
            return [*frames[:at], broken_frame(wire), *frames[at:]]
        case "error":
            return [*frames[:at], error_frame(wire)]
        case _:
            return frames
