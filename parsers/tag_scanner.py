"""Reads messages whose tool calls are XML-like tags: the state machine that all versions of the parser share.

A message is prose until the opening tag of a known tool; inside a tool only the opening tags of known parameters
and the tool's own closing tag count; inside a parameter only its own closing tag, the first one. Tags are exact:
no attributes, no inner space. This is the grammar of Cline's message parsers; their versions differ in their
vocabulary (`Grammar`), in the content rule, and in what surrounds the machine.
"""

import re
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field

from parsers.blocks import Block, EditMarks, Parse, Text, ToolCall
from parsers.first_line import FirstLine
from parsers.pieces import Pieces
from parsers.trim import js_trim

EDIT_TOOL = "replace_in_file"
_TAG = re.compile(r"<(/?[A-Za-z_]+)>")
# The longest tag has 29 characters: a longer text is not the beginning of a tag, so the carried text stays short.
_BEGUN = re.compile(r"</?[A-Za-z_]{0,32}")


@dataclass(frozen=True, slots=True)
class Grammar:
    """The vocabulary of a version, and its content rule.

    `content` returns the value of the parameter `content` from a call's text, None to keep it. It is applied to
    calls of `content_tools`: at the closing tag, to the whole text of the call; or, with `at_strays`, at each
    `</content>` that closes no parameter, to the text before it.
    """

    tools: frozenset[str]
    params: frozenset[str]
    content_tools: frozenset[str]
    content: Callable[[str], str | None]
    at_strays: bool = False


@dataclass(slots=True)
class State:
    """What is open and where it starts; `text_start` is None outside prose, names are "" if none is open."""

    text_start: int | None = 0
    tool: str = ""
    tool_start: int = 0
    params: dict[str, str] = field(default_factory=dict)
    param: str = ""
    value_start: int = 0
    stray: int | None = None
    lines: FirstLine | None = None
    marks: EditMarks = field(default_factory=EditMarks)


@dataclass(frozen=True, slots=True)
class _UnreadCall:
    """A complete call whose content rule is not applied yet, to its text from `start` to `stop`.

    Calls may share a text, so that reading the content of each while the message arrives would cost more than a piece.
    """

    tool: str
    params: dict[str, str]
    start: int
    stop: int


