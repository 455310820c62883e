"""The transcript of one attempt of a coding agent, from the lines of its stored stream (wire `agent`).

The requests that the proxy recorded are the turns; what the agent printed adds what a request does not show. Of an
agent without recorded requests only what it printed is known.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from runner.json_texts import parse_json, readable
from runner.recordings.building import items, mapping, number, words
from runner.recordings.claude_code import NEVER_CALLED
from runner.recordings.metered_turns import MeteredTurn, finished
from runner.recordings.printed_lines import PrintedRun
from runner.recordings.transcript import Transcript, TranscriptCall, TranscriptTurn
from runner.recordings.vocabulary import CallKind, CallStatus
from suts.wires.call_results import ShownResult, shown_results

AGENT_WIRE = "agent"


@dataclass(slots=True)
class _Lines:
    """The lines of an attempt being read."""

    printed: PrintedRun = field(default_factory=PrintedRun)
    turns: dict[int, MeteredTurn] = field(default_factory=dict)
    results: dict[str, ShownResult] = field(default_factory=dict)
    body: str = ""
    damaged: int = 0
    plain: list[str] = field(default_factory=list)
    changed: list[object] = field(default_factory=list)

    def take(self, at_ns: int, line: dict[str, object]) -> None:
        turn = self.turns.get(number(line.get("n")))
        match line.get("t"), turn:
            case "sent", _:
                self._sent(at_ns, line)
            case "status", MeteredTurn():
                turn.status = number(line.get("status"))
            case "got", MeteredTurn():
                turn.feed(at_ns, words(line.get("d")).encode("utf-8", "surrogateescape"))
            case "done", MeteredTurn():
                turn.ended_ns, cost = at_ns, line.get("usd")
                turn.cost_usd = float(cost) if isinstance(cost, int | float) else None
            case "end", _:
                tree = mapping(line.get("tree"))
                self.changed = [*mapping(tree.get("changed")), *items(tree.get("removed")), *items(tree.get("large"))]
            case "out", _:
                self._printed(at_ns, words(line.get("d")))
            case _:
                pass

    def _sent(self, at_ns: int, line: dict[str, object]) -> None:
        self.body = self.body[: number(line.get("keep"))] + words(line.get("body"))
        body: dict[str, object] = {}
        try:
            body = mapping(parse_json(self.body, json.loads))
        except ValueError:
            self.damaged += 1
        self.results.update(shown_results(body))
        self.turns[number(line.get("n"))] = MeteredTurn(words(line.get("wire")), at_ns, side=not body.get("tools"))

    def _printed(self, at_ns: int, text: str) -> None:
        try:
            self.printed.take(mapping(parse_json(text, json.loads)), at_ns)
        except ValueError:
            self.plain.append(readable(text))


def transcript_of(stream: Iterable[tuple[int, bytes]]) -> Transcript:
    """Return the transcript of a stored stream: pieces with their moments in nanoseconds, cut anywhere."""
    lines, rest = _Lines(), b""
    for at_ns, data in stream:
        *whole, rest = (rest + data).split(b"\n")
        for line in whole:
            try:
                lines.take(at_ns, mapping(parse_json(line, json.loads)))
            except ValueError:
                lines.damaged += 1
    printed = lines.printed
    metered = tuple(turn.built(lines.results) for turn in lines.turns.values())
    turns = tuple(_with_printed(turn, printed) for turn in metered) or printed.turns()
    damaged = lines.damaged + (rest.strip() != b"")
    changed = tuple(sorted(readable(words(path)) for path in lines.changed))
    return Transcript(printed.agent, printed.version, turns, printed.claims, damaged, tuple(lines.plain), changed)


def _with_printed(turn: TranscriptTurn, printed: PrintedRun) -> TranscriptTurn:
    return replace(turn, calls=tuple(_with_own_words(call, printed) for call in turn.calls))


def _with_own_words(call: TranscriptCall, printed: PrintedRun) -> TranscriptCall:
    """Return a call with what the agent itself says of it: whether it failed, and which kind it is of."""
    own, result = printed.calls.get(call.call_id), printed.results.get(call.call_id)
    if own is not None and call.kind is CallKind.OTHER and call.cause not in NEVER_CALLED:
        call = replace(call, kind=own.kind)
    if result is None or (call.result is not None and call.status is CallStatus.FAILED) is result.failed:
        return call
    return finished(call, replace(result, text=result.text if call.result is None else call.result))
