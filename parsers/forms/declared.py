"""Reads the calls of a tool that declares itself: tags, one named after the tool, inside it one for each parameter."""

from collections.abc import Sequence
from dataclasses import dataclass

from parsers.blocks import Block, Text, ToolCall
from parsers.forms.answers import EDIT_CALL
from parsers.forms.call_tags import tagged_calls, tagged_values
from parsers.forms.streaming import FormParser


@dataclass(frozen=True, slots=True)
class DeclaredCalls:
    """What reads the calls of a tool; `path` is the parameter that names the file."""

    tool: str
    names: tuple[str, ...]
    path: str

    def __call__(self, answer: str, _files: Sequence[str]) -> tuple[Block, ...]:
        """Return the blocks of an answer."""
        calls = (self._block(call.inner, partial=not call.closed) for call in tagged_calls(answer, self.tool))
        prose = (Text(answer.strip()),) if answer.strip() else ()
        return tuple(calls) or prose

    def _block(self, inner: str, *, partial: bool) -> ToolCall:
        path = tagged_values(inner, self.names).get(self.path)
        return ToolCall(EDIT_CALL, {**({"path": path} if path else {}), "diff": inner}, partial)


def declared_parser(calls: DeclaredCalls, place: str) -> FormParser:
    """Return the parser of the calls; the end of the parameter `place` shows where the edit is, "" = that of the call.

    The first edit is known when its tag opens, and complete when it closes.
    """
    opening, closing = f"<{calls.tool}>", f"</{calls.tool}>"
    # After the end of the call, the empty sign is there at once.
    return FormParser(calls, (opening, f"</{place}>", closing) if place else (opening, closing, ""))
