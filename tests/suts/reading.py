"""What a stream says once it is read to its end, however it was cut."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from suts.sut import (
    Beat,
    Event,
    Finish,
    ReasoningDelta,
    Received,
    TextDelta,
    Timings,
    ToolCallDelta,
    Usage,
    Wire,
)
from suts.wires import WIRES

RECORDED = Path(__file__).parent / "recorded"
_WIRES = {"claude": "anthropic-messages", "gemini": "google-generate"}


@dataclass
class Reading:
    text: str = ""
    reasoning: str = ""
    calls: dict[int, tuple[str, str]] = field(default_factory=dict)
    usage: Usage | None = None
    finishes: list[Finish] = field(default_factory=list)
    timings: Timings | None = None

    def add(self, event: Event) -> None:
        match event:
            case TextDelta():
                self.text += event.text
            case ReasoningDelta():
                self.reasoning += event.text
            case ToolCallDelta():
                name, arguments = self.calls.get(event.call, ("", ""))
                self.calls[event.call] = (name + event.name, arguments + event.arguments)
            case Usage():
                self.usage = event._replace(at_ns=0)
            case Finish():
                self.finishes.append(event._replace(at_ns=0))
            case Timings():
                self.timings = event._replace(at_ns=0)
            case Beat():
                pass


def read(wire: Wire, pieces: Iterable[bytes]) -> Reading:
    """All events of a stream that comes in these pieces, one nanosecond apart."""
    decoder, reading = wire.decoder(), Reading()
    for at_ns, piece in enumerate(pieces, 1):
        for event in decoder.feed(Received(at_ns, piece)):
            assert event.at_ns == at_ns
            reading.add(event)
    decoder.finish()
    return reading


def recorded(name: str) -> bytes:
    return (RECORDED / f"{name}.sse").read_bytes()


def wire_of(name: str) -> Wire:
    """The wire of a recorded stream."""
    return WIRES[_WIRES.get(name.partition("_")[0], "openai-chat")]
