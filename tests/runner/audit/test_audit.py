"""An audit gives the planted counts exactly: calls, causes, tries, tokens and cost of retries, weeks and endings."""

import json
from collections import Counter
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from runner.recordings.finding import FORMS
from tests import in_process
from tests.planted_sessions import MODEL, PlannedEdit, plan, write

AGENTS = [form.agent for form in FORMS if form.agent != "aider"]
PRICES = {
    "date": "2026-11-01",
    "models": [{"model": MODEL, "input": 1, "output": 2, "cache_read": 0.5, "cache_write": 3}],
}


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(PRICES))
    return path


def audit(*words: object, cwd: Path) -> dict[str, Any]:
    ended = in_process.evals("audit", *words, "--json", cwd=cwd)
    assert ended.returncode == 0, ended.stderr
    data: dict[str, Any] = json.loads(ended.stdout)
    return data


def tries(edits: list[PlannedEdit]) -> list[list[PlannedEdit]]:
    """The calls for each edit: the failed ones of a file, then the one that succeeded."""
    found = []
    for _, calls in groupby(sorted(edits, key=lambda edit: edit.path), key=lambda edit: edit.path):
        group: list[PlannedEdit] = []
        for call in calls:
            group.append(call)
            if call.cause is None:
                found.append(group)
                group = []
        found += [group] * bool(group)
    return found


@pytest.mark.parametrize("agent", AGENTS)
def test_the_figures_of_an_agent_are_those_that_were_planted(tmp_path: Path, prices: Path, agent: str) -> None:
    sessions = [plan(agent, seed, 20) for seed in range(5)]
    for number, edits in enumerate(sessions):
        write(tmp_path / "sessions" / str(number), agent, edits)

    figures = audit("sessions", "--prices", prices, cwd=tmp_path)

    (row,) = figures["edits"]
    calls = [edit for edits in sessions for edit in edits]
    groups = [group for edits in sessions for group in tries(edits)]
    solved = [group for group in groups if group[-1].cause is None]
    assert figures["sessions"] == {agent: 5}
    assert (row["ok"], row["failed"]) == (sum(not c.cause for c in calls), sum(bool(c.cause) for c in calls))
    assert row["causes"] == Counter(call.cause for call in calls if call.cause)
    assert row["first_try"] == sum(len(group) == 1 for group in solved)
    after = Counter(len(group) - 1 for group in solved if len(group) > 1)
    assert row["after_failures"] == {str(number): times for number, times in after.items()}
    assert row["never"] == len(groups) - len(solved)
    assert figures["endings"].keys() == {".py", ".js"}
    assert sum(sum(counts.values()) for counts in figures["weeks"].values()) == len(calls)


@pytest.mark.parametrize("agent", AGENTS)
def test_retries_cost_the_answers_and_the_time_from_the_first_failure_on(
    tmp_path: Path, prices: Path, agent: str
) -> None:
    edits = plan(agent, 7, 25)
    write(tmp_path / "sessions", agent, edits)

    figures = audit("sessions", "--prices", prices, cwd=tmp_path)

    (row,) = figures["edits"]
    retried = [group for group in tries(edits) if any(call.cause for call in group)]
    # Each call is an answer of its own: those after the first failed call, up to the last one.
    answers = sum(group[-1].number - group[0].number for group in retried)
    milliseconds = sum(group[-1].at_ms - group[0].at_ms for group in retried)
    # Two forms have no times of results.
    ended = sum(500 for _ in retried) if agent not in ("cline", "atif") else 0
    assert row["retry_tokens"] == 118 * answers
    assert row["retry_seconds"] == pytest.approx((milliseconds + ended) / 1000)
    without_writes = (13 + 2 * 5 + 50) / 1e6
    each = {"cline": 0.5, "gemini-cli": without_writes, "atif": without_writes}.get(agent, (10 + 2 * 5 + 50 + 9) / 1e6)
    assert row["retry_usd"] == pytest.approx(each * answers)
    assert figures["usage"][0]["usd"] == pytest.approx(each * len(edits))


def test_our_algorithms_make_the_recorded_file_of_calls_that_succeeded(tmp_path: Path) -> None:
    edits = plan("claude-code", 8, 30)
    write(tmp_path / "sessions", "claude-code", edits)

    figures = audit("sessions", cwd=tmp_path)

    succeeded = sum(edit.cause is None for edit in edits)
    assert {name: results["ok: same"] for name, results in figures["algorithms"].items()} == dict.fromkeys(
        ("v1", "v2", "v3", "v4"), succeeded
    )


def test_only_what_happened_since_a_date_counts(tmp_path: Path) -> None:
    edits = plan("codex", 9, 10)
    write(tmp_path / "sessions", "codex", edits)

    (row,) = audit("sessions", "--since", edits[6].time(), cwd=tmp_path)["edits"]

    assert row["ok"] + row["failed"] == 4


def test_an_agent_can_be_chosen_and_a_session_is_read_once(tmp_path: Path) -> None:
    for agent in AGENTS:
        write(tmp_path / "sessions" / agent, agent, plan(agent, 1, 3))

    figures = audit("sessions", "sessions/codex", "--agent", "codex,gemini-cli", cwd=tmp_path)

    assert figures["sessions"] == {"codex": 1, "gemini-cli": 1}


def test_the_usual_places_of_the_user_are_read_by_default(tmp_path: Path) -> None:
    write(tmp_path / ".claude" / "projects" / "-work", "claude-code", plan("claude-code", 1, 3))
    write(tmp_path / "elsewhere" / "sessions" / "2026" / "11", "codex", plan("codex", 1, 3))

    ended = in_process.evals(
        "audit", "--json", cwd=tmp_path, HOME=str(tmp_path), CODEX_HOME=str(tmp_path / "elsewhere")
    )

    assert json.loads(ended.stdout)["sessions"] == {"claude-code": 1, "codex": 1}


@pytest.mark.parametrize(
    "words, line",
    [
        (["nowhere"], "nowhere: no such file or folder; give a recorded session, or a folder of them"),
        (
            [".", "--agent", "vim"],
            "--agent: no agent is called 'vim'; choose from aider, atif, claude-code, cline, cline-cli",
        ),
        ([".", "--since", "soon"], "--since 'soon': no date; give one such as 2026-11-01, or days such as 30d"),
        ([], "no recorded sessions in the usual places of codex"),
    ],
    ids=["place", "agent", "date", "no sessions"],
)
def test_wrong_input_is_refused_in_one_line(tmp_path: Path, words: list[str], line: str) -> None:
    ended = in_process.evals("audit", *words, cwd=tmp_path, HOME=str(tmp_path), CODEX_HOME="")

    assert ended.returncode == 2
    assert line in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_tables_fit_a_narrow_terminal_and_control_characters_do_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "sessions", "claude-code", plan("claude-code", 1, 9))
    path.write_text(path.read_text().replace(MODEL, "a\\u001b[31mb"))

    ended = in_process.evals("audit", "sessions", cwd=tmp_path, COLUMNS="80")

    assert ended.returncode == 0
    assert max(map(len, ended.stdout.splitlines())) <= 80
    assert "\x1b" not in ended.stdout
    assert "editing calls" in ended.stdout
    assert ended.stderr == ""
