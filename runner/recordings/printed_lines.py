"""What a coding agent prints of itself: Claude Code's stream of JSON lines, and updates of the Agent Client Protocol.

Claude Code prints one line per block of an answer, with the usage as the answer began: only its last line, `result`,
has sums, and `is_error` there decides, whatever its subtype. Updates of the protocol have changed fields alone: they
are merged by the id of the call.
"""

import json
from dataclasses import dataclass, field, replace

from runner.json_texts import readable
from runner.recordings.building import items, mapping, words
from runner.recordings.metered_turns import called, finished
from runner.recordings.transcript import AgentClaims, TranscriptCall, TranscriptTurn
from runner.recordings.vocabulary import CallKind
from suts.wires.call_results import ShownResult

_KINDS = {"read": CallKind.READ, "edit": CallKind.EDIT, "delete": CallKind.EDIT, "move": CallKind.EDIT} | {
    "execute": CallKind.SHELL
}


@dataclass(slots=True)
class PrintedRun:
    """What was printed, line by line; `texts` and `calls` are in the order in which they were first seen."""

    agent: str = ""
    version: str = ""
    claims: AgentClaims = field(default_factory=AgentClaims)
    calls: dict[str, TranscriptCall] = field(default_factory=dict)
    results: dict[str, ShownResult] = field(default_factory=dict)
    _turns: dict[str, list[str]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)

    def take(self, line: dict[str, object], at_ns: int | None) -> None:
        """Take one line; other kinds of lines say nothing."""
        match line:
            case {"type": "system", "subtype": "init"}:
                self.agent, self.version = "claude-code", words(line.get("claude_code_version"))
            case {"type": "assistant" | "user"}:
                self._message(line, at_ns)
            case {"type": "result"}:
                self._ended(line)
            case {"jsonrpc": "2.0", "method": "session/update"}:
                self._update(mapping(mapping(line.get("params")).get("update")), at_ns)
            case {"jsonrpc": "2.0", "result": dict() as result}:
                self._answered(result)
            case _:
                pass

    def turns(self) -> tuple[TranscriptTurn, ...]:
        """Return the turns as printed, for an agent whose requests nobody recorded."""
        return tuple(
            TranscriptTurn(
                self._texts.get(name, ""),
                calls=tuple(finished(self.calls[call_id], self.results.get(call_id)) for call_id in ids),
            )
            for name, ids in self._turns.items()
        )

    def _message(self, line: dict[str, object], at_ns: int | None) -> None:
        message = mapping(line.get("message"))
        answer = words(message.get("id"))
        for block in map(mapping, items(message.get("content"))):
            match block:
                case {"type": "text", "text": str() as text} if line["type"] == "assistant":
                    self._turns.setdefault(answer, [])
                    self._texts[answer] = self._texts.get(answer, "") + readable(text)
                case {"type": "tool_use", "id": str() as call_id, "name": str() as name}:
                    self._turns.setdefault(answer, []).append(call_id)
                    self.calls[call_id] = called(call_id, name, _json(block.get("input")), at_ns)
                case {"type": "tool_result", "tool_use_id": str() as call_id}:
                    self.results[call_id] = ShownResult(_content(block.get("content")), block.get("is_error") is True)

    def _ended(self, line: dict[str, object]) -> None:
        turns, cost = line.get("num_turns"), line.get("total_cost_usd")
        self.claims = replace(
            _claimed(mapping(line.get("usage"))),
            turns=turns if isinstance(turns, int) else None,
            cost_usd=float(cost) if isinstance(cost, int | float) else None,
            failed=line.get("is_error") is True,
            reason=words(line.get("subtype")),
        )

    def _update(self, update: dict[str, object], at_ns: int | None) -> None:
        kind, call_id = update.get("sessionUpdate"), words(update.get("toolCallId"))
        if kind == "agent_message_chunk":
            name = next(reversed(self._turns), "0")
            if self._turns.setdefault(name, []):
                name = str(len(self._turns))
                self._turns[name] = []
            text = words(mapping(update.get("content")).get("text"))
            self._texts[name] = self._texts.get(name, "") + readable(text)
        elif kind in {"tool_call", "tool_call_update"} and call_id:
            self._merge(call_id, update, at_ns)
        elif kind == "usage_update" and isinstance(cost := mapping(update.get("cost")).get("amount"), int | float):
            self.claims = replace(self.claims, cost_usd=float(cost))

    def _merge(self, call_id: str, update: dict[str, object], at_ns: int | None) -> None:
        if call_id not in self.calls:
            self._turns.setdefault(next(reversed(self._turns), "0"), []).append(call_id)
        call = self.calls.get(call_id) or TranscriptCall(call_id, "", CallKind.OTHER, at_ns=at_ns)
        paths = tuple(words(mapping(place).get("path")) for place in items(update.get("locations")))
        self.calls[call_id] = replace(
            call,
            tool=readable(words(update.get("title"))) or call.tool,
            kind=_KINDS.get(words(update.get("kind")), call.kind),
            arguments=readable(_json(update["rawInput"])) if update.get("rawInput") else call.arguments,
            paths=tuple(map(readable, filter(None, paths))) or call.paths,
        )
        if update.get("status") in {"completed", "failed"}:
            texts = (mapping(mapping(part).get("content")).get("text") for part in items(update.get("content")))
            self.results[call_id] = ShownResult("\n".join(map(words, texts)), update["status"] == "failed")

    def _answered(self, result: dict[str, object]) -> None:
        """Take the agent's answer to a request of its client: what it is, or why a prompt ended."""
        if info := mapping(result.get("agentInfo")):
            self.agent, self.version = words(info.get("name")), words(info.get("version"))
        if reason := words(result.get("stopReason")):
            claimed = _claimed(mapping(result.get("usage")))
            failed = reason not in {"end_turn", "max_tokens"}
            self.claims = replace(claimed, cost_usd=self.claims.cost_usd, failed=failed, reason=reason)


def _claimed(usage: dict[str, object]) -> AgentClaims:
    """Return the counts of a usage, as Claude Code or the draft of the protocol names them."""
    return AgentClaims(
        input_tokens=_count(usage, "input_tokens", "inputTokens"),
        output_tokens=_count(usage, "output_tokens", "outputTokens"),
        cache_read_tokens=_count(usage, "cache_read_input_tokens", "cachedReadTokens"),
        cache_write_tokens=_count(usage, "cache_creation_input_tokens", "cachedWriteTokens"),
    )


def _count(usage: dict[str, object], *names: str) -> int | None:
    return next((value for name in names if isinstance(value := usage.get(name), int)), None)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _content(content: object) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(words(part.get("text")) for part in map(mapping, items(content)))
