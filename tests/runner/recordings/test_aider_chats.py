"""Chats of Aider: edits, failures, tokens and models are those of the chat; states are those of its commits."""

import subprocess
from pathlib import Path

import pytest

from runner.recordings.finding import form_of
from runner.recordings.vocabulary import AgentSession, AgentTurn, CallStatus, Certainty

BLOCK = "{path}\n```python\n<<<<<<< SEARCH\nx = {old}\n=======\nx = {new}\n>>>>>>> REPLACE\n```"
HEAD = (
    "\n# aider chat started at 2026-11-22 12:00:00\n\n> /usr/bin/aider --model gpt-x  \n> Aider v0.86.2  \n"
    "> Main model: gpt-x with diff edit format, infinite output  \n> Git repo: .git with 1 files  \n"
)
TOKENS = "> Tokens: 2.1k sent, 310 received. Cost: $0.02 message, $0.05 session.  \n"


def git(folder: Path, *words: str) -> str:
    names = ("-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(("git", *names, *words), cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """A chat of two requests: an edit with its commit, and one that failed once before it was applied."""
    git(tmp_path, "init", "-q")
    hashes = []
    for value in range(3):
        (tmp_path / "a.py").write_text(f"x = {value}\n")
        git(tmp_path, "add", "a.py")
        git(tmp_path, "commit", "-qm", str(value))
        hashes.append(git(tmp_path, "rev-parse", "--short=7", "HEAD"))
    parts = [
        HEAD,
        "\n#### make it one  \n#### please  \n\n",
        f"I do.\n\n{BLOCK.format(path='a.py', old=0, new=1)}\n\n",
        f"{TOKENS}> Applied edit to a.py  \n> Commit {hashes[1]} feat: one  \n> You can use /undo to undo  \n",
        f"\n#### now two  \n\n{BLOCK.format(path='a.py', old=9, new=2)}\n\n{TOKENS}",
        "> The LLM did not conform to the edit format.  \n> # 1 SEARCH/REPLACE block failed to match!\n\n",
        "## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py\n",
        "<<<<<<< SEARCH\nx = 9\n=======\nx = 2\n>>>>>>> REPLACE\n\nThe SEARCH section must exactly match.  \n\n",
        f"{BLOCK.format(path='a.py', old=1, new=2)}\n\n{TOKENS}",
        f"> Applied edit to a.py  \n> Commit {hashes[2]} feat: two  \n",
    ]
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("".join(parts))
    return path


def read(path: Path) -> AgentSession:
    form = form_of(path)
    assert form is not None
    return form.read(path, turns=True)


def test_edits_and_failures_are_those_of_the_chat(chat: Path) -> None:
    recording = read(chat)

    assert (recording.agent, recording.version) == ("aider", "0.86.2")
    assert [(call.paths, call.status, call.cause) for call in recording.calls] == [
        (("a.py",), CallStatus.OK, None),
        (("a.py",), CallStatus.FAILED, "no_match"),
        (("a.py",), CallStatus.OK, None),
    ]
    assert {(call.model, call.tool) for call in recording.calls} == {("gpt-x", "diff")}
    assert [call.replacements[0].old for call in recording.calls] == ["x = 0\n", "x = 9\n", "x = 1\n"]
    assert [(usage.input_tokens, usage.output_tokens, usage.cost_usd) for usage in recording.usages] == [
        (2100, 310, 0.02)
    ] * 3
    assert AgentTurn("user", "make it one\nplease") in recording.turns


def test_states_are_those_of_the_commits(chat: Path) -> None:
    first, failed, last = read(chat).calls

    assert [(call.touched[0].before.text, call.touched[0].after.text) for call in (first, last)] == [
        ("x = 0\n", "x = 1\n"),
        ("x = 1\n", "x = 2\n"),
    ]
    assert failed.touched[0].before.text == "x = 1\n"
    assert first.touched[0].before.certainty is Certainty.EXACT


def test_without_the_repository_no_state_is_known(chat: Path, tmp_path: Path) -> None:
    alone = tmp_path / "elsewhere"
    alone.mkdir()
    (tmp_path / ".git").rename(tmp_path / "git-is-gone")
    chat.rename(alone / chat.name)

    recording = read(alone / chat.name)

    assert len(recording.calls) == 3
    assert {file.after.text for call in recording.calls for file in call.touched} == {None}


def test_of_a_chat_that_was_cut_anywhere_what_was_written_before_counts(chat: Path) -> None:
    data = chat.read_bytes()
    whole = [call.status for call in read(chat).calls]
    counts = set()

    for cut in range(len(data) // 3, len(data), 89):
        chat.write_bytes(data[:cut])
        statuses = [call.status for call in read(chat).calls]
        assert statuses == whole[: len(statuses)]
        counts.add(len(statuses))

    assert counts >= {1, 2}