class TagScanner:
    """One message being read; see `Parse`.

    Only a "<" can change the state, so a piece without "<" is only stored. A possible beginning of a tag at the
    end of a piece is carried over and scanned again with the next piece.
    """

    __slots__ = ("_carry", "_done", "_grammar", "state", "text")

    def __init__(self, grammar: Grammar) -> None:
        """Begin before the first character."""
        self.text = Pieces()
        self.state = State()
        self._grammar = grammar
        self._done: list[Block | _UnreadCall] = []
        self._carry = ""

    @property
    def marks(self) -> EditMarks:
        """The marks reached so far; the same object until the next mark is reached."""
        return self.state.marks

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        self.text.append(piece)
        if self._carry or "<" in piece:
            self._scan(self._carry + piece)
        elif self.state.lines is not None:
            self._watch(piece, self.text.length - len(piece))

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far; open blocks are partial."""
        state, done = self.state, self._read_calls()
        if state.tool:
            params = self._settled()
            if state.param:
                params[state.param] = js_trim(self.text.slice(state.value_start, self.text.length))
            return (*done, ToolCall(state.tool, params, partial=True))
        if state.text_start is not None:
            prose = js_trim(self.text.slice(state.text_start, self.text.length))
            if prose:
                return (*done, Text(prose, partial=True))
        return done

    def end_text(self, stop: int) -> None:
        """End the running prose, if any, at `stop`."""
        start, self.state.text_start = self.state.text_start, None
        if start is not None and (prose := js_trim(self.text.slice(start, stop))):
            self._done.append(Text(prose))

    def open_tool(self, name: str, at: int) -> None:
        """Open a call whose opening tag ends at `at`."""
        state = self.state
        state.tool = name
        if name == EDIT_TOOL and state.marks.opened is None:
            state.marks = EditMarks(opened=at)

    def emit_tool(self, at: int) -> None:
        """Complete the open call, whose closing tag ends at `at`."""
        self._emit(ToolCall(self.state.tool, self._settled()), at)

    def _emit(self, call: ToolCall | _UnreadCall, at: int) -> None:
        state = self.state
        self._done.append(call)
        marks = state.marks
        if state.tool == EDIT_TOOL and marks.closed is None:
            state.marks = EditMarks(marks.opened, marks.first_line, at)
        state.tool, state.params, state.stray, state.lines = "", {}, None, None

    def save(self) -> tuple[State, int]:
        """Return a copy of the state, for `restore`; only between tags. Costs the parameters of the open call."""
        state = copy(self.state)
        state.params = dict(state.params)
        return state, len(self._done)

    def restore(self, saved: tuple[State, int]) -> None:
        """Return to a saved state; the text is kept."""
        self.state, done = saved
        del self._done[done:]
        self._carry = ""

    def _scan(self, window: str) -> None:
        base, at = self.text.length - len(window), 0
        while at >= 0:
            if not self.state.tool:
                at = self._in_text(window, base, at)
            elif not self.state.param:
                at = self._in_tool(window, base, at)
            else:
                at = self._in_param(window, base, at)

    # Each of these searches from `at` for the tag that ends its state and returns the offset after it, or -1 if
    # there is none yet. `base` is the position of the window's first character.

    def _in_text(self, window: str, base: int, at: int) -> int:
        for tag in _TAG.finditer(window, at):
            if tag[1] in self._grammar.tools:
                self.end_text(base + tag.start())
                self.open_tool(tag[1], base + tag.end())
                self.state.tool_start = base + tag.end()
                return tag.end()
        return self._carry_over(window, at)

    def _in_tool(self, window: str, base: int, at: int) -> int:
        grammar, closing = self._grammar, "/" + self.state.tool
        for tag in _TAG.finditer(window, at):
            if tag[1] in grammar.params:
                self._open_param(tag[1], base + tag.end())
                return tag.end()
            if tag[1] == closing:
                self._close_tool(base + tag.start(), base + tag.end())
                return tag.end()
            if tag[1] == "/content" and grammar.at_strays and self.state.tool in grammar.content_tools:
                self.state.params.setdefault("content", "")
                self.state.stray = base + tag.start()
        return self._carry_over(window, at)

    def _in_param(self, window: str, base: int, at: int) -> int:
        state, closing = self.state, f"</{self.state.param}>"
        stop_at = window.find(closing, at)
        end = stop_at + len(closing) if stop_at >= 0 else self._carry_over(window, at, closing)
        if state.lines is not None:
            stop = stop_at if stop_at >= 0 else len(window) - len(self._carry)
            self._watch(window[at:stop], base + at)
        if stop_at >= 0:
            self._close_param(base + stop_at, base + end)
        return end

    def _carry_over(self, window: str, at: int, closing: str = "") -> int:
        begun = window.rfind("<", at)
        tail = window[begun:] if begun >= 0 else ""
        may_go_on = closing.startswith(tail) if closing else _BEGUN.fullmatch(tail)
        self._carry = tail if may_go_on else ""
        return -1

    def _open_param(self, name: str, at: int) -> None:
        state = self.state
        state.param, state.value_start = name, at
        awaited = state.marks.closed is None and state.marks.first_line is None
        if name == "diff" and state.tool == EDIT_TOOL and awaited:
            state.lines = FirstLine()

    def _close_param(self, stop: int, at: int) -> None:
        state = self.state
        state.params[state.param] = js_trim(self.text.slice(state.value_start, stop))
        if state.param == "content":
            state.stray = None
        state.param = ""
        lines, state.lines = state.lines, None
        if lines is not None and lines.close():
            state.marks = EditMarks(state.marks.opened, at)

    def _close_tool(self, stop: int, at: int) -> None:
        state, grammar = self.state, self._grammar
        if state.tool in grammar.content_tools and not grammar.at_strays:
            self._emit(_UnreadCall(state.tool, state.params, state.tool_start, stop), at)
        else:
            self.emit_tool(at)
        state.text_start = at

    def _read_calls(self) -> tuple[Block, ...]:
        """Return the complete blocks, with the content rule applied."""
        return tuple(self._read(block) if isinstance(block, _UnreadCall) else block for block in self._done)

    def _read(self, call: _UnreadCall) -> ToolCall:
        content = self._grammar.content(self.text.slice(call.start, call.stop))
        return ToolCall(call.tool, call.params if content is None else {**call.params, "content": content})

    def _settled(self) -> dict[str, str]:
        # A later stray </content> supersedes earlier ones, so only the last is evaluated, when it is needed.
        state, params = self.state, dict(self.state.params)
        if state.stray is not None:
            params["content"] = self._grammar.content(self.text.slice(state.tool_start, state.stray)) or ""
        return params

    def _watch(self, text: str, position: int) -> None:
        state = self.state
        assert state.lines is not None
        offset = state.lines.feed(text)
        if offset is not None:
            state.marks = EditMarks(state.marks.opened, position + offset)
            state.lines = None


@dataclass(frozen=True, slots=True)
class XmlTools:
    """The parser of a grammar."""

    grammar: Grammar

    def start(self) -> Parse:
        """Begin a message."""
        return TagScanner(self.grammar)

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole message."""
        scanner = TagScanner(self.grammar)
        scanner.feed(text)
        return scanner.snapshot()
