"""Native tool calls: the transcript of an answer whose calls came beside its text, with arguments as JSON.

A call is partial until its arguments are a whole object; of arguments that are no JSON, what came before counts, and
the call is whole, since nothing can complete it. Values that are no strings are left out.
"""

from dataclasses import dataclass, field

from parsers.blocks import Block, EditMarks, Text, ToolCall
from parsers.first_line import FirstLine
from parsers.json_arguments import JsonArguments
from parsers.transcript import TranscriptReader
from parsers.trim import js_trim

_EDIT_TOOL, _DIFF = "replace_in_file", "diff"


@dataclass(slots=True)
class _Call:
    """A call that has begun, its arguments so far, and what watches its diff until the first replacement line."""

    name: str = ""
    arguments: JsonArguments = field(default_factory=JsonArguments)
    lines: FirstLine | None = field(default_factory=FirstLine)


class NativeParse:
    """One transcript being read; see `Parse`."""

    __slots__ = ("_blocks", "_calls", "_edit", "_prose", "_reader", "marks")

    def __init__(self) -> None:
        """Begin before the first character."""
        self.marks = EditMarks()
        self._reader = TranscriptReader()
        self._calls: dict[int, _Call] = {}
        # Runs of prose and calls, in their order.
        self._blocks: list[list[str] | _Call] = []
        self._prose: list[str] | None = None
        self._edit: _Call | None = None

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        for part in self._reader.feed(piece):
            if part.call < 0:
                self._write(part.text)
            else:
                self._extend(self._call(part.call), part.name, part.text, part.end)

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far; a call whose arguments may go on is partial."""
        blocks = [_call(block) if isinstance(block, _Call) else self._text(block) for block in self._blocks]
        return tuple(block for block in blocks if not isinstance(block, Text) or block.content)

    def _write(self, text: str) -> None:
        if self._prose is None:
            self._prose = []
            self._blocks.append(self._prose)
        self._prose.append(text)

    def _text(self, parts: list[str]) -> Text:
        return Text(js_trim("".join(parts)), partial=parts is self._prose)

    def _call(self, number: int) -> _Call:
        self._prose = None
        if number not in self._calls:
            self._calls[number] = _Call()
            self._blocks.append(self._calls[number])
        return self._calls[number]

    def _extend(self, call: _Call, name: str, text: str, end: int) -> None:
        call.name = call.name or name
        if self._edit is None and call.name == _EDIT_TOOL:
            self._edit = call
            self._mark(opened=end - len(text))
        if not text:
            return
        arguments = call.arguments
        was_closed = arguments.is_closed
        begin = end - len(text)
        added = arguments.feed(text)
        if call is not self._edit:
            return
        if call.lines is not None:
            for decoded in added:
                if decoded.member == _DIFF:
                    self._watch(call, decoded.text, begin + decoded.end)
        if arguments.is_closed and not was_closed:
            # Only white space can follow, so the brace is the last that is none.
            self._close(call, begin + len(text.rstrip(" \t\r\n")))

    def _watch(self, call: _Call, text: str, end: int) -> None:
        if call.lines is not None and call.lines.feed(text) is not None:
            call.lines, call.arguments.by_line = None, False
            self._mark(first_line=end)

    def _close(self, call: _Call, end: int) -> None:
        if call.lines is not None and call.lines.close():
            call.lines = None
            self._mark(first_line=end)
        self._mark(closed=end)

    def _mark(self, opened: int | None = None, first_line: int | None = None, closed: int | None = None) -> None:
        marks = self.marks
        self.marks = EditMarks(opened or marks.opened, first_line or marks.first_line, closed or marks.closed)


def _call(call: _Call) -> ToolCall:
    arguments = call.arguments
    return ToolCall(call.name, arguments.strings, partial=not (arguments.is_closed or arguments.is_broken))


class NativeCalls:
    """The grammar of transcripts."""

    def start(self) -> NativeParse:
        """Begin a message."""
        return NativeParse()

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole message."""
        parse = NativeParse()
        parse.feed(text)
        return parse.snapshot()


PARSER = NativeCalls()
