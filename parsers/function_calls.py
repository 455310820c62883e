"""Function-call blocks around the XML tool grammar: `<function_calls><invoke name="X"><parameter name="p">`.

`<function_calls>` is recognized everywhere, even inside a parameter of an XML call. While such a block is open, the XML
grammar is ignored. State that the original keeps when a block is cut short (the invoke's name, the parameter's name and
start) is kept here too, so that later blocks are read in the same way. So is the start of the last XML call, from which
the content rule reads when an invoke of `Write` left open is closed as an XML call.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from parsers.blocks import Block, EditMarks, Parse
from parsers.tag_scanner import Grammar, State, TagScanner
from parsers.trim import js_trim

_OPEN = "<function_calls>"
_CLOSE = "</function_calls>"
_INVOKE = '<invoke name="'
_INVOKE_END = "</invoke>"
_PARAMETER = '<parameter name="'
_PARAMETER_END = "</parameter>"
_NAME_END = '">'
_INSIDE = (_CLOSE, _INVOKE, _INVOKE_END, _PARAMETER, _PARAMETER_END)
_INSIDE_TAG = re.compile("|".join(map(re.escape, _INSIDE)))

_Named = Literal["invoke", "parameter"]


@dataclass(frozen=True, slots=True)
class Invoke:
    """The tool of an invoke, our names of its parameters, and parameters that are set with any of them."""

    tool: str
    params: Mapping[str, str]
    defaults: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Fork:
    """The state just after `<invoke name="`, kept until it is known whether the name ever ends.

    The name ends at the next `">`, however far that is; without it, the tag is not a tag. Reading continues as if
    there were no tag, and returns to this state when the `">` arrives.
    """

    named: _Named
    position: int
    scanner: tuple[State, int]
    invoke: str
    argument: str
    last: str


class CallScanner:
    """One message being read; see `Parse`."""

    __slots__ = ("_argument", "_carry", "_fork", "_inside", "_invoke", "_invokes", "_scanner")

    def __init__(self, grammar: Grammar, invokes: Mapping[str, Invoke]) -> None:
        """Begin before the first character."""
        self._scanner = TagScanner(grammar)
        self._invokes = invokes
        self._inside = False
        self._invoke = ""
        self._argument = ""
        self._carry = ""
        self._fork: _Fork | None = None

    @property
    def marks(self) -> EditMarks:
        """The marks reached so far; they are reset if a name that ends late turns text into a name."""
        return self._scanner.marks

    def feed(self, piece: str) -> None:
        """Process the next piece; costs O(piece)."""
        if not (self._inside or self._carry or "<" in piece or self._fork):
            self._scanner.feed(piece)
            return
        at = self._join(piece) if self._fork is not None else 0
        while at < len(piece):
            at = self._in_calls(piece, at) if self._inside else self._outside(piece, at)

    def snapshot(self) -> tuple[Block, ...]:
        """Return the blocks of all text so far; open blocks are partial."""
        return self._scanner.snapshot()

    def _outside(self, piece: str, at: int) -> int:
        window, carried = self._carry + piece, len(self._carry)
        start = window.find(_OPEN, at)
        stop = start + len(_OPEN) - carried if start >= 0 else len(piece)
        self._scanner.feed(piece[at:stop])
        self._carry = _begun(window, at, (_OPEN,)) if start < 0 else ""
        if start >= 0:
            self._scanner.end_text(self._scanner.text.length - len(_OPEN))
            self._scanner.state.lines = None
            self._inside = True
        return stop

    def _in_calls(self, piece: str, at: int) -> int:
        window, carried = self._carry + piece, len(self._carry)
        tag = _INSIDE_TAG.search(window, at)
        stop = tag.end() - carried if tag else len(piece)
        self._scanner.text.append(piece[at:stop])
        self._carry = "" if tag else _begun(window, at, _INSIDE)
        if tag is None:
            return stop
        if tag[0] == _INVOKE:
            return stop if self._invoke or self._scanner.state.tool else self._name("invoke", piece, stop)
        if tag[0] == _PARAMETER:
            return self._name("parameter", piece, stop) if self._invoke and not self._argument else stop
        self._close(tag[0])
        return stop

    def _name(self, named: _Named, piece: str, at: int) -> int:
        if self._fork is not None:
            return at
        text = self._scanner.text
        end = piece.find(_NAME_END, at)
        if end < 0:
            last = piece[-1] if at < len(piece) else ""
            saved = self._scanner.save()
            self._fork = _Fork(named, text.length, saved, self._invoke, self._argument, last)
            return at
        stop = end + len(_NAME_END)
        text.append(piece[at:stop])
        self._open(named, piece[at:end])
        return stop

    def _join(self, piece: str) -> int:
        """Search for the end of the name that the fork waits for; return the offset in the piece to continue from."""
        fork, text = self._fork, self._scanner.text
        assert fork is not None
        start = (fork.last + piece).find(_NAME_END)
        if start < 0:
            fork.last = piece[-1:] or fork.last
            return 0
        stop = start + len(_NAME_END) - len(fork.last)
        text.append(piece[:stop])
        self._scanner.restore(fork.scanner)
        self._fork, self._carry, self._inside = None, "", True
        self._invoke, self._argument = fork.invoke, fork.argument
        self._open(fork.named, text.slice(fork.position, text.length - len(_NAME_END)))
        return stop

    def _open(self, named: _Named, name: str) -> None:
        at = self._scanner.text.length
        if named == "parameter":
            self._argument = name
            self._scanner.state.value_start = at
            return
        self._invoke = name
        if name in self._invokes:
            self._scanner.open_tool(self._invokes[name].tool, at)

    def _close(self, tag: str) -> None:
        state, at = self._scanner.state, self._scanner.text.length
        if tag == _CLOSE:
            self._inside = False
            state.text_start = at
        elif tag == _INVOKE_END:
            if state.tool and self._invoke in self._invokes:
                self._scanner.emit_tool(at)
            self._invoke = ""
        elif self._invoke and self._argument:
            self._take(js_trim(self._scanner.text.slice(state.value_start, at - len(_PARAMETER_END))))
            self._argument = ""

    def _take(self, value: str) -> None:
        state, invoke = self._scanner.state, self._invokes.get(self._invoke)
        name = invoke.params.get(self._argument) if invoke else None
        if not state.tool or invoke is None or name is None:
            return
        if name == "requires_approval":
            value = "true" if value == "true" else "false"
        state.params[name] = value
        state.params.update(invoke.defaults)


def _begun(window: str, at: int, tags: tuple[str, ...]) -> str:
    """Return the end of the window that may be the beginning of one of the tags."""
    begun = window.rfind("<", at)
    tail = window[begun:] if begun >= 0 else ""
    return tail if tail and any(tag.startswith(tail) for tag in tags) else ""


@dataclass(frozen=True, slots=True)
class FunctionCalls:
    """The parser of a grammar with function calls."""

    grammar: Grammar
    invokes: Mapping[str, Invoke]

    def start(self) -> Parse:
        """Begin a message."""
        return CallScanner(self.grammar, self.invokes)

    def parse(self, text: str) -> tuple[Block, ...]:
        """Return the blocks of a whole message."""
        scanner = self.start()
        scanner.feed(text)
        return scanner.snapshot()
