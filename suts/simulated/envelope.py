"""What surrounds the text of a simulated answer, whatever the format, and how an event is written."""

from dataclasses import dataclass
from typing import Final

import orjson

from suts.simulated.spec import Flavour, WireName
from suts.simulated.usage import Counted

CREATED: Final = 1_767_225_600


@dataclass(frozen=True, slots=True)
class Envelope:
    """What surrounds the text of an answer; `token` makes its id, `usage` None leaves the usage chunk out.

    `calls` are the names of the tools that the answer calls, in order, and `free` the numbers of those that take free
    text; `choice` is its index among the choices of one response.
    """

    token: str
    model: str
    finish_reason: str
    usage: Counted | None
    wire: WireName = "openai-chat"
    flavour: Flavour = "openai"
    calls: tuple[str, ...] = ()
    choice: int = 0
    free: frozenset[int] = frozenset()

    @property
    def reason(self) -> str:
        """Why the answer ended: a call of a tool has a reason of its own."""
        return "tool_calls" if self.calls and self.finish_reason == "stop" else self.finish_reason

    def call_id(self, call: int) -> str:
        """Return the id of a tool call."""
        prefix = "toolu" if self.wire == "anthropic-messages" else "call"
        return f"{prefix}_sim{self.token}{self.choice or ''}{f'_{call}' if call else ''}"


def data(body: object) -> bytes:
    """Return an event without a name."""
    return b"data: " + orjson.dumps(body) + b"\n\n"


def event(name: str, body: object) -> bytes:
    """Return an event with a name."""
    return b"event: " + name.encode() + b"\n" + data(body)
