"""Sessions of Claude Code: `~/.claude/projects/<folder>/<session>.jsonl`, and those of subagents beside them.

Each line is one event; an answer of the model has one line for each block of its content, with the same message id and
usage. A call and its result are joined by the call's id, since results may come in any order. Successful edits record
the file before them and a patch; edits of subagents record neither and are made again on what the subagent has read.
Line ends CR LF are not recorded: such texts come with LF.
"""

import heapq
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.known_files import patched, replaced
from runner.recordings.recorded_json import recorded_rows
from runner.recordings.vocabulary import (
    ABSENT,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CallStatus,
    CauseRule,
    Certainty,
    FileState,
    Replacement,
    TouchedFile,
    cause_of,
)

_KINDS = {
    "Read": CallKind.READ,
    "Edit": CallKind.EDIT,
    "MultiEdit": CallKind.EDIT,
    "Write": CallKind.WRITE,
    "Bash": CallKind.SHELL,
}
_CAUSES = (
    CauseRule("could not be parsed as json", CallCause.TRUNCATED_JSON),
    CauseRule("inputvalidationerror", CallCause.INVALID_INPUT),
    CauseRule("no such tool available", CallCause.NO_TOOL),
    CauseRule("string to replace not found", CallCause.NO_MATCH),
    CauseRule("matches of the string to replace", CallCause.AMBIGUOUS),
    CauseRule("has not been read yet", CallCause.NOT_READ),
    CauseRule("modified since read", CallCause.STALE),
    CauseRule("no changes to make", CallCause.IDENTICAL),
    CauseRule("cannot create new file", CallCause.FILE_EXISTS),
    CauseRule("file does not exist", CallCause.FILE_MISSING),
    CauseRule("requires approval", CallCause.DENIED),
    CauseRule("require approval", CallCause.DENIED),
    CauseRule("contains multiple operations", CallCause.DENIED),
    CauseRule("which could write to", CallCause.DENIED),
    CauseRule("permission", CallCause.DENIED),
    CauseRule("denied", CallCause.DENIED),
)
# A call that these refuse has changed no file, whatever its tool: it is no edit.
NEVER_CALLED = frozenset({CallCause.INVALID_INPUT, CallCause.TRUNCATED_JSON, CallCause.NO_TOOL})
_NUMBERED = re.compile(r" *(\d+)(?:\t|\u2192)(.*)", re.DOTALL)
CLAUDE_WORDS = AgentWords("claude-code", _CAUSES, re.compile(r"(?:Exit code|exit code:?) (\d+)"))
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>\s*", re.DOTALL)


