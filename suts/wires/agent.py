"""The wire of coding agents: one JSON object per line, of what an attempt sent, received, printed and changed.

| line | fields |
|---|---|
| `sent` | a request to a model: `n`, its wire, `keep` characters of the body before, and the rest of the `body` |
| `status` | the status of its answer |
| `got` | a piece of the answer, as it came |
| `done` | the end of the answer, and what it cost by the price table in USD; null where that is unknown |
| `out` | a line that the agent printed |
| `end` | how the attempt ended: `why` (a limit, or ""), the exit `code`, and the `tree`, what differs in the folder |

Bytes that are no UTF-8 are surrogate escapes. The text of the answer is JSON: `tree`, and `figures` of the attempt.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

import orjson

from suts.sut import Beat, Decoder, ErrorKind, Event, Finish, Received, SutError, Usage, WholeText
from suts.wires.agent_call import AgentCall, shows
from suts.wires.call_results import shown_results, wasted_calls
from suts.wires.fields import members
from suts.wires.tool_calls import ToolCall

_PATHS: Final = ("path", "file_path", "filePath", "absolute_path")
_READING: Final = frozenset({"read", "read_file", "view", "readfile", "open_file", "read_files", "read_many_files"})
_LISTS: Final = ("files", "paths")
_COUNTS: Final = ("input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens", "reasoning_tokens")


class AgentWire:
    """The wire `agent`."""

    name = "agent"

    def decoder(self) -> Decoder:
        """Begin a stream."""
        return AgentDecoder()


class AgentDecoder:
    """One attempt being read."""

    def __init__(self) -> None:
        """Begin."""
        self.ended = False
        self._rest = b""
        self._calls: dict[int, AgentCall] = {}
        self._usd: list[float | None] = []
        self._done: list[AgentCall] = []
        self._body = ""
        self._failed: set[str] = set()

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the events of the lines that this piece completes. Raises SutError for what is no line."""
        *lines, self._rest = (self._rest + received.data).split(b"\n")
        for line in lines:
            try:
                fields = json.loads(line)
                yield from self._line(fields, received.at_ns)
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise SutError(ErrorKind.MALFORMED, f"no line of an attempt: {line[:80]!r}", retryable=False) from error

    def _line(self, fields: dict[str, Any], at_ns: int) -> Iterator[Event]:
        match fields["t"]:
            case "sent":
                self._calls[fields["n"]] = AgentCall(fields["wire"])
                self._body = self._body[: fields["keep"]] + fields["body"]
                self._failed.update(_failed_in(self._body))
                yield Beat(at_ns)
            case "status":
                self._calls[fields["n"]].status = fields["status"]
            case "got":
                yield Beat(at_ns)
                yield from self._calls[fields["n"]].feed(at_ns, fields["d"].encode("utf-8", "surrogateescape"))
            case "done":
                call = self._calls.pop(fields["n"])
                self._done.append(call)
                self._usd.append(fields["usd"])
                yield from call.end(at_ns)
            case "end":
                yield from self._end(fields, at_ns)
            case _:
                yield Beat(at_ns)

    def _end(self, fields: dict[str, Any], at_ns: int) -> Iterator[Event]:
        self.ended = True
        tree = fields["tree"]
        yield WholeText(at_ns, json.dumps({"figures": self._figures(fields), "tree": tree}, sort_keys=True))
        if self._done:
            yield self._usage(at_ns)
        yield Finish(at_ns, fields["why"] or "end")

    def _usage(self, at_ns: int) -> Usage:
        reported = [call.usage for call in self._done if call.usage is not None]
        sums: dict[str, int | None] = {}
        for name in _COUNTS:
            counts = [number for usage in reported if (number := getattr(usage, name)) is not None]
            sums[name] = sum(counts) if counts else None
        usd = [cost for cost in self._usd if cost is not None]
        return Usage(at_ns, **sums, cost_usd=sum(usd) if len(usd) == len(self._usd) else None)

    def _figures(self, fields: dict[str, Any]) -> dict[str, object]:
        """Return what an attempt came to."""
        calls = [call for answer in self._done for call in answer.calls]
        answered = [answer for answer in self._done if answer.status < 400]
        return {
            "turns": len(answered),
            "refused": len(self._done) - len(answered),
            "uncounted": sum(answer.usage is None for answer in answered),
            "calls": dict(sorted(Counter(call.name for call in calls).items())),
            "files_read": len({path for call in calls if _reads(call) for path in _paths(call.arguments)}),
            "wasted_calls": wasted_calls(calls, frozenset(self._failed)),
            "models": sorted({call.model for call in self._done if call.model}),
            "exit_code": fields["code"],
            "ended_by": fields["why"],
        }

    def finish(self) -> Iterable[Event]:
        """Return nothing more. Raises SutError(CUT) where the attempt has no end."""
        if not self.ended:
            raise SutError(ErrorKind.CUT, "the attempt was broken off", retryable=False)
        return ()


def _reads(call: ToolCall) -> bool:
    return call.name.lower() in _READING or shows(call.name, call.arguments)


def _failed_in(body: str) -> Iterator[str]:
    """Yield the ids of the calls that have failed, by the results in the body of a request."""
    try:
        results = shown_results(members(orjson.loads(body.encode("utf-8", "surrogateescape"))))
    except (ValueError, TypeError):
        return
    yield from (call_id for call_id, result in results if call_id and result.failed)


def _paths(arguments: str) -> Iterator[str]:
    try:
        arguments_by_name = members(json.loads(arguments))
    except (ValueError, RecursionError):
        return
    yield from (str(arguments_by_name[name]) for name in _PATHS if name in arguments_by_name)
    for name in _LISTS:
        listed = arguments_by_name.get(name)
        for item in listed if isinstance(listed, list) else ():
            yield from [item] if isinstance(item, str) else _paths(json.dumps(item))
