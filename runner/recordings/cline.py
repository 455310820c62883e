"""Tasks of Cline 3.x: folders with `api_conversation_history.json` and `ui_messages.json`.

Tools are called by XML in the answer's text, or natively. A good edit is answered with the whole text of the file, as
it was saved after auto-formatting and the user's own changes: that text is the state, not the diff's result. A failed
edit is answered with the text to which the file was reverted.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import orjson

from parsers import DEFAULT_PARSER, PARSERS
from parsers.blocks import Text
from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.recorded_json import recorded_json
from runner.recordings.vocabulary import (
    ABSENT,
    UNKNOWN,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CauseRule,
    FileState,
    TouchedFile,
)
from runner.recordings.whole_documents import read_messages, read_object

_HISTORY = "api_conversation_history.json"
# The storage of programs that came of Cline: the same files, of other tools and results.
_OTHERS = ("rooveterinaryinc.", "kilocode.")
_KINDS = {
    "read_file": CallKind.READ,
    "replace_in_file": CallKind.EDIT,
    "write_to_file": CallKind.WRITE,
    "execute_command": CallKind.SHELL,
}
_CAUSES = (
    CauseRule("out of order", CallCause.OUT_OF_ORDER),
    CauseRule("doesn't match exactly", CallCause.NO_MATCH),
    CauseRule("does not match anything", CallCause.NO_MATCH),
    CauseRule("no sufficiently similar match", CallCause.NO_MATCH),
    CauseRule("denied", CallCause.DENIED),
    CauseRule("clineignore", CallCause.DENIED),
    CauseRule("missing value for required parameter", CallCause.INVALID_INPUT),
    CauseRule("invalid diff", CallCause.INVALID_PATCH),
    CauseRule("malformed", CallCause.INVALID_PATCH),
    CauseRule("file not found", CallCause.FILE_MISSING),
    CauseRule("enoent", CallCause.FILE_MISSING),
)
_WORDS = AgentWords("cline", _CAUSES)
_FAILED = ("the tool execution failed", "the user denied this operation", "<error>")
_RESULT = re.compile(r"\[([a-z_]+)(?: for '.*?')?\] Result:", re.DOTALL)
_SAVED = re.compile(r'<final_file_content path="[^"]*">\n(.*)\n</final_file_content>', re.DOTALL)
_REVERTED = re.compile(r'<file_content path="[^"]*">\n(.*)\n</file_content>', re.DOTALL)


def is_task(path: Path) -> bool:
    """Whether a file is the conversation of a task of Cline."""
    return path.name == _HISTORY and not any(part.lower().startswith(_OTHERS) for part in path.parts)


def read_cline(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the task whose conversation is at a path."""
    session = RecordingBuilder(_WORDS, str(path), turns)
    messages, damaged = read_messages(path)
    session.damaged += damaged
    models = _models(path.with_name("task_metadata.json"))
    requests = _requests(session, path.with_name("ui_messages.json"), models)
    for number_of, usage in enumerate(requests):
        session.use(str(number_of), usage)
    session.began = requests[0].at if requests else None
    reader = _TaskReader(session, requests, models)
    for position, message in enumerate(map(mapping, messages)):
        reader.take(position, message)
    return session.built()


