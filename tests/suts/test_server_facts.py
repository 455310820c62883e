"""What servers report of themselves, and that one which reports nothing, or nonsense, is no failure."""

import asyncio
import json
from collections.abc import Mapping

import pytest

from suts.registry import resolve
from suts.server_facts import UNKNOWN, ServerFacts, facts_of, server_of, token_count
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.llamacpp import MARKS, LlamaCpp
from suts.simulated.server import serving
from suts.sut import Reachable, Sut
from tests.suts.conftest import Serve, Step, plain

NOT_FOUND = plain(b'{"error":{"message":"File Not Found"}}', status="404 Not Found")


def system(model: str, url: str) -> Sut:
    base = url if model.startswith("anthropic") else f"{url}/v1"
    return resolve(model, Settings(base_url=base, environment={"ANTHROPIC_API_KEY": "k", "OPENAI_API_KEY": "k"}))


def models(*cards: Mapping[str, object]) -> list[Step]:
    return plain(json.dumps({"object": "list", "data": cards}).encode())


async def facts(model: str, url: str) -> ServerFacts:
    sut = system(model, url)
    try:
        return await facts_of(sut)
    finally:
        await sut.aclose()


@pytest.mark.parametrize("model", ["llamacpp/any", "openai/any", "anthropic/any", "llamacpp/any@temperature=1"])
async def test_llama_cpp_reports_its_window_its_slots_and_its_model_over_either_wire(model: str) -> None:
    async with serving(ServerConfig(llamacpp=LlamaCpp(2048, slots=3))) as server:
        reported = await facts(model, server.url)

    assert reported == ServerFacts("llamacpp", "simulated.gguf", 2048, slots=3, tokenizer="llamacpp")


