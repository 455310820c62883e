"""Recorded sessions written by these tests in the documented forms, of which every count is known beforehand."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

FOLDER = "/home/dev/project"
MODEL = "planted-1"
_BEGAN_MS = 1_795_000_000_000
# What each agent answers to a failed edit, by cause.
CLAUDE = {
    "no_match": "<tool_use_error>String to replace not found in file.\nString: x</tool_use_error>",
    "ambiguous": "<tool_use_error>Found 2 matches of the string to replace, but replace_all is false.</tool_use_error>",
    "stale": "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>",
}
CODEX = {
    "no_match": "apply_patch verification failed: Failed to find expected lines in /home/dev/project/a.py:\nx",
    "file_missing": "apply_patch verification failed: Failed to read /home/dev/project/a.py: No such file or directory",
}
GEMINI = {
    "no_match": "Could not find an exact match for 'old_string' in '/home/dev/project/a.py'.",
    "file_missing": "File not found: /home/dev/project/a.py",
}
CLINE = {"no_match": "This is likely because the SEARCH block content doesn't match exactly with what's in the file."}
CLINE_CLI = {"no_match": "Editor operation failed: No replacement performed: text not found in /home/dev/project/a.py."}
ATIF = {
    "no_match": "Error: No replacement was performed, old_str `x` did not appear verbatim in a.py.",
    "ambiguous": "Error: No replacement was performed. Multiple occurrences of old_str in lines 1, 2.",
}
CAUSES = {
    "atif": ATIF,
    "claude-code": CLAUDE,
    "codex": CODEX,
    "gemini-cli": GEMINI,
    "cline": CLINE,
    "cline-cli": CLINE_CLI,
}


@dataclass(frozen=True)
class PlannedEdit:
    """One editing call: `x = old` of a file becomes `x = new`, or fails for a cause."""

    number: int
    path: str
    old: int
    new: int
    cause: str | None

    @property
    def search(self) -> str:
        """What the call looks for: of one that finds nothing, a line that the file does not have."""
        return f"total = {self.old}" if self.cause == "no_match" else f"x = {self.old}"

    @property
    def before(self) -> str:
        return f"x = {self.old}\n"

    @property
    def after(self) -> str:
        return f"x = {self.new if self.cause is None else self.old}\n"

    @property
    def at_ms(self) -> int:
        return _BEGAN_MS + 10_000 * self.number

    def time(self, later_ms: int = 0) -> str:
        return datetime.fromtimestamp((self.at_ms + later_ms) / 1000, UTC).isoformat().replace("+00:00", "Z")


def plan(agent: str, seed: int, calls: int) -> list[PlannedEdit]:
    """Edits of three files by chance, a third of them failing for the causes of an agent."""
    draw = random.Random(f"{agent} {seed}")
    states = dict.fromkeys(("a.py", "b.js", "pkg/c.py"), 0)
    edits = []
    for number in range(calls):
        path = draw.choice(list(states))
        cause = draw.choice(list(CAUSES[agent])) if draw.random() < 1 / 3 else None
        edit = PlannedEdit(number, path, states[path], states[path] + 1, cause)
        states[path] += cause is None
        edits.append(edit)
    return edits


def write(folder: Path, agent: str, edits: list[PlannedEdit], name: str = "s") -> Path:
    """Write a session in the form of an agent; returns the file that a reader is given."""
    folder.mkdir(parents=True, exist_ok=True)
    if agent == "cline":
        return _write_cline(folder / name, edits)
    if agent == "atif":
        path = folder / f"{name}.json"
        about = {"name": "planted", "version": "1.0", "model_name": MODEL}
        path.write_text(json.dumps({"schema_version": "ATIF-v1.6", "agent": about, "steps": list(_atif(edits))}))
        return path
    if agent == "cline-cli":
        path = folder / f"{name}.messages.json"
        path.write_text(json.dumps({"version": 1, "messages": list(_cline_cli(edits))}))
        path.with_name(f"{name}.json").write_text(json.dumps({"cwd": FOLDER, "started_at": edits[0].time()}))
        return path
    rows = {"claude-code": _claude, "codex": _codex, "gemini-cli": _gemini}[agent](edits)
    path = folder / f"{name}.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


def _claude(edits: list[PlannedEdit]) -> Iterator[dict[str, object]]:
    shared = {"sessionId": "s", "version": "9.9.9", "cwd": FOLDER, "isSidechain": False}
    yield {**shared, "type": "user", "timestamp": edits[0].time(-5), "message": {"role": "user", "content": "Go."}}
    for edit in edits:
        call_id = f"toolu_{edit.number}"
        arguments = {
            "file_path": f"{FOLDER}/{edit.path}",
            "old_string": edit.search,
            "new_string": f"x = {edit.new}",
        }
        usage = {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 3,
        }
        blocks = [
            {"type": "text", "text": "I edit."},
            {"type": "tool_use", "id": call_id, "name": "Edit", "input": arguments},
        ]
        for block in blocks:
            # One line for each block, the usage of the whole answer in each.
            message = {
                "id": f"msg_{edit.number}",
                "role": "assistant",
                "model": MODEL,
                "content": [block],
                "usage": usage,
            }
            yield {**shared, "type": "assistant", "timestamp": edit.time(), "message": message}
        result: dict[str, object] = {
            "type": "tool_result",
            "tool_use_id": call_id,
            "content": "The file has been updated.",
        }
        reported: object = {
            "filePath": f"{FOLDER}/{edit.path}",
            "oldString": edit.search,
            "newString": f"x = {edit.new}",
            "originalFile": edit.before,
            "structuredPatch": [
                {
                    "oldStart": 1,
                    "oldLines": 1,
                    "newStart": 1,
                    "newLines": 1,
                    "lines": [f"-x = {edit.old}", f"+x = {edit.new}"],
                }
            ],
        }
        if edit.cause:
            result |= {"content": CLAUDE[edit.cause], "is_error": True}
            reported = "Error: it failed"
        message = {"role": "user", "content": [result]}
        yield {**shared, "type": "user", "timestamp": edit.time(500), "message": message, "toolUseResult": reported}


def _codex(edits: list[PlannedEdit]) -> Iterator[dict[str, object]]:
    began = edits[0].time(-5)
    yield {"timestamp": began, "type": "session_meta", "payload": {"cwd": FOLDER, "cli_version": "9.9.9"}}
    yield {"timestamp": began, "type": "turn_context", "payload": {"model": MODEL}}
    for edit in edits:
        call_id, update = f"call_{edit.number}", f"@@ -1 +1 @@\n-x = {edit.old}\n+x = {edit.new}\n"
        patch = f"*** Begin Patch\n*** Update File: {edit.path}\n@@\n-{edit.search}\n+x = {edit.new}\n*** End Patch\n"
        call = {"type": "custom_tool_call", "call_id": call_id, "name": "apply_patch", "input": patch}
        yield {"timestamp": edit.time(), "type": "response_item", "payload": call}
        usage = {"input_tokens": 113, "cached_input_tokens": 100, "cache_write_input_tokens": 3, "output_tokens": 5}
        record = {"response_id": f"resp_{edit.number}", "usage": usage}
        yield {"timestamp": edit.time(), "type": "token_usage_record", "payload": record}
        if edit.cause is None:
            change: dict[str, object] = {
                f"{FOLDER}/{edit.path}": {"type": "update", "unified_diff": update, "move_path": None}
            }
            item = {"type": "FileChange", "id": call_id, "changes": change, "status": "completed"}
            yield {
                "timestamp": edit.time(400),
                "type": "event_msg",
                "payload": {"type": "item_completed", "item": item},
            }
        answer = "Exit code: 0\nOutput:\nSuccess." if edit.cause is None else CODEX[edit.cause]
        output = {"type": "custom_tool_call_output", "call_id": call_id, "output": answer}
        yield {"timestamp": edit.time(500), "type": "response_item", "payload": output}


def _gemini(edits: list[PlannedEdit]) -> Iterator[dict[str, object]]:
    yield {"sessionId": "s", "projectHash": "0", "startTime": edits[0].time(-5), "kind": "main"}
    context = f"<session_context>\n- **Workspace Directories:**\n  - {FOLDER}\n</session_context>"
    yield {"id": "u", "timestamp": edits[0].time(-5), "type": "user", "content": [{"text": context}, {"text": "Go."}]}
    for edit in edits:
        tokens = {"input": 110, "output": 4, "cached": 100, "thoughts": 1, "tool": 3, "total": 118}
        record: dict[str, object] = {"id": f"m{edit.number}", "timestamp": edit.time(), "type": "gemini"}
        record |= {"model": MODEL, "tokens": tokens}
        yield record
        arguments = {
            "file_path": f"{FOLDER}/{edit.path}",
            "old_string": edit.search,
            "new_string": f"x = {edit.new}",
        }
        call: dict[str, object] = {
            "id": f"replace_{edit.number}",
            "name": "replace",
            "args": arguments,
            "timestamp": edit.time(500),
            "status": "error" if edit.cause else "success",
        }
        answer = {"error": GEMINI[edit.cause]} if edit.cause else {"output": "Successfully modified file."}
        call["result"] = [{"functionResponse": {"response": answer}}]
        call["resultDisplay"] = (
            "Error" if edit.cause else {"originalContent": edit.before, "newContent": edit.after, "isNewFile": False}
        )
        yield {**record, "toolCalls": [call]}
        yield {"$set": {"lastUpdated": edit.time(500)}}


def _write_cline(folder: Path, edits: list[PlannedEdit]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    history: list[dict[str, object]] = [{"role": "user", "content": [{"type": "text", "text": "<task>\nGo.\n</task>"}]}]
    screen: list[dict[str, object]] = [{"ts": edits[0].at_ms - 5, "type": "say", "say": "task", "text": "Go."}]
    for edit in edits:
        diff = f"------- SEARCH\n{edit.search}\n=======\nx = {edit.new}\n+++++++ REPLACE"
        text = f"Editing.\n\n<replace_in_file>\n<path>{edit.path}</path>\n<diff>\n{diff}\n</diff>\n</replace_in_file>"
        saved = f'Saved.\n\n<final_file_content path="{edit.path}">\n{edit.after}\n</final_file_content>\n\nDone.'
        failed = (
            f"The tool execution failed with the following error:\n<error>\n{CLINE['no_match']}\n\n"
            f'<file_content path="{edit.path}">\n{edit.before}\n</file_content>\n</error>'
        )
        history.append({"role": "assistant", "content": [{"type": "text", "text": text}]})
        announced = {"type": "text", "text": f"[replace_in_file for '{edit.path}'] Result:"}
        answer = {"type": "text", "text": failed if edit.cause else saved}
        history.append({"role": "user", "content": [announced, answer]})
        usage = json.dumps({"tokensIn": 10, "tokensOut": 5, "cacheReads": 100, "cacheWrites": 3, "cost": 0.5})
        screen.append({"ts": edit.at_ms, "type": "say", "say": "api_req_started", "text": usage})
    (folder / "ui_messages.json").write_text(json.dumps(screen))
    used = {"model_usage": [{"ts": edits[0].at_ms - 9, "model_id": MODEL, "mode": "act"}]}
    (folder / "task_metadata.json").write_text(json.dumps(used))
    path = folder / "api_conversation_history.json"
    path.write_text(json.dumps(history))
    return path


def _cline_cli(edits: list[PlannedEdit]) -> Iterator[dict[str, object]]:
    for edit in edits:
        call_id = f"call_{edit.number}"
        arguments = {"path": f"{FOLDER}/{edit.path}", "old_text": edit.search, "new_text": f"x = {edit.new}"}
        yield {
            "id": f"m{edit.number}",
            "role": "assistant",
            "content": [{"type": "tool_use", "id": call_id, "name": "editor", "input": arguments}],
            "ts": edit.at_ms,
            "modelInfo": {"id": MODEL},
            "metrics": {"inputTokens": 10, "outputTokens": 5, "cacheReadTokens": 100, "cacheWriteTokens": 3},
        }
        answer = {"success": edit.cause is None, "result": "", "error": CLINE_CLI[edit.cause] if edit.cause else ""}
        result = {"type": "tool_result", "tool_use_id": call_id, "content": json.dumps(answer)}
        yield {"id": f"r{edit.number}", "role": "user", "content": [result], "ts": edit.at_ms + 500}


def _atif(edits: list[PlannedEdit]) -> Iterator[dict[str, object]]:
    yield {"step_id": 1, "timestamp": edits[0].time(-5), "source": "user", "message": "Go."}
    for edit in edits:
        arguments = {
            "command": "str_replace",
            "path": edit.path,
            "old_str": edit.search,
            "new_str": f"x = {edit.new}",
        }
        call_id = f"call_{edit.number}"
        answer = ATIF[edit.cause] if edit.cause else "The file has been edited."
        yield {
            "step_id": edit.number + 2,
            "timestamp": edit.time(),
            "source": "agent",
            "message": "I edit.",
            "tool_calls": [{"tool_call_id": call_id, "function_name": "str_replace_editor", "arguments": arguments}],
            "observation": {"results": [{"source_call_id": call_id, "content": answer}]},
            "metrics": {"prompt_tokens": 113, "cached_tokens": 100, "completion_tokens": 5},
        }
