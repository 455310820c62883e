"""Scripted agents: real small agents work against the simulated server, and what they do is known beforehand."""

import asyncio
import json
import os
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import aiohttp
import pytest

from suts.simulated.agent_tools import AgentTurn, agent_turn
from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.scripts import expected_scripts, script_of, scripted
from suts.simulated.server import RunningServer, serving
from suts.simulated.spec import parse_spec
from suts.simulated.stated_truths import truth_fields
from suts.sut import Message, Truth
from tests.agents.player import TOOLS, schema

PLAYER = Path(__file__).parents[2] / "agents" / "player.py"
BEFORE = "".join(f"line {number}\n" for number in range(30))
BLOCKS = (("line 3\n", "line three\n"), ("line 20\nline 21\n", "line twenty\n"))
AFTER = BEFORE.replace("line 3\n", "line three\n").replace("line 20\nline 21\n", "line twenty\n")
TRUTH = Truth("numbers", number=1, path="pkg/lines.txt", blocks=BLOCKS, before=BEFORE)
TASK = "Write the numbers three and twenty as words."
MIXED = "sim/any?valid=.7&applied=.6&loops=1&fumbles=.3&rereads=.3&runs=.3"
FAST = "ttft_ms=1&gap_ms=0"


@dataclass(frozen=True)
class Played:
    code: int
    files: dict[str, str]


def turn_of(position: int = 0) -> AgentTurn:
    turn = agent_turn({name: schema(names) for name, names in TOOLS.items()}, position)
    assert turn is not None
    return turn


async def play(server: RunningServer, folder: Path, *options: str, wire: str = "anthropic") -> Played:
    """Let a real process work in a folder with the file of the case."""
    (folder / "pkg").mkdir(parents=True)
    (folder / TRUTH.path).write_text(BEFORE)
    urls = {"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": f"{server.url}/v1"}
    program = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-S", str(PLAYER), "--wire", wire, *options),
        cwd=folder,
        env={"PATH": os.environ["PATH"], **urls},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    await program.communicate(TASK.encode())
    return Played(program.returncode or 0, files_in(folder))


