"""The simulated server, asked by a plain HTTP client: answers, numbers, faults, limits, and its own log."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from time import monotonic, monotonic_ns

import aiohttp
import orjson
import pytest

from suts.simulated.book import truth_book
from suts.simulated.config import ServerConfig
from suts.simulated.faults import KINDS, Faults, parse_faults
from suts.simulated.models import expected_counts, plan
from suts.simulated.server import RunningServer, serving
from suts.simulated.spec import PRESETS, parse_spec
from suts.sut import ErrorKind, Event, Message, ReasoningDelta, Received, SutError, TextDelta, Truth, Usage
from suts.wires import WIRES

TRUTHS = {
    f"Change {name}.": Truth(name, number=1, path=f"{name}.py", blocks=(("old\n", "new\n"),), before="old\nend\n")
    for name in ("alpha", "beta", "gamma")
}
BOOK = truth_book([([Message("user", text)], truth) for text, truth in TRUTHS.items()])
FAST = "ttft_ms=2&gap_ms=0.2"
PATHS = {"openai-chat": "/v1/chat/completions", "anthropic-messages": "/v1/messages"}
wires = pytest.mark.parametrize("wire", PATHS)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def events(self) -> list[bytes]:
        return [line[6:] for line in self.data.split(b"\n") if line.startswith(b"data: ")]

    @property
    def text(self) -> str:
        """What the stream says, read by hand over either wire."""
        out = ""
        for event in self.events:
            if event != b"[DONE]":
                chunk = orjson.loads(event)
                for choice in chunk.get("choices", ()):
                    out += choice["delta"].get("content", "")
                out += chunk.get("delta", {}).get("text", "")
        return out

    @property
    def ended(self) -> bool:
        return self.data.endswith((b"data: [DONE]\n\n", b'data: {"type":"message_stop"}\n\n'))


class Client:
    def __init__(self, server: RunningServer, session: aiohttp.ClientSession) -> None:
        self.server = server
        self.session = session

    async def ask(
        self,
        text: str = "Change alpha.",
        model: str = "sim/any",
        wire: str = "openai-chat",
        headers: Mapping[str, str] | None = None,
        **more: object,
    ) -> Answer:
        body = {"model": model, "stream": True, "messages": [{"role": "user", "content": text}], **more}
        async with self.session.post(self.server.url + PATHS[wire], json=body, headers=headers) as response:
            return Answer(response.status, response.headers, await response.read())

    async def get(self, path: str) -> object:
        async with self.session.get(self.server.url + path) as response:
            assert response.status == 200
            return orjson.loads(await response.read())


@asynccontextmanager
async def client(config: ServerConfig | None = None, **more: object) -> AsyncIterator[Client]:
    config = replace(config or ServerConfig(book=BOOK, parameters=FAST), **more)  # type: ignore[arg-type]
    connector = aiohttp.TCPConnector(limit=0)
    async with serving(config) as server, aiohttp.ClientSession(connector=connector) as session:
        yield Client(server, session)


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
    text = body["content"][-1]["text"] if wire == "anthropic-messages" else body["choices"][0]["message"]["content"]
    assert text == streamed.text
    assert body["usage"]


@wires
async def test_the_conversation_is_recognised_in_parts_and_below_any_system_prompt(wire: str) -> None:
    parts = [{"type": "text", "text": "Change gamma."}, {"type": "image_url", "image_url": {"url": "data:,"}}]
    messages: list[object] = [{"role": "user", "content": parts}]
    system: object = [{"type": "text", "text": "Edit."}]
    if wire == "openai-chat":
        messages.insert(0, {"role": "system", "content": "Edit."})
        system = None

    async with client() as asks:
        await asks.ask(wire=wire, messages=messages, system=system)
        log = asks.server.log

    assert log[0].case_id == "gamma"


async def test_an_unknown_conversation_is_answered_with_prose() -> None:
    async with client() as asks:
        answer = await asks.ask("What is the weather?")
        log = asks.server.log

    assert answer.status == 200
    assert (log[0].planned, log[0].case_id[:8]) == ("no_call", "unknown-")


async def test_numbers_count_up_per_model_seed_case_and_system_prompt() -> None:
    async with client() as asks:
        for _ in range(3):
            await asks.ask("Change alpha.")
        await asks.ask("Change beta.")
        await asks.ask("Change alpha.", model="sim/sloppy")
        await asks.ask("Change alpha.", seed=7)
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


async def quota(asks: Client, text: str, model: str, wanted: int) -> Counter[str]:
    """What a runner does: as many at once as valid answers are missing, each asked again until it came whole."""
    found: Counter[str] = Counter()
    spec = parse_spec(model)
    texts = {plan(spec, replace(TRUTHS[text], number=number)).text: number for number in range(1, 200)}

    async def attempt() -> bool:
        while True:
            try:
                answer = await asyncio.wait_for(asks.ask(text, model), 0.4)
            except (aiohttp.ClientError, TimeoutError):
                continue
            if answer.status == 200 and answer.ended and b'{"ind\n' not in answer.data:
                planned = plan(spec, replace(TRUTHS[text], number=texts[answer.text]))
                found[planned.outcome] += 1
                return planned.valid

    missing = wanted
    while missing:
        missing -= sum(await asyncio.gather(*(attempt() for _ in range(missing))))
    return found


async def test_the_planted_counts_are_exact_at_once_and_with_every_fault() -> None:
    model = "sim/any?valid=0.6&applied=0.5&prose=40"
    faults = parse_faults(",".join(f"{kind}=0.06" for kind in KINDS))

    async with client(faults=faults, retry_after_s=0.0) as asks:
        found = sum(await asyncio.gather(*(quota(asks, text, model, 8) for text in TRUTHS)), Counter[str]())
        stats = asks.server.journal.stats

    assert dict(found) == dict(expected_counts(parse_spec(model), TRUTHS.values(), quota=8, cap=1000).outcomes)
    assert stats.whole == found.total()
    assert len(stats.faults) >= 5


@wires
@pytest.mark.parametrize(
    "kind, status, word",
    [
        pytest.param("429", 429, b"rate_limit_error", id="429"),
        pytest.param("500", 500, b"api_error", id="500"),
        pytest.param("529", 529, b"overloaded_error", id="529"),
    ],
)
async def test_a_planted_status_comes_with_the_providers_own_words(
    wire: str, kind: str, status: int, word: bytes
) -> None:
    async with client(faults=Faults({kind: 1.0}), retry_after_s=2.5) as asks:
        answer = await asks.ask(wire=wire)

    assert answer.status == status
    assert word in answer.data
    assert answer.headers.get("retry-after") == ("2.5" if status == 429 else None)
    limits = {
        "anthropic-messages": "anthropic-ratelimit-requests-remaining",
        "openai-chat": "x-ratelimit-remaining-requests",
    }
    assert answer.headers.get(limits[wire]) == ("0" if status == 429 else None)


@wires
async def test_a_reset_breaks_the_connection_in_the_middle(wire: str) -> None:
    async with client(faults=Faults({"reset": 1.0})) as asks:
        with pytest.raises(aiohttp.ClientError):
            await asks.ask(wire=wire)
        entry = asks.server.log[0]

    assert entry.first_byte_ns is not None
    assert entry.ended_ns is not None
    assert not entry.whole


@wires
async def test_a_malformed_chunk_is_no_json(wire: str) -> None:
    async with client(faults=Faults({"malformed": 1.0})) as asks:
        answer = await asks.ask(wire=wire)

    broken = [event for event in answer.events if event != b"[DONE]" and not is_json(event)]
    assert len(broken) == 1


@wires
async def test_a_cut_stream_ends_in_order_but_without_its_end(wire: str) -> None:
    async with client(faults=Faults({"cut": 1.0})) as asks:
        answer = await asks.ask(wire=wire)

    assert answer.status == 200
    assert answer.events
    assert not answer.ended


@wires
async def test_an_error_object_ends_the_stream(wire: str) -> None:
    async with client(faults=Faults({"error": 1.0})) as asks:
        answer = await asks.ask(wire=wire)

    assert "error" in orjson.loads(answer.events[-1])
    assert not answer.ended


@wires
@pytest.mark.parametrize(
    "kind, error",
    [
        pytest.param("malformed", ErrorKind.MALFORMED, id="malformed"),
        pytest.param("cut", ErrorKind.CUT, id="cut"),
        pytest.param("error", ErrorKind.SERVER, id="error"),
    ],
)
async def test_our_wires_tell_the_faults_of_a_stream_apart(wire: str, kind: str, error: ErrorKind) -> None:
    async with client(faults=Faults({kind: 1.0})) as asks:
        answer = await asks.ask(wire=wire)

    with pytest.raises(SutError) as caught:
        decoded(wire, answer.data)

    assert caught.value.kind is error
    assert caught.value.retryable


@wires
async def test_our_wires_read_what_the_server_planned(wire: str) -> None:
    async with client() as asks:
        answer = await asks.ask("Change beta.", "chatty", wire, stream_options={"include_usage": True})
        entry = asks.server.log[0]

    events = decoded(wire, answer.data)

    planned = plan(parse_spec("chatty"), TRUTHS["Change beta."])
    usage = [event for event in events if isinstance(event, Usage)][-1]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == planned.text
    assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == planned.reasoning
    assert entry.usage is not None
    assert (usage.output_tokens, usage.input_tokens) == (entry.usage.output, entry.usage.input)


@wires
async def test_a_stalled_stream_goes_silent_until_it_is_reset(wire: str) -> None:
    async with client(faults=Faults({"stall": 1.0}), stall_s=0.15) as asks:
        begun = monotonic()
        with pytest.raises(aiohttp.ClientError):
            await asks.ask(wire=wire)

    assert monotonic() - begun >= 0.15


async def test_a_stalled_stream_ends_when_the_client_goes() -> None:
    async with client(faults=Faults({"stall": 1.0})) as asks:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asks.ask(), 0.1)
        await asyncio.sleep(0.05)
        stats = asks.server.journal.stats

    assert (stats.open, stats.whole) == (0, 0)


@pytest.mark.parametrize("kind", ["reset", "cut", "malformed", "error"])
async def test_without_a_stream_a_fault_in_the_middle_is_a_reset(kind: str) -> None:
    async with client(faults=Faults({kind: 1.0})) as asks:
        with pytest.raises(aiohttp.ClientError):
            await asks.ask(stream=False)


async def test_each_kind_comes_first_once_for_each_case() -> None:
    async with client(faults=parse_faults("500,429,cut", first=True)) as asks:
        for text in TRUTHS:
            for _ in range(4):
                await asks.ask(text)
        faults = [entry.fault for entry in asks.server.log]
        numbers = [entry.number for entry in asks.server.log]

    assert faults == ["500", "429", "cut", ""] * 3
    assert numbers == [0, 0, 1, 1] * 3


@wires
async def test_the_rate_limit_refuses_and_tells_when_to_come_again(wire: str) -> None:
    async with client(rps=20, burst=3) as asks:
        answers = [await asks.ask(wire=wire, model="any?time=virtual") for _ in range(4)]
        wait_s = float(answers[-1].headers["retry-after"])
        await asyncio.sleep(wait_s + 0.02)
        again = await asks.ask(wire=wire, model="any?time=virtual")

    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert 0 < wait_s <= 0.05
    assert again.status == 200
    name = (
        "anthropic-ratelimit-requests-remaining" if wire == "anthropic-messages" else "x-ratelimit-remaining-requests"
    )
    assert [answer.headers[name] for answer in answers] == ["2", "1", "0", "0"]


async def test_the_rate_limit_can_be_silent() -> None:
    async with client(rps=1, burst=1, rate_headers=False) as asks:
        answers = [await asks.ask(), await asks.ask()]

    told = [name for answer in answers for name in answer.headers if "ratelimit" in name]
    assert [answer.status for answer in answers] == [200, 429]
    assert told == []


async def test_a_rate_is_kept_over_time() -> None:
    async with client(rps=100, burst=5) as asks:
        begun = monotonic()
        statuses: Counter[int] = Counter()
        while statuses[200] < 25:
            statuses[(await asks.ask(model="any?time=virtual")).status] += 1
        wall = monotonic() - begun

    assert wall >= (25 - 5) / 100 - 0.01


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
    assert 50e6 <= entry["first_byte_ns"] - entry["arrived_ns"] < 250e6
    assert 70e6 <= entry["ended_ns"] - entry["arrived_ns"] < 500e6
    assert entry["usage"]["output"] > 0


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
        answer = await asks.ask(wire=wire, **{"model": "any", **more})  # type: ignore[arg-type]

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


def decoded(wire: str, data: bytes) -> list[Event]:
    decoder = WIRES[wire].decoder()
    events = list(decoder.feed(Received(0, data)))
    decoder.finish()
    return events


def is_json(data: bytes) -> bool:
    try:
        orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return True
