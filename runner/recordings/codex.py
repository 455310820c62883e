"""Sessions of the Codex CLI: `$CODEX_HOME/sessions/YYYY/MM/DD/rollout-*.jsonl`, one event a line.

A patch that was applied is recorded as `FileChange`: whole texts for added and deleted files, a unified diff for
others, whose base comes from an earlier change or from a command that printed the file. A patch that failed has only
its answer. A patch that was called as a function has no answer at all.
"""

import re
from dataclasses import replace
from pathlib import Path

import orjson

from runner.recordings.building import AgentWords, RecordingBuilder, items, joined, mapping, number, seconds, words
from runner.recordings.known_files import patched
from runner.recordings.recorded_json import recorded_json, recorded_rows
from runner.recordings.vocabulary import (
    ABSENT,
    UNKNOWN,
    AgentCall,
    AgentSession,
    AgentUsage,
    CallCause,
    CallKind,
    CallStatus,
    CauseRule,
    Certainty,
    FileState,
    TouchedFile,
    cause_of,
)

_SHELLS = frozenset({"exec_command", "shell", "local_shell", "container.exec", "shell_command", "write_stdin"})
_CAUSES = (
    CauseRule("failed to find expected lines", CallCause.NO_MATCH),
    CauseRule("failed to find context", CallCause.NO_MATCH),
    CauseRule("no such file or directory", CallCause.FILE_MISSING),
    CauseRule("failed to read", CallCause.FILE_MISSING),
    CauseRule("failed to delete", CallCause.FILE_MISSING),
    CauseRule("rejected", CallCause.DENIED),
    CauseRule("read-only file system", CallCause.DENIED),
    CauseRule("operation not permitted", CallCause.DENIED),
    CauseRule("permission denied", CallCause.DENIED),
    CauseRule("unsupported call", CallCause.NO_TOOL),
    CauseRule("unknown tool", CallCause.NO_TOOL),
    CauseRule("failed to parse function arguments", CallCause.INVALID_INPUT),
    CauseRule("invalid hunk", CallCause.INVALID_PATCH),
    CauseRule("invalid patch", CallCause.INVALID_PATCH),
    CauseRule("verification failed", CallCause.INVALID_PATCH),
)
_EXIT = re.compile(r'(?:Process exited with code |Exit code: |^\{"output":.*"exit_code": ?)(\d+)', re.DOTALL)
_APPLIED = "Success. Updated the following files"
_WORDS = AgentWords("codex", _CAUSES, _EXIT)
# Messages that the program writes in the user's name.
_OF_PROGRAM = ("<environment_context>", "<user_instructions>", "# AGENTS.md")
_PATHS = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def read_codex(path: Path, *, turns: bool = False) -> AgentSession:
    """Read the session of a file."""
    session = _CodexSession(RecordingBuilder(_WORDS, str(path), turns))
    for row in recorded_rows(path):
        if row is None:
            session.builder.damaged += 1
        else:
            session.take(row)
    return session.built()


