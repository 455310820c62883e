"""The turns of a coding agent from the requests that its proxy recorded, and results of calls from later requests.

A result is what the next request shows the model: so each agent is read the same way, whatever it prints itself.
"""

import json
from contextlib import suppress
from dataclasses import dataclass, field, replace

from runner.json_texts import parse_json, readable
from runner.recordings.building import failure_cause, mapping, words
from runner.recordings.claude_code import CLAUDE_WORDS, NEVER_CALLED
from runner.recordings.transcript import TranscriptCall, TranscriptTurn
from runner.recordings.vocabulary import AgentUsage, CallKind, CallStatus
from suts.sut import Decoder, Finish, ReasoningDelta, Received, SutError, TextDelta, ToolCallDelta, Usage, WholeText
from suts.wires import WIRES
from suts.wires.agent_call import shows
from suts.wires.call_results import ShownResult
from suts.wires.tool_calls import ToolCalls

_PATHS = ("file_path", "path", "filePath", "absolute_path", "notebook_path")
# What the names of tools begin or end with, in small letters.
_KINDS = (
    ("notebook", CallKind.OTHER),
    ("edit", CallKind.EDIT),
    ("replace", CallKind.EDIT),
    ("patch", CallKind.PATCH),
    ("write", CallKind.WRITE),
    ("create", CallKind.WRITE),
    ("read", CallKind.READ),
    ("view", CallKind.READ),
    ("bash", CallKind.SHELL),
    ("shell", CallKind.SHELL),
    ("run", CallKind.SHELL),
    ("exec", CallKind.SHELL),
)


@dataclass(slots=True)
class MeteredTurn:
    """One answer being read."""

    wire: str
    began_ns: int
    side: bool
    status: int = 200
    ended_ns: int | None = None
    model: str = ""
    usage: Usage | None = None
    cost_usd: float | None = None
    text: str = ""
    reasoning: str = ""
    _calls: ToolCalls = field(default_factory=ToolCalls)
    _decoder: Decoder | None = None

    def feed(self, at_ns: int, data: bytes) -> None:
        """Take a piece of the answer; what is no stream of its wire says nothing."""
        if self._decoder is None and self.wire in WIRES:
            self._decoder = WIRES[self.wire].decoder()
        if self._decoder is None or self.status >= 400:
            return
        with suppress(SutError):
            for event in self._decoder.feed(Received(at_ns, data)):
                self._take(event)

    def _take(self, event: object) -> None:
        match event:
            case TextDelta() | WholeText():
                self.text += event.text
            case ReasoningDelta():
                self.reasoning += event.text
            case ToolCallDelta():
                self._calls.add(event)
            case Usage():
                self.usage = event
            case Finish():
                self.model = event.model or self.model
            case _:
                pass

    def built(self, results: dict[str, ShownResult]) -> TranscriptTurn:
        """Return the turn, with the results of its calls."""
        calls = (
            finished(called(call.id, call.name, call.arguments, self.began_ns), results.get(call.id))
            for call in self._calls.whole()
        )
        return TranscriptTurn(
            text=readable(self.text),
            reasoning=readable(self.reasoning),
            calls=tuple(calls),
            usage=self._usage(),
            began_ns=self.began_ns,
            ended_ns=self.ended_ns,
            status=self.status,
            side=self.side,
        )

    def _usage(self) -> AgentUsage | None:
        if self.usage is None:
            return None
        return AgentUsage(
            self.model,
            self.usage.input_tokens or 0,
            self.usage.output_tokens or 0,
            self.usage.cache_read_tokens or 0,
            self.usage.cache_write_tokens or 0,
            self.cost_usd,
        )


def called(call_id: str, tool: str, arguments: str, at_ns: int | None) -> TranscriptCall:
    """Return a call whose result is not known yet."""
    values: dict[str, object] = {}
    with suppress(ValueError):
        values = mapping(parse_json(arguments or "{}", json.loads))
    named = next((kind for part, kind in _KINDS if part in tool.lower()), CallKind.OTHER)
    kind = CallKind.READ if shows(tool, arguments) else named
    paths = tuple(words(values[name]).removeprefix("./") for name in _PATHS if words(values.get(name)))
    names = tuple(map(readable, paths))
    return TranscriptCall(readable(call_id), readable(tool), kind, readable(arguments), names, at_ns=at_ns)


def finished(call: TranscriptCall, result: ShownResult | None) -> TranscriptCall:
    """Return a call with its result."""
    if result is None:
        return call
    result = replace(result, text=readable(result.text))
    if not result.failed:
        return replace(call, status=CallStatus.OK, result=result.text)
    cause = failure_cause(CLAUDE_WORDS, result.text, shell=call.kind is CallKind.SHELL)
    kind = CallKind.OTHER if cause in NEVER_CALLED and call.kind is not CallKind.SHELL else call.kind
    return replace(call, kind=kind, status=CallStatus.FAILED, cause=cause, result=result.text)