async def test_llama_cpp_that_hides_its_properties_is_read_from_its_models_and_slots(serve: Serve) -> None:
    card = {"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 4096, "n_ctx_train": 8192}}
    async with serve(models(card), NOT_FOUND, plain(b"[{}, {}]")) as server:
        reported = await facts("llamacpp/x", server.url)

    assert (reported.model, reported.window, reported.slots) == ("m", 4096, 2)
    assert [asked.path for asked in server.asked] == ["/v1/models", "/props", "/slots"]


async def test_vllm_reports_a_window_for_question_and_answer(serve: Serve) -> None:
    cards = [{"id": "a", "max_model_len": 1}, {"id": "b", "owned_by": "vllm", "root": "org/b", "max_model_len": 4096}]
    async with serve(models(*cards)) as server:
        reported = await facts("openai/b", server.url)

    assert reported == ServerFacts("vllm", "org/b", 4096, counts_answer=True, tokenizer="vllm")


async def test_ollama_reports_the_window_of_the_model_that_is_loaded(serve: Serve) -> None:
    loaded = {"models": [{"name": "other:1b", "context_length": 1}, {"name": "qwen:7b", "context_length": 4096}]}
    async with serve(models({"id": "qwen:7b"}, {"id": "other:1b"}), plain(json.dumps(loaded).encode())) as server:
        reported = await facts("ollama/qwen:7b", server.url)

    assert (reported.window, reported.slots) == (4096, None)


@pytest.mark.parametrize(
    "scripts",
    [
        pytest.param([NOT_FOUND], id="not found"),
        pytest.param([plain(b"<html>")], id="no JSON"),
        pytest.param([plain(b"[1]")], id="no object"),
        pytest.param([plain(b'{"data":[1,{"id":7,"max_model_len":"many"}]}')], id="odd fields"),
        pytest.param([models({"id": "x", "max_model_len": -5})], id="a window below 1"),
        pytest.param([["reset"]], id="a reset"),
    ],
)
async def test_what_cannot_be_read_is_unknown(serve: Serve, scripts: list[list[Step]]) -> None:
    async with serve(*scripts) as server:
        reported = await facts("openai/x", server.url)

    assert (reported.window, reported.slots, reported.tokenizer) == (None, None, "")


async def test_a_name_is_one_short_line_and_holds_no_key(serve: Serve) -> None:
    card = {"id": "x", "owned_by": "vllm", "root": f"a\nb sk-planted-0123456789 {'c' * 5000}"}
    async with serve(models(card)) as server:
        sut = resolve(
            "openai/x", Settings(base_url=f"{server.url}/v1", environment={"OPENAI_API_KEY": "sk-planted-0123456789"})
        )
        reported = await facts_of(sut)
        await sut.aclose()

    assert reported.model.startswith("a b [redacted] ccc")
    assert len(reported.model) <= 200


async def test_a_server_that_does_not_answer_is_not_waited_for(serve: Serve) -> None:
    async with serve([30.0]) as server:
        sut = system("openai/x", server.url)
        reported = await facts_of(sut, timeout_s=1.0)
        await sut.aclose()

    assert (reported, len(server.asked)) == (UNKNOWN, 1)


@pytest.mark.parametrize("model", ["sim/careful", "openai/x"])
def test_models_of_this_process_and_of_vendors_have_no_server_to_ask(model: str) -> None:
    assert server_of(resolve(model, Settings(environment={"OPENAI_API_KEY": "k"}))) is None


async def test_tokens_are_counted_by_the_server() -> None:
    async with serving(ServerConfig(llamacpp=LlamaCpp(2048))) as server:
        sut = system("llamacpp/any", server.url)
        asked, reported = server_of(sut), await facts_of(sut)
        assert asked is not None
        counts = [await token_count(asked, reported, text) for text in ("x" * 40, MARKS[0])]
        await sut.aclose()

    assert counts == [10, 1]


async def test_vllm_counts_prompts_and_may_refuse_to(serve: Serve) -> None:
    reported = ServerFacts(tokenizer="vllm")
    async with serve(plain(b'{"count":3,"tokens":[1,2,3]}'), NOT_FOUND) as server:
        sut = system("vllm/m", server.url)
        asked = server_of(sut)
        assert asked is not None
        counts = [await token_count(asked, reported, "text") for _ in range(2)]
        await sut.aclose()

    assert counts == [3, None]
    assert json.loads(server.asked[0].body) == {"model": "m", "prompt": "text", "add_special_tokens": False}


async def test_a_busy_server_is_asked_again_after_the_wait_that_it_asks_for(serve: Serve) -> None:
    busy = plain(b"{}", status="429 Too Many Requests", headers="Retry-After: 0.3\r\n")
    failed = plain(b"{}", status="500 Internal Server Error")
    async with serve(busy, failed, models({"id": "x", "max_model_len": 4096})) as server:
        began_s = asyncio.get_running_loop().time()
        reported = await facts("openai/x", server.url)
        passed_s = asyncio.get_running_loop().time() - began_s

    assert (reported.window, len(server.asked)) == (4096, 3)
    assert passed_s >= 1.3


async def test_a_server_that_stays_busy_is_asked_three_times(serve: Serve) -> None:
    async with serve(plain(b"{}", status="503 Service Unavailable")) as server:
        reported = await facts("openai/x", server.url)

    assert (reported.window, len(server.asked)) == (None, 3)


async def test_what_was_read_when_the_server_was_tried_is_not_asked_for_again(serve: Serve) -> None:
    async with serve(models({"id": "x", "max_model_len": 4096})) as server:
        sut = system("openai/x", server.url)
        assert isinstance(sut, Reachable)
        await sut.reach()
        reported = await facts_of(sut)
        await sut.aclose()

    assert (reported.window, len(server.asked)) == (4096, 1)


async def test_a_server_that_was_busy_when_it_was_tried_gets_the_wait_that_it_asks_for(serve: Serve) -> None:
    busy = plain(b"{}", status="529 Overloaded", headers="Retry-After: 0.4\r\n")
    async with serve(busy, models({"id": "x", "max_model_len": 4096})) as server:
        sut = system("openai/x", server.url)
        assert isinstance(sut, Reachable)
        await sut.reach()
        began_s = asyncio.get_running_loop().time()
        reported = await facts_of(sut)
        passed_s = asyncio.get_running_loop().time() - began_s
        await sut.aclose()

    assert (reported.window, len(server.asked)) == (4096, 2)
    assert passed_s >= 0.4


async def test_a_list_of_models_that_comes_in_pieces_is_read_whole_when_the_server_is_tried(serve: Serve) -> None:
    (listed,) = models({"id": "x", "max_model_len": 4096})
    assert isinstance(listed, bytes)
    async with serve([listed[:-20], 0.05, listed[-20:]]) as server:
        sut = system("openai/x", server.url)
        assert isinstance(sut, Reachable)
        await sut.reach()
        reported = await facts_of(sut)
        await sut.aclose()

    assert (reported.window, len(server.asked)) == (4096, 1)


async def test_a_list_of_models_that_broke_off_when_the_server_was_tried_is_asked_for_again(serve: Serve) -> None:
    (listed,) = models({"id": "x", "max_model_len": 4096})
    assert isinstance(listed, bytes)
    async with serve([listed[:-20], 0.05, "close"], [listed]) as server:
        sut = system("openai/x", server.url)
        assert isinstance(sut, Reachable)
        await sut.reach()
        reported = await facts_of(sut)
        await sut.aclose()

    assert (reported.window, len(server.asked)) == (4096, 2)
