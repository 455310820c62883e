"""The transcript of an agent's attempt on a screen and on its page."""

from runner.recordings.attempt_transcript import transcript_of
from runner.report.export import records
from runner.report.screen import screen_lines
from runner.report.transcripts import stored_lines, transcript_lines
from runner.storage.runs import find_run
from runner.storage.store import Store
from tests.runner.agent_streams import agent_run
from tests.runner.view.served_pages import page


def lines_of(store: Store) -> dict[str, list[str]]:
    run = find_run(store, "r1")
    return {record["case_id"]: list(stored_lines(store, run, record)) for record in records(store, "r1")}


def test_an_agents_attempt_tells_its_turns_calls_and_claims(store: Store) -> None:
    lines = lines_of(agent_run(store))["one"]

    assert lines[:4] == [
        "  transcript: 5 turns; edit 2, read 2",
        "    files changed: a.py, b.py",
        "    files read: a.py",
        "    wasted calls: 2 (1 failed, 1 repeated)",
    ]
    assert [line.strip() for line in lines if line.startswith(" " * 9)] == [
        "read a.py: ok",
        "read a.py: ok",
        "edit a.py: failed, other",
        "edit a.py: ok",
    ]
    assert lines[4].startswith("      1    0.00 s 50 in ")
    assert lines[6].startswith("      2    3.00 s 50 in ")
    assert lines[-4:-1] == [
        "    claims: done (success)",
        "    claims 1 input tokens, but 250 were recorded",
        lines[-2],
    ]
    assert lines[-1] == "    claims a cost of $0.2500; by our prices $0.0500"
    assert max(map(len, lines)) <= 80


def test_an_agent_that_asked_nothing_tells_what_it_printed_last() -> None:
    printed = [f'{{"t": "out", "d": "line {number}\\u001b[2J"}}\n'.encode() for number in range(9)]

    lines = list(transcript_lines(transcript_of(enumerate(printed))))

    assert lines[0] == "  transcript: 0 turns; no calls"
    assert [line.startswith(f"    printed: line {number}") for number, line in enumerate(lines[3:], 4)] == [True] * 5
    assert "\x1b" not in "".join(lines)


def test_a_screen_has_the_transcript_in_place_of_the_answer_of_an_agent(store: Store) -> None:
    run = find_run(agent_run(store), "r1")

    agents, ordinary = ("\n".join(screen_lines(store, run, record)) for record in records(store, "r1"))

    assert "transcript: 5 turns" in agents
    assert '"tree"' not in agents
    assert "transcript" not in ordinary


def test_an_ordinary_answer_has_no_transcript(store: Store) -> None:
    assert lines_of(agent_run(store))["two"] == []


def test_the_page_of_an_attempt_has_its_transcript(store: Store) -> None:
    agent_run(store)
    ids = {row["case_id"]: row["scoring_id"] for row in store.rows("SELECT case_id, scoring_id FROM attempts")}

    assert "read a.py: ok" in page(store, f"/run/r1/attempt/{ids['one']}").text
    assert "Transcript" not in page(store, f"/run/r1/attempt/{ids['two']}").text
