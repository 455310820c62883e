"""The proxy of an agent against the simulated server: what both of them count, and what the limits do to requests."""

import asyncio
import json

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from runner.agents.limits import AgentLimits
from runner.records import Completion
from runner.storage.streams import read_again
from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.journal import JournalEntry
from suts.simulated.server import serving
from suts.sut import Message, SutError, Truth
from suts.wires import WIRES
from tests.runner.agents.rooms import ACP_PLAYER, KEY, PLAYER, ROOT, WIDE, agent, attempted, printed, tree_of

BEFORE = "".join(f"line {number}\n" for number in range(30))
TRUTH = Truth("numbers", 1, path="pkg/lines.txt", blocks=(("line 3\n", "line three\n"),), before=BEFORE)
FILES = {"pkg/lines.txt": BEFORE}
BOOK = truth_book([((Message("user", "Edit."),), TRUTH)])
FAST = "ttft_ms=1&gap_ms=0"


def played(
    *options: str, model: str = "sim/any", limits: AgentLimits = WIDE, at_once: int = 1, key: str = KEY
) -> tuple[list[Completion], list[JournalEntry]]:
    """Attempts of the small agent of the tests, and what the server did."""

    async def play() -> tuple[list[Completion], list[JournalEntry]]:
        async with serving(ServerConfig(book=BOOK, parameters=FAST, key=key)) as server:
            words = ("python3", str(PLAYER), "--model", model, *options)
            tried = agent(*words, url=server.url, limits=limits, model=model)
            tasks = [attempted(tried, FILES, "numbers", number + 1) for number in range(at_once)]
            return list(await asyncio.gather(*tasks)), server.log

    return asyncio.run(play())


def test_tokens_and_cost_by_the_proxy_are_those_of_the_server() -> None:
    [done], log = played()

    usages = [entry.usage for entry in log if entry.usage is not None]
    assert len(usages) == len(log) > 1
    assert done.tokens.input == sum(usage.input for usage in usages)
    assert done.tokens.output == sum(usage.output for usage in usages)
    tokens_in, tokens_out = done.tokens.input or 0, done.tokens.output or 0
    assert done.provider_cost_usd == pytest.approx((tokens_in * 1.0 + tokens_out * 2.0) / 1e6)
    assert tree_of(done).changed == {"pkg/lines.txt": BEFORE.replace("line 3\n", "line three\n")}


@pytest.mark.slow
@pytest.mark.parametrize("wire", ["chat", "responses", "google"])
def test_other_wires_are_metered_alike(wire: str) -> None:
    [done], log = played("--wire", wire)

    assert done.tokens.output == sum(entry.usage.output for entry in log if entry.usage is not None)
    assert set(tree_of(done).changed) == {"pkg/lines.txt"}


@pytest.mark.slow
def test_clocks_and_figures_are_computed_of_the_stored_bytes_and_the_key_is_not_among_them() -> None:
    [done], log = played("--wire", "anthropic", model="sim/any?rereads=1&fumbles=1")

    start = done.sent_ns
    stream = [piece._replace(at_ns=piece.at_ns - start) for piece in done.stream]
    again = read_again(stream, WIRES["agent"].decoder(), None)
    figures = json.loads(again.text)["figures"]
    first, last = done.clocks.first_edit_ms, done.clocks.closed_ms
    assert again.text == done.text
    assert again.clocks == done.clocks
    assert first is not None
    assert last is not None
    assert 0 < first < last < (done.clocks.round_trip_ms or 0)
    assert figures["turns"] == len(log)
    assert figures["calls"] == {"edit": 2, "read": 2}
    assert figures["wasted_calls"] == 2
    assert KEY not in printed(done)


@pytest.mark.slow
@pytest.mark.parametrize(
    "limit, limits",
    [
        pytest.param("turns", AgentLimits(turns=3), id="turns"),
        pytest.param("calls", AgentLimits(calls=2), id="calls"),
        pytest.param("usd", AgentLimits(usd=0.09), id="cost"),
    ],
)
def test_a_loop_is_ended_at_its_limit_and_not_a_request_later(limit: str, limits: AgentLimits) -> None:
    [done], log = played(model="sim/any?valid=0&loops=1&gives_up=0&other_file=0", limits=limits)

    assert done.finish_reason == limit
    assert len(log) == json.loads(done.text)["figures"]["turns"]
    assert len(log) <= limits.turns
    assert (done.provider_cost_usd or 0) <= limits.usd


def test_an_attempt_in_which_no_server_answers_is_no_fault_of_the_agent() -> None:
    with pytest.raises(SutError, match="status 401"):
        played(key="another")


@pytest.mark.slow
def test_an_agent_of_the_protocol_is_metered_like_a_headless_one() -> None:
    async def play() -> tuple[Completion, list[JournalEntry]]:
        from dataclasses import replace

        from runner.agents.opening import acp_program
        from runner.agents.room import program_of

        async with serving(ServerConfig(book=BOOK, parameters=FAST, key=KEY)) as server:
            start = 'exec python3 "$0" --wire anthropic --fs --locked'
            tried = agent("bash", url=server.url)
            program = acp_program(program_of(("bash", "-c", start, str(ACP_PLAYER), str(ROOT / "tests"))))
            tried._setting = replace(tried._setting, program=program)
            return await attempted(tried, FILES, "numbers"), server.log

    done, log = asyncio.run(play())

    assert tree_of(done).changed == {"pkg/lines.txt": BEFORE.replace("line 3\n", "line three\n")}
    assert done.tokens.output == sum(entry.usage.output for entry in log if entry.usage is not None)
    assert "session/update" in printed(done)


@pytest.mark.slow
def test_twenty_at_once_do_not_disturb_each_other() -> None:
    done, log = played(at_once=20)

    right = {"pkg/lines.txt": BEFORE.replace("line 3\n", "line three\n")}
    assert [tree_of(one).changed for one in done] == [right] * 20
    assert sum(one.tokens.output or 0 for one in done) == sum(entry.usage.output for entry in log if entry.usage)


@pytest.mark.parametrize("model, headers", [("sim/any", 2), ("llama", 0)])
def test_a_server_of_this_machine_gets_the_name_of_an_attempt_only_for_a_simulated_model(
    model: str, headers: int
) -> None:
    names: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        names.extend(name for name in request.headers if name.lower().startswith("x-evals"))
        return web.json_response({"type": "message", "content": [], "usage": {"input_tokens": 1, "output_tokens": 1}})

    async def play() -> None:
        app = web.Application()
        app.router.add_post("/v1/messages", answer)
        async with TestServer(app) as server:
            url = str(server.make_url("")).rstrip("/")
            body = json.dumps({"model": model, "max_tokens": 9, "messages": []})
            posted = f"urlopen(os.environ['ANTHROPIC_BASE_URL'] + '/v1/messages', {body.encode()!r})"
            post = f"import os\nfrom urllib.request import urlopen\n{posted}"
            await attempted(agent("python3", "-c", post, url=url, model=model), FILES, "numbers")

    asyncio.run(play())

    assert len(names) == headers
