"""The simulated server, asked by a plain HTTP client: answers, numbers, its log, and what it refuses."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from time import monotonic, monotonic_ns

import orjson
import pytest

from suts.simulated.config import ServerConfig
from suts.simulated.models import plan
from suts.simulated.server import serving
from suts.simulated.spec import PRESETS, parse_spec
from tests.suts.simulated.asked_server import PATHS, PLACES, TRUTHS, client, wires


@wires
async def test_a_known_conversation_gets_the_planned_answer(wire: str) -> None:
    async with client() as asks:
        answer = await asks.ask("Change beta.", wire=wire)

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.ended
    assert answer.text == plan(parse_spec("sim/any"), TRUTHS["Change beta."]).text


@wires
async def test_an_answer_without_a_stream_says_the_same(wire: str) -> None:
    async with client() as asks:
        streamed = await asks.ask(wire=wire, model="chatty?prose=300", headers={"x-evals-attempt": "4"})
        answer = await asks.ask(wire=wire, model="chatty?prose=300", headers={"x-evals-attempt": "4"}, stream=False)

    body = orjson.loads(answer.data)
    texts = {
        "openai-chat": lambda: body["choices"][0]["message"]["content"],
        "openai-responses": lambda: body["output"][-1]["content"][0]["text"],
        "anthropic-messages": lambda: body["content"][-1]["text"],
    }
    assert texts[wire]() == streamed.text
    assert body["usage"]


@wires
async def test_the_conversation_is_recognised_in_parts_and_below_any_system_prompt(wire: str) -> None:
    parts = [{"type": "text", "text": "Change gamma."}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    messages: list[object] = [{"role": "user", "content": parts}]
    system: object = [{"type": "text", "text": "Edit."}]
    if wire != "anthropic-messages":
        messages.insert(0, {"role": "system", "content": "Edit."})
        system = None

    async with client() as asks:
        await asks.ask(wire=wire, **{PLACES[wire]: messages, "system": system})  # type: ignore[arg-type]
        log = asks.server.log

    assert log[0].case_id == "gamma"


async def test_an_unknown_conversation_is_answered_with_prose() -> None:
    async with client() as asks:
        answer = await asks.ask("What is the weather?")
        log = asks.server.log

    assert answer.status == 200
    assert (log[0].planned, log[0].case_id[:8]) == ("no_call", "unknown-")


async def test_a_seed_above_that_of_the_server_names_the_attempt() -> None:
    async with client() as asks:
        for seed in (7, 2, 7):
            await asks.ask("Change alpha.", seed=seed)
        await asks.ask("Change alpha.")
        log = asks.server.log

    assert [entry.number for entry in log] == [7, 2, 7, 1]
    assert len({entry.planned for entry in log[::2]}) == 1


async def test_numbers_count_up_per_model_seed_case_and_system_prompt() -> None:
    async with client() as asks:
        for _ in range(3):
            await asks.ask("Change alpha.")
        await asks.ask("Change beta.")
        await asks.ask("Change alpha.", model="sim/sloppy")
        await asks.ask("Change alpha.", seed=-7)
        await asks.ask("Change alpha.", wire="anthropic-messages", system="Another.")
        await asks.ask("Change alpha.", wire="anthropic-messages")
        numbers = [entry.number for entry in asks.server.log]

    assert numbers == [1, 2, 3, 1, 1, 1, 1, 4]


async def test_a_client_may_name_case_and_attempt() -> None:
    async with client() as asks:
        answer = await asks.ask("?", headers={"x-evals-case": "beta", "x-evals-attempt": "9"}, model="sim/sloppy")
        counted = await asks.ask("Change beta.", model="sim/sloppy")

    spec, truth = parse_spec("sim/sloppy"), TRUTHS["Change beta."]
    assert answer.text == plan(spec, replace(truth, number=9)).text
    assert counted.text == plan(spec, truth).text


@pytest.mark.slow
async def test_three_hundred_streams_run_at_once() -> None:
    model = "any?pieces=40&ttft_ms=400&gap_ms=5"

    async with client() as asks:
        answers = await asyncio.gather(*(asks.ask(model=model) for _ in range(300)))
        stats = asks.server.journal.stats
        numbers = sorted(entry.number for entry in asks.server.log)

    assert stats.peak == 300
    assert stats.whole == 300
    assert all(answer.ended for answer in answers)
    assert numbers == list(range(1, 301))


async def test_the_log_has_the_times_of_the_server() -> None:
    before = monotonic_ns()

    async with client() as asks:
        await asks.ask(model="any?ttft_ms=50&gap_ms=1&jitter=0&pieces=20")
        log = await asks.get("/_sim/log")

    assert isinstance(log, list)
    entry = log[0]
    assert before <= entry["arrived_ns"]
    assert 50e6 <= entry["first_byte_ns"] - entry["arrived_ns"] < 5e9
    assert 70e6 <= entry["ended_ns"] - entry["arrived_ns"] < 5e9
    assert entry["usage"]["output"] > 0


@pytest.mark.slow
async def test_the_pieces_come_as_far_apart_as_planned() -> None:
    async with client() as asks:
        body = {"model": "any?ttft_ms=20&gap_ms=20&jitter=0&pieces=5", "stream": True}
        async with asks.session.post(asks.server.url + PATHS["openai-chat"], json=body | {"messages": []}) as response:
            stamps = [monotonic() async for data, whole in response.content.iter_chunks() if whole and data]

    assert len(stamps) == 6
    assert stamps[-1] - stamps[0] == pytest.approx(0.1, abs=0.05)


async def test_the_totals_and_the_numbers_can_be_reset() -> None:
    async with client() as asks:
        await asks.ask()
        before = await asks.get("/_sim/stats")
        async with asks.session.post(asks.server.url + "/_sim/reset") as response:
            assert response.status == 200
        after = await asks.get("/_sim/stats")
        await asks.ask()
        number = asks.server.log[0].number

    assert before == {"requests": 1, "open": 0, "peak": 1, "whole": 1, "statuses": {"200": 1}, "faults": {}}
    assert after == {"requests": 0, "open": 0, "peak": 0, "whole": 0, "statuses": {}, "faults": {}}
    assert number == 1


async def test_an_answer_from_before_a_reset_gives_no_number_back() -> None:
    async with client() as asks:
        await asks.ask()
        slow = asyncio.create_task(asks.ask(model="any?ttft_ms=5000"))
        await asyncio.sleep(0.05)
        asks.server.service.forget()
        slow.cancel()
        await asyncio.sleep(0.05)
        await asks.ask()
        numbers = [entry.number for entry in asks.server.log]

    assert numbers == [2, 1]


async def test_it_is_there_and_lists_its_models() -> None:
    async with client() as asks:
        health = await asks.get("/health")
        models = await asks.get("/v1/models")
        async with asks.session.head(asks.server.url) as response:
            head = response.status

    assert health == {"status": "ok", "simulated": True}
    assert isinstance(models, dict)
    assert [model["id"] for model in models["data"]] == sorted(PRESETS)
    assert head == 200


@wires
@pytest.mark.parametrize(
    "more, status",
    [
        pytest.param({"model": "gpt-9"}, 404, id="an unknown model"),
        pytest.param({"model": "any?applied=2"}, 404, id="an impossible rate"),
        pytest.param({"messages": "hello"}, 400, id="messages that are none"),
        pytest.param({"model": 3}, 400, id="a model that is no name"),
    ],
)
async def test_what_cannot_be_answered_is_refused(wire: str, more: Mapping[str, object], status: int) -> None:
    async with client() as asks:
        named = {PLACES[wire] if name == "messages" else name: value for name, value in more.items()}
        if wire == "openai-responses" and "messages" in more:
            named = {"input": 7}
        answer = await asks.ask(wire=wire, **{"model": "any", **named})  # type: ignore[arg-type]

    assert answer.status == status
    assert orjson.loads(answer.data)["error"]["message"]


async def test_a_wrong_key_is_refused() -> None:
    async with client(key="right") as asks:
        answers = [
            await asks.ask(headers={"authorization": "Bearer wrong"}),
            await asks.ask(headers={"authorization": "Bearer right"}),
            await asks.ask(headers={"x-api-key": "right"}, wire="anthropic-messages"),
        ]

    assert [answer.status for answer in answers] == [401, 200, 200]


async def test_a_limit_of_tokens_is_kept_and_logged() -> None:
    async with client() as asks:
        answer = await asks.ask(max_tokens=5)
        entry = asks.server.log[0]

    assert b'"finish_reason":"length"' in answer.data
    assert entry.planned == "cut"


async def test_usage_is_told_where_it_was_asked_for() -> None:
    async with client() as asks:
        without = await asks.ask()
        told = await asks.ask(stream_options={"include_usage": True})

    assert b'"usage"' not in without.data
    assert orjson.loads(told.events[-2])["usage"]["completion_tokens"] > 0


@pytest.mark.parametrize(
    "request_, status",
    [
        pytest.param(b"nonsense\r\n\r\n", b"400", id="no request"),
        pytest.param(b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", b"411", id="a body of unknown length"),
        pytest.param(b"GET / HTTP/1.1\r\nx: " + b"y" * 70_000, b"431", id="an endless head"),
        pytest.param(b"GET /nowhere HTTP/1.1\r\nconnection: close\r\n\r\n", b"404", id="an unknown path"),
        pytest.param(b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n", b"200", id="the last request"),
    ],
)
async def test_a_connection_that_is_not_kept_is_closed(request_: bytes, status: bytes) -> None:
    async with serving(ServerConfig()) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(request_)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

    assert answer.startswith(b"HTTP/1.1 " + status)


async def test_requests_on_one_connection_are_answered_in_turn() -> None:
    body = orjson.dumps({"model": "any?ttft_ms=5&gap_ms=0", "stream": True, "messages": []})
    one = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body

    async with serving(ServerConfig()) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        for cut in (one + one[:90], one[90:] + b"GET /health HTTP/1.1\r\nconnection: close\r\n\r\n"):
            writer.write(cut)
            await asyncio.sleep(0.01)
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()

    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert answer.count(b"[DONE]") == 2
    assert answer.endswith(b'{"status":"ok","simulated":true}')


async def test_bad_parameters_are_refused_at_the_start() -> None:
    with pytest.raises(ValueError, match="has no parameter 'ttft'"):
        async with serving(ServerConfig(parameters="ttft=3")):
            pass
