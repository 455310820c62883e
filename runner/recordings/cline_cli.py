"""Sessions of the Cline CLI: `~/.cline/data/sessions/<id>/<id>.messages.json`, with `<id>.json` beside it.

Reads lose CR and the final newline, and the answer to an edit has only the changed lines: states are derived.
"""

import re
from pathlib import Path

import orjson

from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.known_files import replaced
from runner.recordings.recorded_json import recorded_json
from runner.recordings.vocabulary import (
    ABSENT,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CauseRule,
    Certainty,
    FileState,
    Replacement,
    TouchedFile,
)
from runner.recordings.whole_documents import read_messages, read_object

ENDING = ".messages.json"
_KINDS = {"read_files": CallKind.READ, "editor": CallKind.EDIT, "run_commands": CallKind.SHELL}
_CAUSES = (
    CauseRule("text not found", CallCause.NO_MATCH),
    CauseRule("multiple occurrences", CallCause.AMBIGUOUS),
    CauseRule("occurrences of", CallCause.AMBIGUOUS),
    CauseRule("is not unique", CallCause.AMBIGUOUS),
    CauseRule("no changes", CallCause.IDENTICAL),
    CauseRule("enoent", CallCause.FILE_MISSING),
    CauseRule("no such file", CallCause.FILE_MISSING),
    CauseRule("file not found", CallCause.FILE_MISSING),
    CauseRule("does not exist", CallCause.FILE_MISSING),
    CauseRule("already exists", CallCause.FILE_EXISTS),
    CauseRule("invalid", CallCause.INVALID_INPUT),
    CauseRule("unknown tool", CallCause.NO_TOOL),
    CauseRule("denied", CallCause.DENIED),
)
_SHOWN = re.compile(r" *\d+ \| ?(.*)", re.DOTALL)
_WORDS = AgentWords("cline-cli", _CAUSES, re.compile(r"exit(?:ed with)? code:? (\d+)", re.IGNORECASE))


def read_cline_cli(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the session of a file of messages."""
    session = RecordingBuilder(_WORDS, str(path), turns)
    about = read_object(path.with_name(path.name.removesuffix(ENDING) + ".json"))
    session.files.folder = words(about.get("cwd"))
    session.version = words(mapping(mapping(about.get("metadata")).get("sessionHistoryOrigin")).get("version"))
    session.began = seconds(about.get("started_at"))
    messages, damaged = read_messages(path, "messages")
    session.damaged += damaged
    for message in map(mapping, messages):
        session.at = at = seconds(message.get("ts"))
        if message.get("role") == "assistant":
            _take_answer(session, message, at)
            continue
        if isinstance(message.get("content"), str):
            session.say("user", joined(message.get("content")))
        for part in map(mapping, items(message.get("content"))):
            call = session.call(words(part.get("tool_use_id")))
            if part.get("type") == "tool_result" and call is not None:
                _close(session, call, part)
            elif part.get("type") == "text":
                session.say("user", words(part.get("text")))
    return session.built()


def _take_answer(session: RecordingBuilder, message: dict[str, object], at: float | None) -> None:
    model, metrics = words(mapping(message.get("modelInfo")).get("id")), mapping(message.get("metrics"))
    if metrics:
        cost = metrics.get("cost")
        usage = AgentUsage(
            model,
            number(metrics.get("inputTokens")),
            number(metrics.get("outputTokens")),
            number(metrics.get("cacheReadTokens")),
            number(metrics.get("cacheWriteTokens")),
            cost_usd=float(cost) if isinstance(cost, int | float) else None,
            at=at,
        )
        session.use(words(message.get("id")), usage)
    for part in map(mapping, items(message.get("content"))):
        if part.get("type") == "text":
            session.say("assistant", words(part.get("text")))
        elif part.get("type") == "tool_use":
            session.open(_call(session, part, model, at))


def _call(session: RecordingBuilder, part: dict[str, object], model: str, at: float | None) -> AgentCall:
    tool, arguments = words(part.get("name")), mapping(part.get("input"))
    files = [words(mapping(file).get("path")) for file in items(arguments.get("files"))]
    path = words(arguments.get("path"))
    kind = _KINDS.get(tool, CallKind.OTHER)
    edit = Replacement(words(arguments.get("old_text")), words(arguments.get("new_text")))
    return AgentCall(
        words(part.get("id")),
        tool,
        kind,
        model=model,
        began=at,
        paths=tuple(session.files.named(name) for name in ([path] if path else files) if name),
        replacements=(edit,) if kind is CallKind.EDIT else (),
        command="\n".join(words(command) for command in items(arguments.get("commands"))),
    )


def _close(session: RecordingBuilder, call: AgentCall, part: dict[str, object]) -> None:
    results = _results(part.get("content"))
    text = "\n".join(f"{words(result.get('error'))}\n{words(result.get('result'))}" for result in results)
    failed = part.get("is_error") is True or any(result.get("success") is False for result in results)
    if failed:
        session.fail(call, text)
        return
    if call.kind is CallKind.READ:
        for path, result in zip(call.paths, results, strict=False):
            session.files.put(path, _without_numbers(words(result.get("result"))))
    touched: tuple[TouchedFile, ...] = ()
    if call.kind is CallKind.EDIT and call.paths:
        before = session.files.state(call.paths[0])
        creates = not call.replacements[0].old and before.text is None
        after = FileState(call.replacements[0].new) if creates else replaced(before, call.replacements)
        touched = (TouchedFile(call.paths[0], ABSENT if creates else before, after),)
    session.succeed(call, text.strip(), touched)


def _results(content: object) -> list[dict[str, object]]:
    """Return the results of a call: objects, a JSON text of one, a plain text, or parts with such texts."""
    if isinstance(content, list):
        parts = map(mapping, content)
        return [
            result
            for part in parts
            for result in (_results(part.get("text")) if part.get("type") == "text" else [part])
        ]
    text = words(content)
    try:
        value = recorded_json(text)
    except orjson.JSONDecodeError:
        return [{"result": text}]
    return [mapping(result) for result in value] if isinstance(value, list) else [mapping(value)]


def _without_numbers(text: str) -> FileState:
    matches = [_SHOWN.fullmatch(line) for line in text.split("\n")]
    lines = [match[1] for match in matches if match]
    return (
        FileState("\n".join(lines), Certainty.DERIVED)
        if len(lines) == len(matches)
        else FileState(text, Certainty.DERIVED)
    )
