"""Where an answer ends: at its end marker, whatever its connection does then; without one, only at a declared end."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from runner.records import Completion
from runner.run.call_context import Retries
from runner.run.pace import Deadlines
from runner.storage.store import Store
from runner.storage.streams import read_again
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, SutError
from suts.wires import WIRES
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import QUESTION, chunk
from tests.suts.conftest import Loopback, Step, serving, streaming

FINISH = b'data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
DONE = b"data: [DONE]\n\n"
ANSWER = chunk("yes") + FINISH
MESSAGE = (
    b'data: {"type":"message_start","message":{"model":"m"}}\n\n'
    b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yes"}}\n\n'
    b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n'
)
STOP = b'data: {"type":"message_stop"}\n\n'
KEYS = {"OPENAI_API_KEY": "sk-planted-0123456789", "ANTHROPIC_API_KEY": "sk-planted-0123456789"}
BODIES = {
    "openai": (ANSWER, DONE),
    "openai-sdk": (ANSWER, DONE),
    "anthropic": (MESSAGE, STOP),
    "anthropic-sdk": (MESSAGE, STOP),
}
Respond = Callable[[bytes], list[Step]]
every_route = pytest.mark.parametrize("provider", BODIES)
NOTE = "ended without its end marker"


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store, retries=Retries(tries=1), deadlines=Deadlines())


async def answers(contexts: Contexts, provider: str, count: int, *scripts: Sequence[Step]) -> list[Completion]:
    """The answers to so many questions, one after another, of a server that follows the scripts."""
    return (await answers_of(contexts, provider, count, *scripts))[0]


async def answers_of(
    contexts: Contexts, provider: str, count: int, *scripts: Sequence[Step]
) -> tuple[list[Completion], Loopback]:
    context = contexts.new()
    async with serving(*scripts) as server, context.ledger:
        sut = resolve(f"{provider}/m", Settings(base_url=server.url, environment=KEYS))
        ask = asked(context, sut)
        try:
            return [await ask(QUESTION, number=number) for number in range(1, count + 1)], server
        finally:
            await sut.aclose()


def until_closed(body: bytes, version: str = "1.1") -> list[Step]:
    """A response that declares no length: it ends with its connection."""
    head = f"HTTP/{version} 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
    return [head.encode() + body, "close"]


def sized(body: bytes) -> list[Step]:
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    return [head.encode() + body]


@every_route
def test_an_answer_ends_at_its_marker_though_its_connection_stays_open(contexts: Contexts, provider: str) -> None:
    body, marker = BODIES[provider]
    alive: list[Step] = [b"%x\r\n%s\r\n" % (6, b": on\n\n"), 0.02]
    script = [*streaming(body, marker)[:-1], *alive * 6000]

    async def run() -> list[Completion]:
        async with asyncio.timeout(100):
            return await answers(contexts, provider, 3, script)

    for completion in asyncio.run(run()):
        assert (completion.text, completion.note) == ("yes", None)
        assert completion.clocks.round_trip_ms is not None
        assert b"".join(piece.data for piece in completion.stream).count(b": on") < 10


@pytest.mark.parametrize("apart", [0.0, 0.01], ids=["at once", "a moment later"])
@every_route
def test_a_server_that_ends_its_bodies_is_asked_over_one_connection(
    contexts: Contexts, provider: str, apart: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may not come to read the end any sooner.
    monkeypatch.setattr("runner.run.reading._END_OF_BODY_S", 5.0)
    body, marker = BODIES[provider]
    *opening, last = streaming(body, marker)

    completions, server = asyncio.run(answers_of(contexts, provider, 5, [*opening, apart, last]))

    assert [completion.text for completion in completions] == ["yes"] * 5
    assert (len(server.asked), server.connections) == (5, 1)


@pytest.mark.parametrize("framing", [streaming, sized])
@every_route
def test_a_declared_end_after_a_finish_reason_is_an_answer_with_a_note(
    contexts: Contexts, provider: str, framing: Respond
) -> None:
    (completion,) = asyncio.run(answers(contexts, provider, 1, framing(BODIES[provider][0])))

    (row,) = contexts.answers()
    wire = WIRES["openai-chat" if provider.startswith("openai") else "anthropic-messages"]
    assert (completion.text, completion.note, row["note"]) == ("yes", NOTE, NOTE)
    assert read_again(completion.stream, wire.decoder(), None).note == NOTE


def aborted(body: bytes) -> list[Step]:
    """A chunked response without its last chunk."""
    return [*streaming(body)[:-1], "close"]


def over_http_1_0(body: bytes) -> list[Step]:
    return until_closed(body, "1.0")


undeclared = pytest.mark.parametrize("respond", [until_closed, over_http_1_0, aborted])


@undeclared
@every_route
def test_a_body_whose_end_is_not_declared_is_cut(contexts: Contexts, provider: str, respond: Respond) -> None:
    with pytest.raises(SutError) as cut:
        asyncio.run(answers(contexts, provider, 1, respond(BODIES[provider][0])))

    assert (cut.value.kind, cut.value.retryable) == (ErrorKind.CUT, True)


@pytest.mark.parametrize("closing", [b"", b"\n", b"\n\n"], ids=["no line end", "no blank line", "blank line"])
@undeclared
@every_route
def test_with_its_end_marker_it_is_an_answer(
    contexts: Contexts, provider: str, respond: Respond, closing: bytes
) -> None:
    body = b"".join(BODIES[provider]).rstrip(b"\n") + closing

    (completion,) = asyncio.run(answers(contexts, provider, 1, respond(body)))

    wire = WIRES["openai-chat" if provider.startswith("openai") else "anthropic-messages"]
    again = read_again(completion.stream, wire.decoder(), None)
    assert (completion.text, completion.finish_reason is None, completion.note) == ("yes", False, None)
    assert (again.text, again.finish_reason, again.note) == ("yes", completion.finish_reason, None)