class _CodexSession:
    def __init__(self, builder: RecordingBuilder) -> None:
        self.builder = builder
        self._model = ""
        # Files that patches changed, by the call's id: written before its answer.
        self._changes: dict[str, dict[str, object]] = {}
        # What older versions write of tokens: the sums so far, and the last answer's.
        self._counted: dict[str, AgentUsage] = {}

    def take(self, row: dict[str, object]) -> None:
        payload, at = mapping(row.get("payload")), seconds(row.get("timestamp"))
        self.builder.began, self.builder.at = self.builder.began or at, at
        match row.get("type"):
            case "session_meta":
                self.builder.version = words(payload.get("cli_version")) or self.builder.version
                self.builder.files.folder = words(payload.get("cwd")) or self.builder.files.folder
            case "turn_context":
                self._model = words(payload.get("model")) or self._model
            case "token_usage_record":
                usage = self._usage(mapping(payload.get("usage")), at)
                self.builder.use(words(payload.get("response_id")), usage)
            case "event_msg" if payload.get("type") == "token_count":
                info = mapping(payload.get("info"))
                if last := mapping(info.get("last_token_usage")):
                    # Written again, with the same sums, it is the same answer.
                    self._counted[str(info.get("total_token_usage"))] = self._usage(last, at)
            case "event_msg" if payload.get("type") == "item_completed":
                self._take_item(mapping(payload.get("item")))
            case "response_item":
                self._take_response(payload, at)

    def built(self) -> AgentSession:
        """Return what was read."""
        if not self.builder.has_usages:
            for sums, usage in self._counted.items():
                self.builder.use(sums, usage)
        return self.builder.built()

    def _usage(self, usage: dict[str, object], at: float | None) -> AgentUsage:
        cached, written = number(usage.get("cached_input_tokens")), number(usage.get("cache_write_input_tokens"))
        return AgentUsage(
            self._model,
            max(number(usage.get("input_tokens")) - cached - written, 0),
            number(usage.get("output_tokens")),
            cached,
            written,
            at=at,
        )

    def _take_item(self, item: dict[str, object]) -> None:
        call_id = words(item.get("id"))
        if item.get("type") == "FileChange" and item.get("status") != "failed":
            self._changes[call_id] = mapping(item.get("changes"))
        elif item.get("type") == "CommandExecution" and item.get("exit_code") == 0:
            self._note_read(item)

    def _note_read(self, item: dict[str, object]) -> None:
        """Note the file that a command printed whole: `cat` of one file and nothing else."""
        commands, parsed = items(item.get("command")), [mapping(part) for part in items(item.get("parsed_cmd"))]
        command = words(commands[-1]) if commands else ""
        if len(parsed) == 1 and parsed[0].get("type") == "read" and re.fullmatch(r"cat [^\s|;&<>$*]+", command.strip()):
            path = self.builder.files.named(words(parsed[0].get("path")))
            self.builder.files.put(path, FileState(words(item.get("aggregated_output"))))

    def _take_response(self, payload: dict[str, object], at: float | None) -> None:
        kind = words(payload.get("type"))
        if kind == "message":
            self._take_message(payload)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            self._open(payload, at)
        elif kind in ("function_call_output", "custom_tool_call_output"):
            call = self.builder.call(words(payload.get("call_id")))
            # An output that is written again says nothing new, and its changes are noted already.
            if call is not None and call.status is CallStatus.NO_RESULT:
                self._close(call, _output(payload.get("output")))

    def _take_message(self, payload: dict[str, object]) -> None:
        text = joined(payload.get("content"))
        if payload.get("role") == "assistant":
            self.builder.say("assistant", text)
        elif payload.get("role") == "user" and not text.startswith(_OF_PROGRAM):
            self.builder.say("user", text)

    def _open(self, payload: dict[str, object], at: float | None) -> None:
        tool = words(payload.get("name")) or words(payload.get("type"))
        diff = words(payload.get("input")) or _patch_argument(payload.get("arguments"))
        is_patch = tool == "apply_patch"
        kind = CallKind.PATCH if is_patch else CallKind.SHELL if tool in _SHELLS else CallKind.OTHER
        paths = tuple(map(self.builder.files.named, _PATHS.findall(diff))) if is_patch else ()
        call = AgentCall(
            words(payload.get("call_id")),
            tool,
            CallKind.SHELL if tool == "local_shell_call" else kind,
            model=self._model,
            version=self.builder.version,
            began=at,
            paths=paths,
            diff=diff if is_patch else "",
            command="" if is_patch else words(payload.get("arguments")),
        )
        self.builder.open(call)

    def _close(self, call: AgentCall, output: str) -> None:
        changes = self._changes.pop(call.call_id, None)
        touched = self._touched(changes) if changes is not None else ()
        if call.kind is CallKind.PATCH:
            self._close_patch(call, output, touched, recorded=changes is not None)
            return
        code = _EXIT.search(output)
        failed = call.kind is CallKind.SHELL and code is not None and code[1] != "0"
        cause = cause_of(output, _CAUSES) if failed or code is None else CallCause.OTHER
        if failed or cause is not CallCause.OTHER:
            self.builder.fail(call, output, cause)
        else:
            self.builder.succeed(call, output)
        # A patch in a shell command is known to have changed just these files.
        for file in touched:
            self.builder.files.put(file.path, file.after)

    def _close_patch(self, call: AgentCall, output: str, touched: tuple[TouchedFile, ...], *, recorded: bool) -> None:
        if not recorded and _APPLIED in output:
            # Older versions do not record the change itself.
            files = self.builder.files
            self.builder.succeed(call, output, tuple(TouchedFile(p, files.state(p), UNKNOWN) for p in call.paths))
        elif not recorded:
            self.builder.fail(call, output)
        else:
            paths = tuple(file.path for file in touched) or call.paths
            self.builder.succeed(replace(call, paths=paths), output, touched)

    def _touched(self, changes: dict[str, object]) -> tuple[TouchedFile, ...]:
        touched = []
        for name, change in changes.items():
            path, details = self.builder.files.named(name), mapping(change)
            moved = words(details.get("move_path"))
            before, after = self._states(path, details)
            if moved:
                touched.append(TouchedFile(path, before, ABSENT))
                path, before = self.builder.files.named(moved), ABSENT
            touched.append(TouchedFile(path, before, after))
        return tuple(touched)

    def _states(self, path: str, change: dict[str, object]) -> tuple[FileState, FileState]:
        before, content = self.builder.files.state(path), words(change.get("content"))
        if change.get("type") == "add":
            # A file of that name is overwritten without a word: none is known of here.
            new = not self.builder.files.was_named(path)
            return FileState(None, Certainty.DERIVED) if new else before, FileState(content)
        if change.get("type") == "delete":
            return FileState(content), ABSENT
        after = patched(before.text, words(change.get("unified_diff"))) if before.text is not None else None
        # A patch that fits proves that the file was as it was last seen, where it is shown.
        return (before, FileState(after, before.certainty)) if after is not None else (UNKNOWN, UNKNOWN)


def _patch_argument(arguments: object) -> str:
    """Return the patch of a call of `apply_patch` as a function; "" for other arguments."""
    try:
        return words(mapping(recorded_json(words(arguments) or "{}")).get("input"))
    except orjson.JSONDecodeError:
        return ""


def _output(output: object) -> str:
    """Return an output, which is a text, or an object or a JSON text with one."""
    if isinstance(output, dict):
        return words(output.get("content")) or words(output.get("output"))
    return words(output)
