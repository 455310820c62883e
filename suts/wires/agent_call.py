"""One request of a coding agent to a model, read from the bytes of its answer: usage, calls, when an edit began."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

import orjson

from suts.agent_parts import EditBegins, EditEnds
from suts.sut import Decoder, Event, Finish, Received, SutError, ToolCallDelta, Usage, Wire
from suts.wires.anthropic_messages import AnthropicMessagesWire
from suts.wires.fields import members
from suts.wires.google_generate import GoogleGenerateWire
from suts.wires.openai_chat import OpenAiChatWire
from suts.wires.openai_responses import OpenAiResponsesWire
from suts.wires.tool_calls import ToolCall, ToolCalls
from suts.wires.whole import Payloads, WholeAnswerWire, chat_events, generate_events, message_events, response_events

# The payloads that an answer in one piece would be as a stream.
_WIRES: dict[str, tuple[Wire, Payloads]] = {
    wire.name: (wire, payloads)
    for wire, payloads in (
        (AnthropicMessagesWire(), message_events),
        (OpenAiChatWire(), chat_events),
        (OpenAiResponsesWire(), response_events),
        (GoogleGenerateWire(), generate_events),
    )
}
# How coding agents call what changes a file, in small letters without signs.
_EDITING = frozenset(
    [
        "edit",
        "write",
        "multiedit",
        "notebookedit",
        "strreplace",
        "strreplaceeditor",
        "strreplacebasededittool",
        "applypatch",
        "replace",
        "writefile",
        "editfile",
        "editor",
        "createfile",
        "replaceinfile",
        "writetofile",
    ]
)


# Of these, those that take what they are to do as an argument `command`, and the one that changes nothing.
_COMMANDED = frozenset(["strreplaceeditor", "strreplacebasededittool", "editor"])
_SHOWING = "view"
# How coding agents call a shell, what it takes its command as, and the command that edits.
_SHELLS = frozenset(["bash", "shell", "exec", "execcommand", "executecommand", "runshellcommand", "runcommand"])
_COMMAND = ("command", "cmd")
_SCRIPTED = re.compile(r"\btools\.apply_patch\(")
_PATCHING = re.compile(r"^\s*apply_patch\b", re.MULTILINE)


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def shows(name: str, arguments: str) -> bool:
    """Return whether a call of a tool that edits only displays a file."""
    if _plain(name) not in _COMMANDED:
        return False
    try:
        return members(orjson.loads(arguments)).get("command") == _SHOWING
    except (ValueError, TypeError):
        return False


def patches(name: str, arguments: str) -> bool:
    """Return whether a call of a shell runs `apply_patch`: with some models the only tool that an agent edits by."""
    if _plain(name) not in _SHELLS or "apply_patch" not in arguments:
        return False
    try:
        options = members(orjson.loads(arguments))
    except (ValueError, TypeError):
        # The script of an agent that takes calls of its tools from one.
        return _SCRIPTED.search(arguments) is not None
    command = next((options[key] for key in _COMMAND if key in options), "")
    words = command if isinstance(command, list) else [command]
    return any(isinstance(word, str) and _PATCHING.search(word) is not None for word in words)


def changes_files(call: ToolCall) -> bool:
    """Return whether a call is one of a tool that changes files, and does so."""
    edits = _plain(call.name) in _EDITING and not shows(call.name, call.arguments)
    return edits or patches(call.name, call.arguments)


@dataclass(slots=True)
class AgentCall:
    """The answer to one request, fed as it arrives; an answer that is no stream is read at its end."""

    wire: str
    status: int = 0
    usage: Usage | None = None
    model: str | None = None
    finish: str | None = None
    _calls: ToolCalls = field(default_factory=ToolCalls)
    _whole: list[bytes] = field(default_factory=list)
    _decoder: Decoder | None = None
    _begun: dict[int, int] = field(default_factory=dict)

    def feed(self, at_ns: int, data: bytes) -> Iterator[EditBegins]:
        """Take a piece; yield the beginnings of calls that edit."""
        if self._decoder is None and not self._whole and data.lstrip()[:1] != b"{" and self.wire in _WIRES:
            self._decoder = _WIRES[self.wire][0].decoder()
        if self._decoder is None:
            self._whole.append(data)
            return
        with suppress(SutError):
            for event in self._decoder.feed(Received(at_ns, data)):
                yield from self._take(event)

    def _take(self, event: Event) -> Iterator[EditBegins]:
        match event:
            case ToolCallDelta():
                self._calls.add(event)
                name = _plain(event.name)
                if name and event.call not in self._begun:
                    self._begun[event.call] = event.at_ns
                    if name in _EDITING and name not in _COMMANDED:
                        yield EditBegins(event.at_ns)
            case Usage():
                self.usage = event
            case Finish():
                self.finish, self.model = event.reason or self.finish, event.model or self.model
            case _:
                pass

    def end(self, at_ns: int) -> Iterator[EditBegins | EditEnds]:
        """End the answer; yield the end of its edits, and the beginning where it came in one piece."""
        if self._whole and self.wire in _WIRES:
            with suppress(SutError):
                for event in WholeAnswerWire(*_WIRES[self.wire]).decoder().feed(Received(at_ns, b"".join(self._whole))):
                    yield from self._take(event)
        # What these are to do is known only when their arguments are.
        for number, call in self._calls.numbered():
            if _plain(call.name) in _COMMANDED | _SHELLS and changes_files(call):
                yield EditBegins(self._begun[number])
        if any(map(changes_files, self.calls)):
            yield EditEnds(at_ns)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls of tools."""
        return self._calls.whole()
