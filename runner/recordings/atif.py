"""Trajectories in ATIF (Agent Trajectory Interchange Format, Harbor): one JSON document of steps, of any agent.

The form has no states of files and does not say whether a call failed. A call has failed if `extra` says so beside its
result, or if its result begins as an error does; states are derived from what calls display and write.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.known_files import replaced
from runner.recordings.vocabulary import (
    ABSENT,
    UNKNOWN,
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
from runner.recordings.whole_documents import both_ends, lists_before_cut, read_document

_KINDS = {
    **dict.fromkeys(("view", "read", "read_file", "read_files", "open"), CallKind.READ),
    **dict.fromkeys(
        ("edit", "multiedit", "str_replace", "insert", "replace", "replace_in_file", "editor"), CallKind.EDIT
    ),
    **dict.fromkeys(("write", "create", "write_file", "create_file", "write_to_file"), CallKind.WRITE),
    **dict.fromkeys(("bash", "shell", "execute_bash", "run_command", "exec_command", "terminal"), CallKind.SHELL),
    **dict.fromkeys(("bash_command", "run_shell_command", "execute_command", "shell_command"), CallKind.SHELL),
    "apply_patch": CallKind.PATCH,
}
_CAUSES = (
    CauseRule("modified since read", CallCause.STALE),
    CauseRule("has not been read yet", CallCause.NOT_READ),
    CauseRule("multiple occurrences", CallCause.AMBIGUOUS),
    CauseRule("matches of the string to replace", CallCause.AMBIGUOUS),
    CauseRule("not unique", CallCause.AMBIGUOUS),
    CauseRule("string to replace not found", CallCause.NO_MATCH),
    CauseRule("did not appear verbatim", CallCause.NO_MATCH),
    CauseRule("no match", CallCause.NO_MATCH),
    CauseRule("failed to find", CallCause.NO_MATCH),
    CauseRule("old_str", CallCause.NO_MATCH),
    CauseRule("no changes", CallCause.IDENTICAL),
    CauseRule("already exists", CallCause.FILE_EXISTS),
    CauseRule("does not exist", CallCause.FILE_MISSING),
    CauseRule("no such file", CallCause.FILE_MISSING),
    CauseRule("invalid", CallCause.INVALID_INPUT),
    CauseRule("denied", CallCause.DENIED),
)
_WORDS = AgentWords("atif", _CAUSES, re.compile(r"exit(?:ed with)?(?: code|code)?[:=]? ?(\d+)", re.IGNORECASE))
_FAILED = re.compile(r"\s*(?:<tool_use_error>|<error>|error\b|traceback \(most recent call last\))", re.IGNORECASE)
_AGENT = re.compile(r'(?<!\\)"agent"\s*:\s*(\{[^{}]*)')
_FIELD = re.compile(r'"(name|version|model_name)"\s*:\s*"([^"\\]*)"')
_NUMBERED = re.compile(r" *(\d+)(?:\t|\u2192)(.*)")


def is_atif(path: Path, size: int) -> bool:
    """Whether a file is a trajectory, by its version within so many bytes of its ends."""
    return path.suffix == ".json" and b'"ATIF-v' in both_ends(path, size)


def read_atif(path: Path, *, turns: bool = False) -> AgentSession:
    """Read a trajectory; the version of the session is the name and version of the agent that made it."""
    session = RecordingBuilder(_WORDS, str(path), turns)
    document = read_document(path)
    session.damaged += document.is_cut
    trajectories = _cut(document.text) if document.is_cut else _trajectories(mapping(document.value))
    for number_of, trajectory in enumerate(trajectories):
        session.version = session.version or f"{trajectory.agent} {trajectory.version}".strip()
        session.thread = f"subagent-{number_of}" if number_of else ""
        for step in map(mapping, trajectory.steps):
            # Steps of a context that was handed on stand in another trajectory already.
            if step.get("is_copied_context") is not True:
                _take(session, step, trajectory.model)
    return session.built()


@dataclass(frozen=True, slots=True)
class _Trajectory:
    steps: list[object]
    agent: str
    version: str
    model: str


def _trajectories(document: dict[str, object]) -> Iterator[_Trajectory]:
    """Yield a trajectory, and those of its subagents that are embedded."""
    about = mapping(document.get("agent"))
    name, version, model = (words(about.get(field)) for field in ("name", "version", "model_name"))
    yield _Trajectory(items(document.get("steps")), name, version, model)
    for below in map(mapping, items(document.get("subagent_trajectories"))):
        yield from _trajectories(below)


def _cut(text: str) -> Iterator[_Trajectory]:
    """Yield what there is of the trajectories of a document that was cut; the agent is the first that is named."""
    match = _AGENT.search(text)
    about = dict(_FIELD.findall(match[1])) if match else {}
    for steps in lists_before_cut(text, "steps"):
        yield _Trajectory(steps, about.get("name", ""), about.get("version", ""), about.get("model_name", ""))


def _take(session: RecordingBuilder, step: dict[str, object], model: str) -> None:
    session.at = at = seconds(step.get("timestamp"))
    session.began = session.began or at
    text = joined(step.get("message"))
    if step.get("source") != "agent":
        if step.get("source") == "user":
            session.say("user", text)
        return
    model, place = words(step.get("model_name")) or model, f"{session.thread}.{step.get('step_id')}"
    if metrics := mapping(step.get("metrics")):
        usage = _usage(metrics, model, at)
        session.use(place, replace(usage, subagent=True) if session.thread else usage)
    session.say("assistant", text)
    # Ids are those of a step: another step may have the same.
    ids: dict[str, str] = {}
    for entry in map(mapping, items(step.get("tool_calls"))):
        call = _call(session, entry, model, at)
        ids[call.call_id] = call.call_id if session.call(call.call_id) is None else f"{place}:{call.call_id}"
        session.open(replace(call, call_id=ids[call.call_id]) if ids[call.call_id] != call.call_id else call)
    failed = mapping(step.get("extra")).get("is_error") is True
    for result in map(mapping, items(mapping(step.get("observation")).get("results"))):
        known = session.call(ids.get(words(result.get("source_call_id")), ""))
        if known is not None:
            refused = failed or mapping(result.get("extra")).get("is_error") is True
            _close(session, known, joined(result.get("content")), failed=refused)


def _usage(metrics: dict[str, object], model: str, at: float | None) -> AgentUsage:
    cached, cost = number(metrics.get("cached_tokens")), metrics.get("cost_usd")
    return AgentUsage(
        model,
        max(number(metrics.get("prompt_tokens")) - cached, 0),
        number(metrics.get("completion_tokens")),
        cached,
        cost_usd=float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) else None,
        at=at,
    )


def _call(session: RecordingBuilder, entry: dict[str, object], model: str, at: float | None) -> AgentCall:
    tool, arguments = words(entry.get("function_name")), mapping(entry.get("arguments"))
    kind = _KINDS.get((words(arguments.get("command")) if "str_replace" in tool else tool).lower(), CallKind.OTHER)
    path = _first(arguments, "path", "file_path", "filename", "target_file")
    other_form = not arguments.keys().isdisjoint(("diff", "insert_line"))
    edits = [mapping(edit) for edit in items(arguments.get("edits"))] or [arguments]
    return AgentCall(
        words(entry.get("tool_call_id")),
        tool,
        kind,
        model=model,
        began=at,
        paths=(session.files.named(path),) if path else (),
        replacements=tuple(map(_replacement, edits)) if kind is CallKind.EDIT and not other_form else (),
        diff=_first(arguments, "diff", "patch", "input") if kind in (CallKind.EDIT, CallKind.PATCH) else "",
        content=_first(arguments, "file_text", "content") if kind is CallKind.WRITE else "",
        command=words(arguments.get("command")) or orjson.dumps(arguments).decode(errors="replace"),
        subagent=bool(session.thread),
    )


def _first(arguments: dict[str, object], *names: str) -> str:
    return next((text for name in names if (text := words(arguments.get(name)))), "")


def _replacement(edit: dict[str, object]) -> Replacement:
    old, new = (_first(edit, f"{name}_str", f"{name}_string", f"{name}_text") for name in ("old", "new"))
    return Replacement(old, new, everywhere=edit.get("replace_all") is True)


def _close(session: RecordingBuilder, call: AgentCall, text: str, *, failed: bool) -> None:
    code = _WORDS.exit_code.search(text) if _WORDS.exit_code and call.kind is CallKind.SHELL else None
    if failed or (call.kind is not CallKind.READ and _FAILED.match(text)) or (code is not None and code[1] != "0"):
        session.fail(call, text)
        return
    path = call.paths[0] if call.paths else ""
    if call.kind is CallKind.READ and path and (display := _unnumbered(text)) is not None:
        session.files.put(path, FileState(display, Certainty.DERIVED))
    session.succeed(call, text, tuple(_edited(session, call, path)) if path else ())


def _edited(session: RecordingBuilder, call: AgentCall, path: str) -> list[TouchedFile]:
    before = session.files.state(path)
    if call.kind is CallKind.WRITE:
        created = "create" in (call.tool.lower(), call.command)
        return [TouchedFile(path, ABSENT if created else before, FileState(call.content))]
    if call.kind in (CallKind.EDIT, CallKind.PATCH):
        return [TouchedFile(path, before, replaced(before, call.replacements) if call.replacements else UNKNOWN)]
    return []


def _unnumbered(text: str) -> str | None:
    """Return the file that is displayed with line numbers from 1, below a heading or none; None for other texts."""
    lines = text.rstrip("\n").split("\n")
    while lines and not _NUMBERED.fullmatch(lines[0]):
        lines.pop(0)
    matches = [match for line in lines if (match := _NUMBERED.fullmatch(line))]
    whole = matches and len(matches) == len(lines) and [int(m[1]) for m in matches] == [*range(1, len(lines) + 1)]
    return "\n".join(match[2] for match in matches) if whole else None
