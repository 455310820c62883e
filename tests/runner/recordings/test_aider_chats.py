"""Chats of Aider: edits, failures, tokens and models are those of the chat; states are those of its commits."""

import subprocess
from pathlib import Path

import pytest

from runner.recordings.aider_requests import sent_requests
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


def write_requests(chat: Path, shown: list[str]) -> None:
    """Write what was sent before each answer: a file, and words about it."""
    answers = ["I do.\n\n" + BLOCK.format(path="a.py", old=0, new=1)]
    answers += [BLOCK.format(path="a.py", old=old, new=2) for old in (9, 1)]
    parts = []
    for number, (answer, text) in enumerate(zip(answers, shown, strict=True)):
        files = (
            "I have *added these files to the chat* so you can go ahead and edit them.\n\n"
            "*Trust this message as the true contents of these files!*\n\n"
            f"a.py\n```\n{text}```\n\nb.txt\n```\nno end```\n"
        )
        messages = [("SYSTEM", "Act as an expert.\na.py\n```\nan example\n```"), ("USER", files), ("USER", "Go.")]
        sent = "".join(f"-------\n{behind(role, content)}" for role, content in messages)
        parts.append(f"TO LLM 2026-11-22T12:0{number}:00\n{sent}")
        parts.append(f"LLM RESPONSE 2026-11-22T12:0{number}:30\n{behind('ASSISTANT', answer)}")
    chat.with_name(".aider.llm.history").write_text("".join(parts))


def behind(role: str, content: str) -> str:
    return "".join(f"{role} {line}\n" for line in content.splitlines())


def test_requests_that_were_kept_give_times_and_derived_states(chat: Path, tmp_path: Path) -> None:
    (tmp_path / ".git").rename(tmp_path / "git-is-gone")
    write_requests(chat, ["x = 0\n", "x = 1\n", "x = 1\n"])

    recording = read(chat)

    assert [(call.touched[0].before.text, call.touched[0].after.text) for call in recording.calls] == [
        ("x = 0\n", "x = 1\n"),
        ("x = 1\n", "x = 1\n"),
        ("x = 1\n", "x = 2\n"),
    ]
    assert {call.touched[0].before.certainty for call in recording.calls} == {Certainty.DERIVED}
    assert [call.began for call in recording.calls] == [1795348830.0, 1795348890.0, 1795348950.0]
    assert [usage.at for usage in recording.usages] == [call.began for call in recording.calls]


def test_commits_say_more_than_requests(chat: Path) -> None:
    write_requests(chat, ["x = 0\n", "x = 1\n", "x = 1\n"])

    first, failed, last = read(chat).calls

    assert [call.touched[0].before.certainty for call in (first, failed, last)] == [Certainty.EXACT] * 3


def test_a_file_without_a_newline_at_its_end_is_shown_so(chat: Path) -> None:
    write_requests(chat, ["x = 0\n"] * 3)

    request = sent_requests(chat).of(BLOCK.format(path="a.py", old=9, new=2))

    assert request is not None
    assert request.files == {"a.py": "x = 0\n", "b.txt": "no end"}


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