def read_claude_code(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the session of a file, and of its subagents."""
    session = RecordingBuilder(CLAUDE_WORDS, str(path), turns)
    subagents = sorted((path.with_suffix("") / "subagents").glob("*.jsonl"))
    rows = heapq.merge(*(_timed(session, file) for file in (path, *subagents)), key=lambda pair: pair[0])
    first = ""
    for _, row in rows:
        written_by = words(row.get("sessionId"))
        first = first or written_by
        # Ids are those of a session: those of another one in the same file begin with its name.
        session.scope = "" if written_by in ("", first) else f"{written_by}:"
        _take(session, row)
    return session.built()


def _timed(session: RecordingBuilder, path: Path) -> Iterator[tuple[float, dict[str, object]]]:
    """Yield the rows of a file with their times; a row without a time has that of the row before it."""
    last = 0.0
    for row in recorded_rows(path):
        if row is None:
            session.damaged += 1
            continue
        last = max(last, seconds(row.get("timestamp")) or last)
        yield last, row


def _take(session: RecordingBuilder, row: dict[str, object]) -> None:
    kind = row.get("type")
    if kind not in ("assistant", "user"):
        return
    session.version = words(row.get("version")) or session.version
    session.files.folder = session.files.folder or words(row.get("cwd"))
    session.at = at = seconds(row.get("timestamp"))
    session.began = session.began or at
    message = mapping(row.get("message"))
    session.thread = (words(row.get("agentId")) or "subagent") if row.get("isSidechain") is True else ""
    if kind == "assistant":
        _take_answer(session, row, message, at)
    else:
        _take_words(session, row, message.get("content"))


def _take_words(session: RecordingBuilder, row: dict[str, object], content: object) -> None:
    """Take words of the user, or the results of calls."""
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else items(content)
    for block in map(mapping, parts):
        call = session.call(session.scope + words(block.get("tool_use_id")))
        # A result that is written again says nothing new.
        if block.get("type") == "tool_result" and call is not None and call.status is CallStatus.NO_RESULT:
            _take_result(session, call, block, row.get("toolUseResult"))
        elif block.get("type") == "text" and row.get("isMeta") is not True:
            session.say("user", _REMINDER.sub("", words(block.get("text"))))


def _take_answer(
    session: RecordingBuilder, row: dict[str, object], message: dict[str, object], at: float | None
) -> None:
    model, subagent = words(message.get("model")), row.get("isSidechain") is True
    usage = mapping(message.get("usage"))
    # Messages of the program itself, such as an error of the API, name no model.
    if usage and not model.startswith("<"):
        session.use(
            session.scope + words(message.get("id")),
            AgentUsage(
                model,
                number(usage.get("input_tokens")),
                number(usage.get("output_tokens")),
                number(usage.get("cache_read_input_tokens")),
                number(usage.get("cache_creation_input_tokens")),
                at=at,
                subagent=subagent,
            ),
        )
    for block in map(mapping, items(message.get("content"))):
        if block.get("type") == "text" and not model.startswith("<"):
            session.say("assistant", words(block.get("text")))
        elif block.get("type") == "tool_use":
            session.open(_call(session, block, model, at, subagent=subagent))


def _call(
    session: RecordingBuilder, block: dict[str, object], model: str, at: float | None, *, subagent: bool
) -> AgentCall:
    tool, arguments = words(block.get("name")), mapping(block.get("input"))
    path = words(arguments.get("file_path")) or words(arguments.get("notebook_path"))
    edits = items(arguments.get("edits")) if tool == "MultiEdit" else [arguments] if tool == "Edit" else []
    return AgentCall(
        call_id=session.scope + words(block.get("id")),
        tool=tool,
        kind=_KINDS.get(tool, CallKind.OTHER),
        model=model,
        began=at,
        paths=(session.files.named(path),) if path else (),
        replacements=tuple(_replacement(mapping(edit)) for edit in edits),
        content=words(arguments.get("content")) if tool == "Write" else "",
        command=words(arguments.get("command")),
        subagent=subagent,
        version=session.version,
    )


def _replacement(edit: dict[str, object]) -> Replacement:
    return Replacement(
        words(edit.get("old_string")), words(edit.get("new_string")), everywhere=edit.get("replace_all") is True
    )


def _take_result(session: RecordingBuilder, call: AgentCall, block: dict[str, object], details: object) -> None:
    text = joined(block.get("content"))
    if block.get("is_error") is True or (call.kind is not CallKind.SHELL and text.startswith("<tool_use_error>")):
        refused = call.kind is not CallKind.SHELL and cause_of(text, _CAUSES) in NEVER_CALLED
        session.fail(replace(call, kind=CallKind.OTHER) if refused else call, text)
        return
    file = mapping(mapping(details).get("file"))
    if call.kind is CallKind.READ:
        _note_read(session, call, text, file)
    edited = call.kind in (CallKind.EDIT, CallKind.WRITE) and call.paths
    answer = words(file.get("content")) or _REMINDER.sub("", text)
    session.succeed(call, answer, (_edited(session, call, mapping(details)),) if edited else ())


def _note_read(session: RecordingBuilder, call: AgentCall, text: str, file: dict[str, object]) -> None:
    if not call.paths:
        return
    content = file.get("content")
    if isinstance(content, str):
        if file.get("startLine") == 1 and file.get("numLines") == file.get("totalLines"):
            session.files.put(call.paths[0], FileState(content))
    elif not file and (plain := _unnumbered(text)) is not None:
        session.files.put(call.paths[0], FileState(plain, Certainty.DERIVED))


def _edited(session: RecordingBuilder, call: AgentCall, details: dict[str, object]) -> TouchedFile:
    path, original = call.paths[0], details.get("originalFile")
    creates = not any(edit.old for edit in call.replacements)
    if isinstance(original, str) and not (creates and not original):
        before = FileState(original)
    elif details.get("type") == "create" or (creates and call.replacements and not original):
        before = ABSENT
    else:
        before = session.files.state(path)
    if call.kind is CallKind.WRITE:
        # Over a text that is not recorded, such as one with CR LF, line ends may be others than in the call.
        unseen = details.get("type") == "update" and original is None
        return TouchedFile(path, before, FileState(call.content, Certainty.DERIVED if unseen else Certainty.EXACT))
    patch = _patch(details.get("structuredPatch"))
    after = patched(before.text, patch) if before.text is not None and patch else None
    state = FileState(after, before.certainty) if after is not None else replaced(before, call.replacements)
    return TouchedFile(path, before, state)


def _patch(hunks: object) -> str:
    """Return a structured patch as a unified diff."""
    rows = []
    for hunk in map(mapping, items(hunks)):
        old = f"{number(hunk.get('oldStart'))},{number(hunk.get('oldLines'))}"
        new = f"{number(hunk.get('newStart'))},{number(hunk.get('newLines'))}"
        rows += [f"@@ -{old} +{new} @@", *map(words, items(hunk.get("lines")))]
    return "".join(f"{row}\n" for row in rows)


def _unnumbered(text: str) -> str | None:
    """Return a text that is displayed whole with line numbers from 1; None for any other."""
    lines = []
    for position, line in enumerate(text.split("\n"), 1):
        match = _NUMBERED.fullmatch(line)
        if match is None or int(match[1]) != position:
            return None
        lines.append(match[2])
    return "\n".join(lines)
