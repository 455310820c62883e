"""The blocks of an assistant message: running text and tool calls."""

from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Text:
    """Prose between tool calls, trimmed; partial while it may continue."""

    content: str
    partial: bool = False


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of one tool; `params` in the order in which they first closed; partial until its closing tag."""

    name: str
    params: dict[str, str] = field(default_factory=dict)
    partial: bool = False


Block = Text | ToolCall


@dataclass(frozen=True, slots=True)
class EditMarks:
    """How much text of a message had arrived when its first edit became visible, in code points; None = not yet.

    A mark n means that the first n characters of the message show it and the first n - 1 do not.

    - `opened`: the edit tool's opening tag is complete.
    - `first_line`: the first replacement line (or an empty replacement's end marker) is complete.
    - `closed`: the call's closing tag is complete.
    """

    opened: int | None = None
    first_line: int | None = None
    closed: int | None = None


class Parse(Protocol):
    """One message being parsed while it arrives."""

    @property
    def marks(self) -> EditMarks:
        """The marks reached so far."""
        ...

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece), never O(text so far)."""
        ...

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far, equal to a fresh parse of it."""
        ...


class Parser(Protocol):
    """A message grammar. No input raises an error."""

    def start(self) -> Parse:
        """Begin a message."""
        ...

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole message."""
        ...
