"""Cases of each form whose edits have known files: a strict check takes them, they replay as recorded, and they run."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import in_process
from tests.planted_sessions import FOLDER, PlannedEdit, plan, write

pytestmark = pytest.mark.slow

FILES = ("a.py", "b.js", "pkg/c.py")
ASKED = "#### Go.  \n\n"
BLOCK = "{path}\n```\n<<<<<<< SEARCH\n{search}\n=======\nx = {new}\n>>>>>>> REPLACE\n```\n\n"
UNMATCHED = (
    "> The LLM did not conform to the edit format.  \n> # 1 SEARCH/REPLACE block failed to match!\n\n"
    "## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in {path}\n\n"
)


def ran(*words: object, cwd: Path) -> str:
    ended = in_process.evals(*words, cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def planted(folder: Path, agent: str) -> list[PlannedEdit]:
    edits = plan(agent, 21, 24)
    write(folder, agent, edits)
    return edits


def codex(folder: Path) -> list[PlannedEdit]:
    """A session that prints each file before it edits them."""
    edits = plan("codex", 21, 24)
    path = write(folder, "codex", edits)
    head, turn, *rows = path.read_text().splitlines()
    user = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]}
    reads = [_row("response_item", user), *(_row("event_msg", _printed(name)) for name in FILES)]
    path.write_text("\n".join([head, turn, *map(json.dumps, reads), *rows, ""]))
    return edits


def _row(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-11-01T00:00:00Z", "type": kind, "payload": payload}


def _printed(name: str) -> dict[str, Any]:
    read = {
        "type": "CommandExecution",
        "id": f"read-{name}",
        "command": ["bash", "-lc", f"cat {name}"],
        "parsed_cmd": [{"type": "read", "cmd": f"cat {name}", "name": name, "path": f"{FOLDER}/{name}"}],
        "exit_code": 0,
        "aggregated_output": "x = 0\n",
    }
    return {"type": "item_completed", "item": read}


def cline(folder: Path) -> list[PlannedEdit]:
    """A task that reads each file before it edits them."""
    edits = plan("cline", 21, 24)
    path = write(folder, "cline", edits)
    task, *rest = json.loads(path.read_text())
    messages = [task]
    for name in FILES:
        call = f"<read_file>\n<path>{name}</path>\n</read_file>"
        result = {"type": "text", "text": f"[read_file for '{name}'] Result:"}
        messages.append({"role": "assistant", "content": [{"type": "text", "text": call}]})
        messages.append({"role": "user", "content": [result, {"type": "text", "text": "x = 0\n"}]})
    path.write_text(json.dumps([*messages, *rest]))
    return edits


def aider(folder: Path) -> list[PlannedEdit]:
    """A chat beside its repository, in which each edit that was applied is a commit."""
    edits = [edit for edit in plan("claude-code", 21, 24) if edit.cause in (None, "no_match")]
    _git(folder, "init", "-q")
    for name in FILES:
        _commit(folder, name, "x = 0\n")
    lines = [
        "# aider chat started at 2026-11-22 12:00:00\n\n> Aider v0.86.2  \n> Main model: m with diff edit format  \n"
    ]
    for edit in edits:
        lines += [ASKED, BLOCK.format(path=edit.path, search=edit.search, new=edit.new)]
        if edit.cause:
            lines.append(UNMATCHED.format(path=edit.path))
        else:
            lines.append(
                f"> Applied edit to {edit.path}  \n> Commit {_commit(folder, edit.path, edit.after)} edit  \n\n"
            )
    (folder / ".aider.chat.history.md").write_text("".join(lines))
    return edits


def _commit(folder: Path, name: str, text: str) -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)
    _git(folder, "add", name)
    _git(folder, "commit", "-qm", name)
    return _git(folder, "rev-parse", "--short=7", "HEAD")


def _git(folder: Path, *words: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    names = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", *names, *words), cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(lambda folder: planted(folder, "claude-code"), id="claude-code"),
        pytest.param(lambda folder: planted(folder, "gemini-cli"), id="gemini-cli"),
        pytest.param(codex, id="codex"),
        pytest.param(cline, id="cline"),
        pytest.param(aider, id="aider"),
    ],
)
def test_cases_pass_a_strict_check_replay_as_recorded_and_run(
    tmp_path: Path, record: Callable[[Path], list[PlannedEdit]]
) -> None:
    edits, is_read = record(tmp_path / "sessions"), record in (codex, cline)

    ran("cases", "import", "sessions", "--out", "made", cwd=tmp_path)
    checked = ran("cases", "check", "made", "--strict", cwd=tmp_path)
    ran("diff", "--cases", "made", "--replay", "--diff-apply", "v1,v2,v3,v4", "--db", "e.db", cwd=tmp_path)
    replayed = exported(tmp_path)
    ran("diff", "sim/any?time=virtual&valid=1&applied=1", "--cases", "made", "-n", 1, "--db", "e.db", cwd=tmp_path)

    rows = [json.loads(line) for line in (tmp_path / "made" / "manifest.jsonl").read_text().splitlines()][1:]
    # A file that is not read is known from its first edit on.
    first = {edit.path: edit.number for edit in reversed(edits) if edit.cause is None}
    last = {edit.path: edit.number for edit in edits if edit.cause is None}
    usable = [
        edit
        for edit in edits
        if edit.cause is None
        or ((is_read or first.get(edit.path, len(edits)) < edit.number) and edit.number < last.get(edit.path, 0))
    ]
    assert [(row["path"], row["status"]) for row in rows] == [
        (edit.path, "failed" if edit.cause else "ok") for edit in usable
    ]
    assert f"{len(rows)} cases, 0 skipped, 0 findings" in checked
    outcomes = {(row["case_id"], row["diff_algorithm"]): row["outcome"] for row in replayed}
    recorded = {
        (row["file"].removesuffix(".json"), row["algorithm"]): row["outcome"] for row in rows if "algorithm" in row
    }
    assert recorded.items() <= outcomes.items()
    assert {"applied", "no_match"} <= set(recorded.values())
    # Only of failures that are about no text is there no call.
    without = [edit.cause for edit, row in zip(usable, rows, strict=True) if "algorithm" not in row]
    assert set(without) <= {"stale", "ambiguous", "file_missing"}
    assert {row["outcome"] for row in exported(tmp_path)} == {"applied"}


def exported(folder: Path) -> list[dict[str, Any]]:
    rows = ran("export", "latest", "--db", "e.db", "--format", "jsonl", cwd=folder).splitlines()
    return [json.loads(row) for row in rows if row.startswith("{")]
