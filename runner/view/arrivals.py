"""When the pieces of an answer arrived, and its first token, first edit and first line, on a line of time."""

from collections.abc import Sequence
from dataclasses import dataclass

from runner.console import harmless
from runner.errors import InputError
from runner.run.replay import live_parser
from runner.run.resolve import choose_wires, stored_wire
from runner.storage.playback import frames, recording_of
from runner.storage.store import Row, Store

# The line of time, in pixels; more ticks than these would be one bar.
WIDTH, MOST_TICKS = 1000, 400


@dataclass(frozen=True, slots=True)
class TimeMark:
    """A labelled moment; `at` is its pixel, `end` whether its label stands before it."""

    at: float
    label: str
    end: bool
    row: int


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The stream of an answer: `moments` are the milliseconds of its pieces, `end` is the last moment of all.

    `lengths` say how long the text is at each of them, as a page shows it, in UTF-16 code units; `note` says why there
    is none.
    """

    moments: tuple[float, ...] = ()
    lengths: tuple[int, ...] = ()
    ticks: tuple[float, ...] = ()
    marks: tuple[TimeMark, ...] = ()
    end: float = 0.0
    note: str = ""

    @property
    def data(self) -> dict[str, Sequence[float]]:
        """What the script of the page reads."""
        return {"moments": self.moments, "lengths": self.lengths}


def shown_length(text: str) -> int:
    """Return how long a text is as a page shows it, in UTF-16 code units."""
    return len(harmless(text, lines=True).encode("utf-16-le", "surrogatepass")) // 2


def arrivals_of(store: Store, run: Row, answer_id: int) -> Arrivals:
    """Return the stream of an answer; a note where it was pruned, is damaged, or has no times."""
    try:
        recorded = recording_of(store, answer_id)
        if not recorded.timed:
            return Arrivals(note="Nobody was asked: there is no stream.")
        wire = stored_wire(recorded.wire, choose_wires(()))
        played = list(frames(recorded.stream, wire, live_parser(store, run, recorded.prompt)))
    except InputError as error:
        return Arrivals(note=str(error))
    moments, lengths, length = [0.0], [0], 0
    for frame in played:
        ms = round(frame.at_ns / 1e6, 1)
        length += shown_length(frame.text) if frame.kind == "text" else 0
        if ms == moments[-1]:
            lengths[-1] = length
        elif frame.kind != "mark":
            moments.append(ms)
            lengths.append(length)
    marks = [(0.0, "sent")] + [(frame.at_ns / 1e6, frame.text) for frame in played if frame.kind in {"mark", "broken"}]
    last = max([ms for ms, _ in marks] + moments) or 1.0
    every = max(1, len(moments) // MOST_TICKS)
    ticks = tuple(round(WIDTH * ms / last, 1) for ms in moments[1::every])
    return Arrivals(tuple(moments), tuple(lengths), ticks, _placed(marks, last), last)


def _placed(marks: Sequence[tuple[float, str]], last: float) -> tuple[TimeMark, ...]:
    """Return the marks on the line; labels that would overlap stand in rows below each other."""
    placed = list[TimeMark]()
    ends: list[float] = []
    for ms, words in marks:
        label = words if ms == 0 else f"{words} {ms:,.0f} ms"
        at = round(WIDTH * ms / last, 1)
        before = at > 0.75 * WIDTH
        width = 6.5 * len(label) + 8
        start = at - width if before else at
        row = next((number for number, end in enumerate(ends) if end <= start), len(ends))
        ends[row : row + 1] = [start + width]
        placed.append(TimeMark(at, label, before, row))
    return tuple(placed)
