"""Native tool calls: the transcript of an answer whose calls came beside its text, with arguments as JSON.

A call is partial until its arguments are a whole object; of arguments that are no JSON, what came before counts, and
the call is whole, since nothing can complete it. Values that are no strings are left out.
"""

from dataclasses import dataclass, field

from parsers.blocks import Block, EditMarks, Text, ToolCall
from parsers.first_line import FirstLine
from parsers.json_arguments import JsonArguments
from parsers.transcript import Part, TranscriptReader
from parsers.trim import js_trim

_EDIT_TOOL, _DIFF = "replace_in_file", "diff"


@dataclass(slots=True)
class _Call:
    """A call that has begun, its arguments so far, and what watches its diff until the first replacement line.

    `unread` are arguments that follow those: they can end neither a line nor the object.
    """

    name: str = ""
    arguments: JsonArguments = field(default_factory=JsonArguments)
    lines: FirstLine | None = field(default_factory=FirstLine)
    unread: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Read what was left unread."""
        if self.unread:
            unread, self.unread = "".join(self.unread), []
            self.extend(unread)

    def extend(self, text: str) -> int | None:
        """Take further arguments; return the offset behind the first replacement line if they complete it."""
        for decoded in self.arguments.feed(text):
            if self.lines is not None and decoded.member == _DIFF and self.lines.feed(decoded.text) is not None:
                self.lines, self.arguments.by_line = None, False
                return decoded.end
        return None

    def can_wait(self, piece: str) -> bool:
        """Return whether a piece can be read later: nearly every one can."""
        if "}" in piece:
            return False
        return self.lines is None or not ('"' in piece or "\\" in piece or self.arguments.in_escape)


class NativeParse:
    """One transcript being read; see `Parse`."""

    __slots__ = ("_blocks", "_calls", "_edit", "_number", "_prose", "_reader", "_watched", "marks")

    def __init__(self, *, watched: bool = True) -> None:
        """Begin before the first character; without `watched` nobody asks for the first replacement line."""
        self.marks = EditMarks()
        self._watched = watched
        self._reader = TranscriptReader()
        self._calls: dict[int, _Call] = {}
        # Runs of prose and calls, in their order.
        self._blocks: list[list[str] | _Call] = []
        self._prose: list[str] | None = None
        self._edit: _Call | None = None
        self._number = -1

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        edit = self._edit
        if edit is None:
            if self._prose is not None and self._reader.goes_on(-1, piece):
                self._prose.append(piece)
                return
        elif edit.can_wait(piece) and self._reader.goes_on(self._number, piece):
            edit.unread.append(piece)
            return
        for part in self._reader.feed(piece):
            if part.call < 0:
                self._write(part.text)
            else:
                self._extend(part)

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
            if not self._watched:
                self._calls[number].lines, self._calls[number].arguments.by_line = None, False
            self._blocks.append(self._calls[number])
        return self._calls[number]

    def _extend(self, part: Part) -> None:
        number, text, end, name = part
        call = self._call(number)
        call.name = call.name or name
        if self._edit is None and call.name == _EDIT_TOOL:
            self._edit, self._number = call, number
            self._mark(opened=end - len(text))
        if not text:
            return
        call.read()
        was_closed, begin = call.arguments.is_closed, end - len(text)
        line = call.extend(text)
        if call is not self._edit:
            return
        if line is not None:
            self._mark(first_line=begin + line)
        if call.arguments.is_closed and not was_closed:
            # Only white space can follow, so the brace is the last that is none.
            self._close(call, begin + len(text.rstrip(" \t\r\n")))

    def _close(self, call: _Call, end: int) -> None:
        if call.lines is not None and call.lines.close():
            call.lines = None
            self._mark(first_line=end)
        self._mark(closed=end)

    def _mark(self, opened: int | None = None, first_line: int | None = None, closed: int | None = None) -> None:
        marks = self.marks
        self.marks = EditMarks(opened or marks.opened, first_line or marks.first_line, closed or marks.closed)


def _call(call: _Call) -> ToolCall:
    call.read()
    arguments = call.arguments
    return ToolCall(call.name, arguments.strings, partial=not (arguments.is_closed or arguments.is_broken))


class NativeCalls:
    """The grammar of transcripts."""

    def start(self) -> NativeParse:
        """Begin a message."""
        return NativeParse()

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole message."""
        parse = NativeParse(watched=False)
        parse.feed(text)
        return parse.snapshot()


PARSER = NativeCalls()
