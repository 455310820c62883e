"""Cases of recorded sessions: they pass a strict check, replay to what was recorded."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests import in_process
from tests.planted_sessions import plan, write
from tests.vectors import files

IMPORT = ("cases", "import")


def ran(*words: object, cwd: Path, **variables: str) -> str:
    ended = in_process.evals(*words, cwd=cwd, **variables)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout + ended.stderr


def manifest(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_text().splitlines()]


def outcomes(database: Path, cwd: Path) -> Counter[str]:
    rows = ran("export", "latest", "--db", database, "--format", "jsonl", cwd=cwd).splitlines()
    return Counter(json.loads(row)["outcome"] for row in rows if row.startswith("{"))


@pytest.mark.parametrize("agent", ["claude-code", "gemini-cli"])
def test_each_edit_whose_file_is_known_is_a_case(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 1, 30)
    write(tmp_path / "sessions", agent, edits)

    ran(*IMPORT, "sessions", "--out", "made", cwd=tmp_path)

    about, *rows = manifest(tmp_path / "made")
    cases = [json.loads((tmp_path / "made" / row["file"]).read_text()) for row in rows]
    last = {
        path: max(e.number for e in edits if e.path == path and e.cause is None) for path in {e.path for e in edits}
    }
    usable = [edit for edit in edits if edit.cause is None or edit.number < last[edit.path]]
    assert [(case["file_path"], case["file_contents"]) for case in cases] == [(e.path, e.before) for e in usable]
    assert [case["expected_contents"] for case in cases] == [f"x = {e.new}\n" for e in usable]
    assert about["refused"] == ({"never_succeeded": len(edits) - len(usable)} if len(usable) < len(edits) else {})
    assert ran("cases", "check", "made", "--strict", cwd=tmp_path).count("0 findings") == 1


def test_only_failed_edits_make_a_regression_suite(tmp_path: Path) -> None:
    edits = plan("claude-code", 2, 20)
    write(tmp_path / "sessions", "claude-code", edits)

    ran(*IMPORT, "sessions", "--out", "made", "--failed-only", cwd=tmp_path)

    about, *rows = manifest(tmp_path / "made")
    assert {row["status"] for row in rows} == {"failed"}
    assert len(rows) + sum(about["refused"].values()) == sum(edit.cause is not None for edit in edits)


def test_a_conversation_ends_before_the_edit_and_has_each_result_behind_its_call(tmp_path: Path) -> None:
    edits = [edit for edit in plan("claude-code", 3, 12) if edit.cause is None]
    write(tmp_path / "sessions", "claude-code", edits)

    ran(*IMPORT, "sessions", "--out", "made", cwd=tmp_path)

    _, *rows = manifest(tmp_path / "made")
    for number, row in enumerate(rows):
        messages = json.loads((tmp_path / "made" / row["file"]).read_text())["messages"]
        assert [message["role"] for message in messages] == ["user", *["assistant", "user"] * number]
        assert messages[0]["text"] == "Go."
        assert all(message["text"].startswith("[replace_in_file for '") for message in messages[2::2])


def test_a_session_is_a_bundle_of_all_that_it_changed(tmp_path: Path) -> None:
    edits = plan("gemini-cli", 4, 20)
    write(tmp_path / "sessions", "gemini-cli", edits)

    ran(*IMPORT, "sessions", "--kind", "nextedit", "--out", "made", cwd=tmp_path)

    _, row = manifest(tmp_path / "made")
    bundle = json.loads((tmp_path / "made" / row["file"]).read_text())
    done = {edit.path: edit.after for edit in edits if edit.cause is None}
    assert {file["path"]: (file["before"], file["after"]) for file in bundle["files"]} == {
        path: ("x = 0\n", after) for path, after in done.items()
    }
    assert bundle["message"] == "Go."


def test_a_preview_writes_nothing_and_names_what_there_would_be(tmp_path: Path) -> None:
    write(tmp_path / "sessions", "claude-code", plan("claude-code", 5, 6))
    before = sorted(tmp_path.rglob("*"))

    screen = ran(*IMPORT, "sessions", "--preview", cwd=tmp_path)

    assert "nothing was written" in screen
    assert "a.py" in screen
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.conformance
def test_cases_of_real_sessions_pass_a_strict_check_and_replay_to_what_was_recorded(tmp_path: Path) -> None:
    folder = files("sessions", "*/*/truth.json")[0].parents[2]
    ran(*IMPORT, folder, "--out", "made", cwd=tmp_path)

    checked = ran("cases", "check", "made", "--strict", cwd=tmp_path)
    ran("diff", "--cases", "made", "--replay", "--db", "e.db", cwd=tmp_path)

    _, *rows = manifest(tmp_path / "made")
    assert f"{len(rows)} cases, 0 skipped, 0 findings" in checked
    assert len(rows) > 20
    assert outcomes(tmp_path / "e.db", tmp_path) == Counter(
        row["outcome"] for row in rows if row.get("algorithm") == "v4"
    )