class _TaskReader:
    def __init__(self, session: RecordingBuilder, requests: list[AgentUsage], models: list[tuple[float, str]]) -> None:
        self._session = session
        self._requests = requests
        self._models = models
        self._answers = 0
        # Calls by XML have no ids: an answer is to the first that waits for one of its tool.
        self._waiting: list[str] = []

    def take(self, position: int, message: dict[str, object]) -> None:
        content = message.get("content")
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
        if message.get("role") == "assistant":
            usage = self._requests[self._answers] if self._answers < len(self._requests) else None
            self._answers += 1
            at = seconds(message.get("ts")) or (usage.at if usage else None)
            for index, part in enumerate(map(mapping, parts)):
                self._take_part(f"{position}.{index}", part, at)
        else:
            self._take_results([mapping(part) for part in parts], seconds(message.get("ts")))

    def _take_part(self, place: str, part: dict[str, object], at: float | None) -> None:
        model = _model_at(self._models, at)
        if part.get("type") == "tool_use":
            arguments = {name: words(value) for name, value in mapping(part.get("input")).items()}
            self._open(words(part.get("id")), words(part.get("name")), arguments, model, at)
        elif part.get("type") == "text":
            for number_of, block in enumerate(PARSERS[DEFAULT_PARSER].parse(words(part.get("text")))):
                if isinstance(block, Text):
                    self._session.say("assistant", block.content)
                elif not block.partial:
                    call_id = f"{place}.{number_of}"
                    self._waiting.append(call_id)
                    self._open(call_id, block.name, block.params, model, at)

    def _open(self, call_id: str, tool: str, arguments: dict[str, str], model: str, at: float | None) -> None:
        path = arguments.get("path") or arguments.get("absolutePath", "")
        call = AgentCall(
            call_id,
            tool,
            _KINDS.get(tool, CallKind.OTHER),
            model=model,
            began=at,
            paths=(self._session.files.named(path),) if path else (),
            diff=arguments.get("diff", ""),
            content=arguments.get("content", ""),
            command=arguments.get("command", ""),
        )
        self._session.open(call)

    def _take_results(self, parts: list[dict[str, object]], at: float | None) -> None:
        self._session.at = at
        for call_id, text in self._results(parts):
            call = self._session.call(call_id)
            if call is not None:
                self._close(call, text)

    def _results(self, parts: list[dict[str, object]]) -> Iterator[tuple[str, str]]:
        """Yield the answers to calls: of native ones by their ids, of others by the line that names their tool."""
        answered = -1
        for position, part in enumerate(parts):
            text = words(part.get("text"))
            if part.get("type") == "tool_result":
                yield words(part.get("tool_use_id")), joined(part.get("content"))
            elif (match := _RESULT.match(text)) and (call_id := self._next(match[1])):
                rest = text[match.end() :]
                following = words(parts[position + 1].get("text")) if position + 1 < len(parts) else ""
                answered = position + 1 if not rest.strip() else answered
                yield call_id, rest if rest.strip() else following
            elif position != answered:
                self._session.say("user", text)

    def _next(self, tool: str) -> str:
        for call_id in self._waiting:
            call = self._session.call(call_id)
            if call is not None and call.tool == tool:
                # Of several calls in one answer, those before this one were not carried out.
                self._waiting = self._waiting[self._waiting.index(call_id) + 1 :]
                return call_id
        return ""

    def _close(self, call: AgentCall, text: str) -> None:
        beginning = text[:400].lower()
        if any(sign in beginning for sign in _FAILED):
            self._close_failed(call, text)
        elif call.kind in (CallKind.EDIT, CallKind.WRITE) and call.paths:
            saved = _SAVED.search(text)
            path, before = call.paths[0], self._session.files.state(call.paths[0])
            created = call.kind is CallKind.WRITE and before is UNKNOWN
            after = (
                FileState(saved[1]) if saved else FileState(call.content) if call.kind is CallKind.WRITE else UNKNOWN
            )
            self._session.succeed(call, text, (TouchedFile(path, ABSENT if created else before, after),))
        else:
            if call.kind is CallKind.READ and call.paths:
                self._session.files.put(call.paths[0], FileState(text))
            self._session.succeed(call, text)

    def _close_failed(self, call: AgentCall, text: str) -> None:
        reverted = _REVERTED.search(text) if call.kind in (CallKind.EDIT, CallKind.WRITE) else None
        if reverted and call.paths:
            self._session.files.put(call.paths[0], FileState(reverted[1]))
        self._session.fail(call, text)


def _requests(session: RecordingBuilder, path: Path, models: list[tuple[float, str]]) -> list[AgentUsage]:
    """Return the usage of each request, in order, from the messages of the screen; none where the file is missing."""
    if not path.is_file():
        return []
    messages, damaged = read_messages(path)
    session.damaged += damaged
    usages = []
    for message in map(mapping, messages):
        if message.get("say") != "api_req_started":
            continue
        try:
            usage_data = mapping(recorded_json(words(message.get("text")) or "{}"))
        except orjson.JSONDecodeError:
            session.damaged += 1
            continue
        cost, at = usage_data.get("cost"), seconds(message.get("ts"))
        usages.append(
            AgentUsage(
                _model_at(models, at),
                number(usage_data.get("tokensIn")),
                number(usage_data.get("tokensOut")),
                number(usage_data.get("cacheReads")),
                number(usage_data.get("cacheWrites")),
                cost_usd=float(cost) if isinstance(cost, int | float) else None,
                at=at,
            )
        )
    return usages


def _models(path: Path) -> list[tuple[float, str]]:
    """Return from when on which model was used, oldest first."""
    entries = map(mapping, items(read_object(path).get("model_usage")))
    return sorted((seconds(entry.get("ts")) or 0.0, words(entry.get("model_id"))) for entry in entries)


def _model_at(models: list[tuple[float, str]], at: float | None) -> str:
    """Return the model that was used at a time: the last that was chosen before it, else the first."""
    before = [name for since, name in models if at is None or since <= at]
    return (before or [name for _, name in models[:1]] or [""])[-1]