def files_in(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def config(parameters: str = "") -> ServerConfig:
    book = truth_book([([Message("user", TASK)], TRUTH)])
    return ServerConfig(book=book, parameters="&".join(filter(None, [FAST, parameters])))


@pytest.mark.parametrize(
    "seen, old",
    [pytest.param(["a\r\nb\r\n"], "a\r\n", id="as they are"), pytest.param(["1\ta\n2\tb\n"], "a\n", id="as LF")],
)
def test_an_edit_has_the_line_ends_that_the_agents_tool_displays(seen: list[str], old: str) -> None:
    truth = Truth("ends", number=1, path="a", blocks=(("a\r\n", "b\r\n"),), before="a\r\nb\r\n")
    turn = agent_turn({name: schema(names) for name, names in TOOLS.items()}, 1, seen)
    assert turn is not None

    (call,) = scripted(parse_spec("sim/any"), truth, turn).calls

    assert json.loads(call.arguments)["old"] == old


@pytest.mark.parametrize("wire", ["anthropic", "chat", "responses"])
async def test_a_scripted_agent_makes_the_right_edits_over_each_wire(wire: str, tmp_path: Path) -> None:
    async with serving(config("fumbles=1&rereads=1&runs=1")) as server:
        played = await play(server, tmp_path, wire=wire)

        assert played == Played(0, {TRUTH.path: AFTER})
        # Two readings, an edit in vain, two edits, a command, the end.
        assert [(entry.turn, entry.planned, entry.case_id) for entry in server.log] == [
            (turn, "applied", "numbers") for turn in range(7)
        ]


@pytest.mark.parametrize(
    "parameters, code, changed, turns",
    [
        pytest.param("applied=0", 0, {TRUTH.path}, 3, id="wrong edit"),
        pytest.param("valid=0&gives_up=0", 0, {"pkg/other_lines.txt"}, 3, id="other file"),
        pytest.param("valid=0&other_file=0", 0, set[str](), 2, id="gives up"),
        pytest.param("valid=0&gives_up=0&other_file=0&loops=1", 2, set[str](), 9, id="loops"),
    ],
)
async def test_an_agent_fails_in_the_way_that_is_planted(
    parameters: str, code: int, changed: set[str], turns: int, tmp_path: Path
) -> None:
    async with serving(config(parameters)) as server:
        played = await play(server, tmp_path, "--turns", "9")

        different = {path for path, text in played.files.items() if {TRUTH.path: BEFORE}.get(path) != text}
        assert (played.code, different, len(server.log)) == (code, changed, turns)
        assert played.files[TRUTH.path] != AFTER


def test_planted_shares_are_drawn_by_attempt_and_are_near_what_is_asked_for() -> None:
    truths = [replace(TRUTH, case_id=f"case {number}") for number in range(4000)]

    counts = expected_scripts(parse_spec(MIXED), truths, turn_of())

    # 0.7 valid of which 0.6 right; the rest evenly by weight. Three standard deviations are below 0.024.
    shares = {"applied": 0.42, "gives_up": 0.1, "loops": 0.1, "other_file": 0.1, "wrong_edit": 0.28}
    assert {name: count / 4000 for name, count in counts.items()} == pytest.approx(shares, abs=0.024)


def test_habits_change_no_outcome_and_a_new_attempt_is_drawn_anew() -> None:
    truths = [replace(TRUTH, number=number) for number in range(1, 201)]
    plain, mixed = parse_spec("sim/any?valid=.5"), parse_spec("sim/any?valid=.5&fumbles=1")

    outcomes = [script_of(plain, truth, turn_of()).outcome for truth in truths]

    assert outcomes == [script_of(plain, truth, turn_of()).outcome for truth in truths]
    assert len(Counter(outcomes)) == 3
    assert all(len(script_of(mixed, truth, turn_of()).acts) >= 2 for truth in truths)


async def ask(server: RunningServer, case: str, attempt: int = 1) -> str:
    """Return the name of the tool that the first answer about a case calls, "" for none."""
    tools = [{"name": name, "input_schema": schema(names)} for name, names in TOOLS.items()]
    body = {"model": MIXED, "max_tokens": 1000, "messages": [{"role": "user", "content": "Go."}], "tools": tools}
    headers = {"x-evals-case": case, "x-evals-attempt": str(attempt)}
    async with (
        aiohttp.ClientSession(headers=headers) as client,
        client.post(f"{server.url}/v1/messages?beta=true", json=body) as response,
    ):
        blocks = (await response.json())["content"]
    return str(next((block["input"]["path"] for block in blocks if block["type"] == "tool_use"), ""))


async def test_a_client_states_truths_that_the_server_had_not() -> None:
    async with serving(ServerConfig(parameters=FAST)) as server, aiohttp.ClientSession() as client:
        before = await ask(server, "stated")
        await client.post(f"{server.url}/_sim/truths", data=json.dumps({"stated": truth_fields(TRUTH)}))

        assert (before, await ask(server, "stated"), await ask(server, "another")) == ("", TRUTH.path, "")
        assert [entry.case_id == "stated" for entry in server.log] == [False, True, False]


@pytest.mark.parametrize(
    "body, message",
    [
        pytest.param("{", "the body is not JSON", id="no JSON"),
        pytest.param("[]", "the body is no JSON object", id="no object"),
        pytest.param('{"a": {"path": "x"}}', "a: path and before have to be strings", id="fields"),
        pytest.param('{"a": {"path": "x", "before": "", "blocks": ["x"]}}', "a: each of blocks", id="blocks"),
    ],
)
async def test_truths_that_cannot_be_read_are_refused(body: str, message: str) -> None:
    async with serving(ServerConfig()) as server, aiohttp.ClientSession() as client:
        answer = await client.post(f"{server.url}/_sim/truths", data=body)

        assert answer.status == 400
        assert message in await answer.text()
