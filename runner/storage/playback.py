"""A stored answer as it arrived: its text piece by piece, and the marks between, each with its moment."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import zstandard

from parsers.blocks import EditMarks, Parser
from parsers.forms.native_form import NativeFormParse
from parsers.native_calls import NativeParse
from parsers.transcript import Transcriber
from runner.errors import InputError
from runner.inflating import DamagedError
from runner.records import Clocks
from runner.storage.rows import completion_of
from runner.storage.store import Row, Store
from runner.storage.streams import CODEC, Packed, unpack
from suts.sut import Event, Finish, ReasoningDelta, Received, SutError, TextDelta, ToolCallDelta, Wire

Kind = Literal["text", "reasoning", "mark", "broken"]

_MARKS = (("opened", "first edit"), ("first_line", "first replacement line"), ("closed", "call closed"))


@dataclass(frozen=True, slots=True)
class Frame:
    """Something to be shown `at_ns` after the request was sent: text, reasoning, or a mark's words."""

    at_ns: int
    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """One stored stream; `timed` is False where nobody was asked, so that its moments mean nothing."""

    answer_id: int
    sut: str
    prompt: str
    wire: str
    simulated: bool
    timed: bool
    stream: tuple[Received, ...]


@dataclass(frozen=True, slots=True)
class AnswerQuery:
    """Which answer: a case and a number, and where several have these, a system, a prompt, a step."""

    case_id: str
    number: int
    sut: str = ""
    prompt: str = ""
    step: int | None = None


_STORED = """
SELECT a.*, l.sut, l.prompt, s.wire, s.codec, s.pieces, s.bytes, s.data,
    (SELECT max(v.simulated) FROM variants v WHERE v.run_id = l.run_id AND v.sut = l.sut) AS simulated
FROM answers a JOIN lanes l USING (lane_id) LEFT JOIN streams s USING (answer_id)"""
_ANSWERS = f"""{_STORED}
WHERE l.run_id = ? AND l.case_id = ? AND a.number = ? AND a.outcome IN ('answered', 'crashed')
ORDER BY l.sut, l.prompt, a.step, a.try
"""


def recording(store: Store, run: Row, selection: AnswerQuery) -> Recording:
    """Return the stream of one answer of a run, or of the run that it replays.

    Raises InputError when there is no such answer, more than one, or its stream was pruned.
    """
    run_id: str = run["replay_of"] or run["run_id"]
    rows = [
        row
        for row in store.rows(_ANSWERS, run_id, selection.case_id, selection.number)
        if selection.sut in {"", row["sut"]}
        and selection.prompt in {"", row["prompt"]}
        and selection.step in {None, row["step"]}
    ]
    which = f"run {run_id}: case {selection.case_id!r} number {selection.number}"
    if not rows:
        raise InputError(f"{which}: has no answer; see `evals show {run_id} {selection.case_id}`")
    if len(rows) > 1:
        choices = "; ".join(f"--model {row['sut']} --prompt {row['prompt']} --step {row['step']}" for row in rows[:4])
        raise InputError(f"{which}: {len(rows)} answers have it; give one of: {choices}")
    return _recording(store, rows[0], which)


def recording_of(store: Store, answer_id: int) -> Recording:
    """Return the stream of the answer with this id. Raises InputError when it has none, or was pruned."""
    rows = store.rows(f"{_STORED} WHERE a.answer_id = ?", answer_id)
    if not rows:
        raise InputError(f"answer {answer_id}: there is none")
    return _recording(store, rows[0], f"answer {answer_id}")


def _recording(store: Store, row: Row, which: str) -> Recording:
    if row["codec"] != CODEC:
        raise InputError(f"{which}: its stream was pruned; `evals show` has its text")
    try:
        stream = unpack(Packed(row["pieces"], row["bytes"], row["data"]), zstandard.ZstdDecompressor())
    except DamagedError as error:
        raise InputError(f"{which}: its stream is damaged: {error}; `evals show` has its text") from None
    return Recording(
        answer_id=row["answer_id"],
        sut=row["sut"],
        prompt=row["prompt"],
        wire=row["wire"],
        simulated=bool(row["simulated"]),
        timed=completion_of(store, row).clocks != Clocks(),
        stream=stream,
    )


def frames(stream: Sequence[Received], wire: Wire, parser: Parser) -> Iterator[Frame]:
    """Yield what was to be seen of a stream, in order; a stream that breaks ends in a `broken` frame that says why."""
    decoder, player = wire.decoder(), _Player(parser)
    at_ns = 0
    try:
        for received in stream:
            at_ns = received.at_ns
            for event in decoder.feed(received) if received.data else ():
                yield from player.seen(event, at_ns)
        decoder.finish()
    except SutError as error:
        yield Frame(at_ns, "broken", f"{error.kind}: {error}")
        return
    yield Frame(at_ns, "mark", f"end: {player.reason}" if player.reason else "end")


class _Player:
    """Puts marks into what arrives, each right behind the character that completes it."""

    def __init__(self, parser: Parser) -> None:
        self.reason = ""
        self._parse = parser.start()
        self._reported = EditMarks()
        self._length = 0
        self._begun = False
        self._thinking = False
        self._transcriber = Transcriber() if isinstance(self._parse, (NativeParse, NativeFormParse)) else None

    def seen(self, event: Event, at_ns: int) -> Iterator[Frame]:
        """Yield what one event shows."""
        if not self._begun:
            self._begun = True
            yield Frame(at_ns, "mark", "first token")
        if isinstance(event, Finish):
            self.reason = event.reason or self.reason
        elif isinstance(event, ReasoningDelta):
            yield from self._turned(at_ns, thinking=True)
            yield Frame(at_ns, "reasoning", event.text)
        elif (text := self._text_of(event)) is not None:
            yield from self._turned(at_ns, thinking=False)
            yield from self._marked(text, at_ns)

    def _text_of(self, event: Event) -> str | None:
        """Return the text that an event adds to the answer, with native calls where these are read."""
        if isinstance(event, TextDelta):
            return self._transcriber.prose(event.text) if self._transcriber else event.text
        if isinstance(event, ToolCallDelta) and self._transcriber:
            return self._transcriber.call(event.call, event.name, event.arguments)
        return None

    def _turned(self, at_ns: int, *, thinking: bool) -> Iterator[Frame]:
        """Yield a mark where reasoning begins or ends."""
        if thinking is not self._thinking:
            self._thinking = thinking
            yield Frame(at_ns, "mark", "reasoning" if thinking else "answer")

    def _marked(self, text: str, at_ns: int) -> Iterator[Frame]:
        """Yield the piece, cut where a mark falls into it."""
        self._parse.feed(text)
        marks, reported = self._parse.marks, self._reported
        passed = [(getattr(marks, name), words) for name, words in _MARKS if getattr(reported, name) is None]
        start = 0
        for place, words in sorted(mark for mark in passed if mark[0] is not None):
            cut = max(start, place - self._length)
            if cut > start:
                yield Frame(at_ns, "text", text[start:cut])
            yield Frame(at_ns, "mark", words)
            start = cut
        if start < len(text):
            yield Frame(at_ns, "text", text[start:])
        self._reported = marks
        self._length += len(text)
