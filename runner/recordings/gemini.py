"""Sessions of the Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.jsonl`, one record a line.

A record whose id is known replaces the former one: an answer is written again once its calls have ended. A record of
the program may set fields of the whole (`$set`), or take back all that came after a record (`$rewindTo`).
"""

import re
from pathlib import Path

from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.known_files import replaced
from runner.recordings.recorded_json import recorded_rows
from runner.recordings.vocabulary import (
    ABSENT,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CauseRule,
    FileState,
    Replacement,
    TouchedFile,
)

_KINDS = {
    "read_file": CallKind.READ,
    "replace": CallKind.EDIT,
    "edit": CallKind.EDIT,
    "write_file": CallKind.WRITE,
    "run_shell_command": CallKind.SHELL,
}
_CAUSES = (
    CauseRule("could not find an exact match", CallCause.NO_MATCH),
    CauseRule("could not find the string to replace", CallCause.NO_MATCH),
    CauseRule("0 occurrences found", CallCause.NO_MATCH),
    CauseRule("expected 1 occurrence", CallCause.AMBIGUOUS),
    CauseRule("occurrences", CallCause.AMBIGUOUS),
    CauseRule("file not found", CallCause.FILE_MISSING),
    CauseRule("file already exists", CallCause.FILE_EXISTS),
    CauseRule("identical", CallCause.IDENTICAL),
    CauseRule("no changes to apply", CallCause.IDENTICAL),
    CauseRule("not found in registry", CallCause.NO_TOOL),
    CauseRule("tool not found", CallCause.NO_TOOL),
    CauseRule("params must have", CallCause.INVALID_INPUT),
    CauseRule("parameter", CallCause.INVALID_INPUT),
    CauseRule("denied", CallCause.DENIED),
    CauseRule("policy", CallCause.DENIED),
    CauseRule("cancel", CallCause.DENIED),
)
_EXIT = re.compile(r"Exit Code: (\d+)")
_WORDS = AgentWords("gemini-cli", _CAUSES, _EXIT)
_CONTEXT = re.compile(r"<session_context>.*?</session_context>\s*", re.DOTALL)
_FOLDER = re.compile(r"(?:Workspace Directories:\**\n +- |working in the directory: )(\S[^\n]*)")


def read_gemini(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the session of a file."""
    session = RecordingBuilder(_WORDS, str(path), turns)
    records: dict[str, dict[str, object]] = {}
    for row in recorded_rows(path):
        if row is None:
            session.damaged += 1
        else:
            _fold(records, row)
    for record in records.values():
        _take(session, record)
    return session.built()


def _fold(records: dict[str, dict[str, object]], row: dict[str, object]) -> None:
    for message in map(mapping, items(mapping(row.get("$set")).get("messages"))):
        records[words(message.get("id"))] = message
    target = row.get("$rewindTo")
    if isinstance(target, str) and target in records:
        known = list(records)
        for later in known[known.index(target) + 1 :]:
            del records[later]
    if isinstance(row.get("id"), str):
        records[words(row["id"])] = row


def _take(session: RecordingBuilder, record: dict[str, object]) -> None:
    at = seconds(record.get("timestamp"))
    session.began = session.began or at
    if record.get("type") == "user" and not session.files.folder:
        session.files.folder = _folder(record)
    model, tokens = words(record.get("model")), mapping(record.get("tokens"))
    if tokens:
        cached = number(tokens.get("cached"))
        output = number(tokens.get("output")) + number(tokens.get("thoughts"))
        fresh = max(number(tokens.get("input")) - cached, 0) + number(tokens.get("tool"))
        session.use(words(record.get("id")), AgentUsage(model, fresh, output, cached, at=at))
    if record.get("type") == "gemini":
        session.say("assistant", joined(record.get("content")))
    elif record.get("type") == "user":
        session.say("user", _CONTEXT.sub("", joined(record.get("content"))))
    for entry in map(mapping, items(record.get("toolCalls"))):
        _take_call(session, entry, model, at)


def _folder(record: dict[str, object]) -> str:
    """Return the working folder that the first message of the program names; "" if this is none such."""
    for part in map(mapping, items(record.get("content"))):
        match = _FOLDER.search(words(part.get("text")))
        if match:
            return match[1]
    return ""


def _take_call(session: RecordingBuilder, entry: dict[str, object], model: str, at: float | None) -> None:
    tool, arguments = words(entry.get("name")), mapping(entry.get("args"))
    path = words(arguments.get("file_path")) or words(arguments.get("absolute_path"))
    kind = _KINDS.get(tool, CallKind.OTHER)
    new = words(arguments.get("new_string"))
    call = AgentCall(
        words(entry.get("id")),
        tool,
        kind,
        model=model,
        began=at,
        paths=(session.files.named(path),) if path else (),
        replacements=(Replacement(words(arguments.get("old_string")), new),) if kind is CallKind.EDIT else (),
        content=words(arguments.get("content")) if kind is CallKind.WRITE else "",
        command=words(arguments.get("command")),
    )
    session.open(call)
    session.at = seconds(entry.get("timestamp"))
    response = _response(entry)
    status = entry.get("status")
    if status in ("error", "cancelled"):
        message = f"{words(response.get('error'))}\n{words(entry.get('resultDisplay'))}"
        session.fail(call, message, CallCause.DENIED if status == "cancelled" else None)
    elif status == "success":
        _close(session, call, entry, words(response.get("output")))


def _response(entry: dict[str, object]) -> dict[str, object]:
    for part in map(mapping, items(entry.get("result"))):
        return mapping(mapping(part.get("functionResponse")).get("response"))
    return {}


def _close(session: RecordingBuilder, call: AgentCall, entry: dict[str, object], output: str) -> None:
    code = _EXIT.search(output) if call.kind is CallKind.SHELL else None
    if code is not None and code[1] != "0":
        session.fail(call, output, CallCause.OTHER)
        return
    if call.kind is CallKind.READ and call.paths and "truncated" not in output[:200].lower():
        session.files.put(call.paths[0], FileState(output))
    edits = call.kind in (CallKind.EDIT, CallKind.WRITE) and call.paths
    session.succeed(call, output, (_edited(session, call, entry),) if edits else ())


def _edited(session: RecordingBuilder, call: AgentCall, entry: dict[str, object]) -> TouchedFile:
    display, path = mapping(entry.get("resultDisplay")), call.paths[0]
    new, old = display.get("newContent"), display.get("originalContent")
    if isinstance(new, str):
        created = display.get("isNewFile") is True
        before = ABSENT if created else FileState(old) if isinstance(old, str) else session.files.state(path)
        return TouchedFile(path, before, FileState(new))
    if call.kind is CallKind.WRITE:
        return TouchedFile(path, session.files.state(path), FileState(call.content))
    creates = not call.replacements[0].old
    before = ABSENT if creates else session.files.state(path)
    return TouchedFile(
        path, before, FileState(call.replacements[0].new) if creates else replaced(before, call.replacements)
    )
