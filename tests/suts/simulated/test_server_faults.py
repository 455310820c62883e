"""The simulated server's faults: planted counts stay exact under them, and each is told apart."""

import asyncio
from collections import Counter
from dataclasses import replace
from time import monotonic

import aiohttp
import orjson
import pytest

from suts.simulated.faults import KINDS, Faults, parse_faults
from suts.simulated.models import expected_counts, plan
from suts.simulated.spec import parse_spec
from suts.sut import ErrorKind, ReasoningDelta, SutError, TextDelta, Usage
from tests.suts.simulated.asked_server import PATHS, PLACES, TRUTHS, Answer, Client, client, decoded, is_json, wires


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
    "kind, status, words",
    [
        pytest.param("429", 429, ("requests", "rate_limit_exceeded", "rate_limit_error"), id="429"),
        pytest.param("500", 500, ("server_error", None, "api_error"), id="500"),
        pytest.param("529", 529, ("server_error", "overloaded", "overloaded_error"), id="529"),
    ],
)
async def test_a_planted_status_comes_with_the_providers_own_words(
    wire: str, kind: str, status: int, words: tuple[str, str | None, str]
) -> None:
    async with client(faults=Faults({kind: 1.0}), retry_after_s=2.5) as asks:
        answer = await asks.ask(wire=wire)
    error = orjson.loads(answer.data)["error"]

    assert answer.status == status
    if wire == "anthropic-messages":
        assert error["type"] == words[2]
    else:
        assert (error["type"], error["code"]) == words[:2]
    assert answer.headers.get("retry-after") == ("2.5" if status == 429 else None)
    limits = {
        "anthropic-messages": "anthropic-ratelimit-requests-remaining",
        "openai-chat": "x-ratelimit-remaining-requests",
        "openai-responses": "x-ratelimit-remaining-requests",
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

    error = orjson.loads(answer.events[-1])
    assert "error" in (error["type"] if wire == "openai-responses" else error)
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
async def test_an_odd_field_is_a_malformed_stream_that_is_asked_again(wire: str) -> None:
    async with client(faults=parse_faults("odd", first=True)) as asks:
        odd, whole = await asks.ask(wire=wire), await asks.ask(wire=wire)
        numbers = [entry.number for entry in asks.server.log]

    with pytest.raises(SutError) as caught:
        decoded(wire, odd.data)
    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.MALFORMED, True)
    assert numbers == [1, 1]
    assert whole.ended


@wires
async def test_a_forbidden_input_is_refused_with_403(wire: str) -> None:
    async with client(faults=parse_faults("forbidden", first=True)) as asks:
        refused, whole = await asks.ask(wire=wire), await asks.ask(wire=wire)

    assert (refused.status, whole.status) == (403, 200)
    assert b"permission_error" in refused.data


@wires
async def test_an_open_connection_sends_comments_after_a_whole_answer(wire: str) -> None:
    async with client(faults=parse_faults("open", first=True)) as asks:
        messages = [{"role": "user", "content": "Change alpha."}]
        body = {"model": "sim/any", "stream": True, "max_tokens": 8192, PLACES[wire]: messages}
        async with asks.session.post(asks.server.url + PATHS[wire], json=body) as response:
            data = b""
            while data.count(b": still here") < 2:
                data += await response.content.readany()
        following = await asks.ask(wire=wire)
        log = asks.server.log

    answer, _, comments = data.partition(b": still here\n\n")
    assert Answer(200, {}, answer).ended
    assert not comments.replace(b": still here\n\n", b"")
    assert following.ended
    assert [(entry.number, entry.whole) for entry in log] == [(1, True), (2, True)]
