"""Sessions with planted calls are read exactly, also when they are cut, interleaved or hostile."""

import json
import random
from collections import Counter
from pathlib import Path

import pytest

from runner.recordings.finding import form_of
from tests.planted_sessions import CAUSES, MODEL, plan, write
from tests.runner.recordings.read_sessions import AGENTS, ends, planted_ends, read

# The forms that state the text of a file after an edit, and before it; the planted sessions read no file.
WHOLE = {"claude-code", "gemini-cli", "cline"}
BEFORE = {"claude-code", "gemini-cli"}


def test_each_form_has_a_planted_session() -> None:
    assert set(AGENTS) == set(CAUSES)


@pytest.mark.parametrize("agent", AGENTS)
def test_calls_causes_models_states_and_tokens_are_those_that_were_planted(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 1, 30)

    recording = read(write(tmp_path, agent, edits))

    assert recording.agent == agent
    assert ends(recording) == planted_ends(edits)
    assert {call.model for call in recording.calls} == {MODEL}
    assert [call.began for call in recording.calls] == [edit.at_ms / 1000 for edit in edits]
    states = [(call.touched[0].before.text, call.touched[0].after.text) for call in recording.calls]
    assert [after for _, after in states] == [edit.after if agent in WHOLE else None for edit in edits]
    if agent in BEFORE:
        assert [before for before, _ in states] == [edit.before for edit in edits]
    assert [
        (usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        for usage in recording.usages
    ] == [(13, 5, 100, 0) if agent in ("gemini-cli", "atif") else (10, 5, 100, 3)] * 30


@pytest.mark.parametrize("agent", AGENTS)
def test_of_a_session_that_was_cut_anywhere_what_was_written_before_counts(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 2, 12)
    path = write(tmp_path, agent, edits)
    data = path.read_bytes()
    counts = set()

    for cut in random.Random(3).sample(range(len(data) // 3, len(data) - 1), 40):
        path.write_bytes(data[:cut])
        recording = read(path)
        counts.add(len(ends(recording)))
        assert ends(recording) == planted_ends(edits)[: len(ends(recording))]
        assert recording.damaged <= 1

    assert len(counts) > 3


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_results_that_come_in_another_order_belong_to_their_calls(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 4, 9)
    path = write(tmp_path, agent, edits)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    results = [row for row in rows if "tool_result" in json.dumps(row) or "custom_tool_call_output" in json.dumps(row)]
    others = [row for row in rows if row not in results]

    path.write_text("".join(f"{json.dumps(row)}\n" for row in [*others, *reversed(results)]))

    assert sorted(ends(read(path)), key=str) == sorted(planted_ends(edits), key=str)
    assert [call.paths[0] for call in read(path).calls] == [edit.path for edit in edits]


@pytest.mark.parametrize("agent", AGENTS)
def test_values_of_other_types_are_never_an_error(tmp_path: Path, agent: str) -> None:
    edits = plan(agent, 5, 6)
    path = write(tmp_path, agent, edits)
    text, draw = path.read_text(), random.Random(6)
    values = ['"x"', "1", "[]", "{}", "null", "true", "-1e308", '"\\ud800"']
    places = [place for place, sign in enumerate(text) if sign == ":"]
    counts = Counter[int]()

    for _ in range(150):
        place = draw.choice(places)
        rest = text[place + 1 :].lstrip()
        try:
            _, end = json.JSONDecoder().raw_decode(rest)
        except ValueError:
            continue
        path.write_text(f"{text[: place + 1]}{draw.choice(values)}{rest[end:]}", errors="surrogatepass")
        if form := form_of(path):
            counts[len(form.read(path).calls)] += 1

    # What one value spoils costs no other call, in most places, and adds none.
    assert counts[len(edits)] > 60
    assert max(counts) == len(edits)
