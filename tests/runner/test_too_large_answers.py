"""An answer without end is ended at a limit, as a failure of the infrastructure that is not asked for again."""

import asyncio
from dataclasses import replace
from time import monotonic_ns

import pytest

from runner.storage.store import Store
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, SutError
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import QUESTION, Script, Scripted, chunk, whole
from tests.runner.virtual_time import now_ns

LIMIT = 1 << 16


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


async def refused(contexts: Contexts, script: Script, limit: int = LIMIT) -> tuple[SutError, Scripted]:
    sut = Scripted([script], now_ns)
    context = replace(contexts.new(), largest_answer=limit)
    async with context.ledger:
        with pytest.raises(SutError) as error:
            await asked(context, sut)(QUESTION)
    return error.value, sut


async def test_an_answer_above_the_limit_is_too_large_and_not_tried_again(contexts: Contexts) -> None:
    error, sut = await refused(contexts, [chunk("a" * 1000)] * 100)

    (row,) = contexts.answers()
    assert (error.kind, error.retryable, len(sut.asked)) == (ErrorKind.TOO_LARGE, False, 1)
    assert (row["outcome"], row["error_kind"], row["retries"], row["text_id"]) == ("sut_error", "too_large", 0, None)
    assert row["discarded_usd"] == row["reserved_usd"]
    assert sut.open_streams == 0


async def test_pieces_count_for_more_than_their_bytes(contexts: Contexts) -> None:
    error, _ = await refused(contexts, [b"\n"] * LIMIT)

    assert error.kind is ErrorKind.TOO_LARGE


async def test_an_answer_below_the_limit_is_kept(contexts: Contexts) -> None:
    sut = Scripted([whole("a" * 1000)], now_ns)
    context = replace(contexts.new(), largest_answer=LIMIT)

    async with context.ledger:
        completion = await asked(context, sut)(QUESTION)

    assert completion.text == "a" * 1000


async def test_a_server_that_sends_without_end_is_left(contexts: Contexts) -> None:
    gone = asyncio.Event()

    async def send(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(chunk("a" * 1000))
                await writer.drain()
        except ConnectionError:
            gone.set()
        finally:
            writer.close()

    server = await asyncio.start_server(send, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    sut = resolve("vllm/any", Settings(base_url=f"http://{host}:{port}/v1"))
    context = replace(contexts.new(), largest_answer=LIMIT, now_ns=monotonic_ns)
    async with server, context.ledger:
        with pytest.raises(SutError) as error:
            await asked(context, sut)(QUESTION)
        await asyncio.wait_for(gone.wait(), 60)
        await sut.aclose()

    assert error.value.kind is ErrorKind.TOO_LARGE
