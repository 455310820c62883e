"""The simulated server, asked by the vendors' own clients: models, counts, several choices, tool calls, errors."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from suts.simulated.models import plan
from suts.simulated.spec import PRESETS, parse_spec
from tests.suts.simulated.asked_server import TRUTHS, client

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from openai import AsyncOpenAI

MODEL = "any?applied=0.5&valid=0.7"
QUESTION: Any = [{"role": "user", "content": "Change beta."}]
KEY = "the-only-key"
SCHEMA = {
    "type": "object",
    "properties": {
        "count": {"type": "integer"},
        "kind": {"enum": ["whole", "part"]},
        "diff": {"type": "string"},
        "note": {"type": "string"},
    },
    "required": ["count", "kind", "diff"],
}
TOOLS: Any = [
    {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}},
    {"type": "function", "function": {"name": "edit", "parameters": SCHEMA}},
]
BLOCKS: Any = [{"name": "look", "input_schema": {"type": "object"}}, {"name": "edit", "input_schema": SCHEMA}]


def planned(number: int, model: str = MODEL) -> str:
    """The text of an attempt."""
    return plan(parse_spec(model), replace(TRUTHS["Change beta."], number=number)).text


@asynccontextmanager
async def openai_client(key: str = "") -> AsyncIterator["AsyncOpenAI"]:
    openai = pytest.importorskip("openai")
    async with (
        client(key=key) as asks,
        openai.AsyncOpenAI(api_key=KEY, base_url=f"{asks.server.url}/v1", max_retries=0) as vendors,
    ):
        yield vendors


@asynccontextmanager
async def anthropic_client(key: str = "") -> AsyncIterator["AsyncAnthropic"]:
    anthropic = pytest.importorskip("anthropic")
    async with (
        client(key=key) as asks,
        anthropic.AsyncAnthropic(api_key=KEY, base_url=asks.server.url, max_retries=0) as vendors,
    ):
        yield vendors


async def test_openais_client_lists_and_finds_models() -> None:
    async with openai_client() as vendors:
        models = [model.id async for model in vendors.models.list()]
        model = await vendors.models.retrieve("sim/careful")

    assert models == sorted(PRESETS)
    assert (model.id, model.owned_by) == ("sim/careful", "simulated")


async def test_anthropics_client_lists_and_finds_models() -> None:
    async with anthropic_client() as vendors:
        models = [model.id async for model in vendors.models.list()]
        model = await vendors.models.retrieve("careful")

    assert models == sorted(PRESETS)
    assert (model.id, model.created_at.year) == ("careful", 2026)


async def test_a_count_of_tokens_is_that_of_the_answers_usage() -> None:
    async with anthropic_client() as vendors:
        counted = await vendors.messages.count_tokens(model="any", messages=QUESTION, system="Edit.")
        message = await vendors.messages.create(model="any", messages=QUESTION, system="Edit.", max_tokens=100)

    assert counted.input_tokens == message.usage.input_tokens > 0


async def test_choices_are_attempts_of_their_own_and_the_prompt_is_counted_once() -> None:
    async with openai_client() as vendors:
        whole = await vendors.chat.completions.create(model=MODEL, messages=QUESTION, n=3)
        one = await vendors.chat.completions.create(model=MODEL, messages=QUESTION)

    assert [choice.index for choice in whole.choices] == [0, 1, 2]
    assert [choice.message.content for choice in whole.choices] == [planned(number) for number in (1, 2, 3)]
    assert one.choices[0].message.content == planned(4)
    assert whole.usage is not None
    assert one.usage is not None
    assert whole.usage.prompt_tokens == one.usage.prompt_tokens
    assert whole.usage.completion_tokens > one.usage.completion_tokens


async def test_streamed_choices_come_between_each_other_and_end_once() -> None:
    texts, ids, order, usages = ["", "", ""], set(), [], []
    async with openai_client() as vendors:
        stream = await vendors.chat.completions.create(
            model=MODEL, messages=QUESTION, n=3, stream=True, stream_options={"include_usage": True}
        )
        async for chunk in stream:
            ids.add(chunk.id)
            usages += [chunk.usage] if chunk.usage else []
            for choice in chunk.choices:
                texts[choice.index] += choice.delta.content or ""
                order.append(choice.index)

    assert texts == [planned(number) for number in (1, 2, 3)]
    assert len(ids) == len(usages) == 1
    assert order != sorted(order)


@pytest.mark.parametrize(
    "choice,name",
    [("required", "look"), ({"type": "function", "function": {"name": "edit"}}, "edit")],
    ids=["required", "named"],
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_openais_client_gets_the_tool_call_that_it_demands(choice: object, name: str, streamed: bool) -> None:
    model = "any?pieces=7"
    async with openai_client() as vendors:
        asked: Any = {"model": model, "messages": QUESTION, "tools": TOOLS, "tool_choice": choice}
        completion: Any = await vendors.chat.completions.create(**asked, stream=streamed)
        if streamed:
            from openai.lib.streaming.chat import ChatCompletionStreamState

            state: Any = ChatCompletionStreamState()
            async for chunk in completion:
                state.handle_chunk(chunk)
            completion = state.get_final_completion()

    (found,) = completion.choices
    (call,) = found.message.tool_calls
    assert (found.finish_reason, found.message.content, call.function.name) == ("tool_calls", None, name)
    expected = {"count": 0, "kind": "whole", "diff": planned(1, model)} if name == "edit" else {}
    assert json.loads(call.function.arguments) == expected


@pytest.mark.parametrize(
    "choice,name", [({"type": "any"}, "look"), ({"type": "tool", "name": "edit"}, "edit")], ids=["any", "named"]
)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_anthropics_client_gets_the_tool_call_that_it_demands(choice: object, name: str, streamed: bool) -> None:
    model = "any?pieces=7"
    async with anthropic_client() as vendors:
        asked: Any = {"model": model, "messages": QUESTION, "tools": BLOCKS, "tool_choice": choice, "max_tokens": 9000}
        if streamed:
            async with vendors.messages.stream(**asked) as stream:
                message: Any = await stream.get_final_message()
        else:
            message = await vendors.messages.create(**asked)

    (block,) = message.content
    assert (message.stop_reason, block.type, block.name) == ("tool_use", "tool_use", name)
    assert block.input == ({"count": 0, "kind": "whole", "diff": planned(1, model)} if name == "edit" else {})


async def test_tools_that_need_not_be_used_change_nothing() -> None:
    async with openai_client() as vendors:
        answer = await vendors.chat.completions.create(
            model=MODEL, messages=QUESTION, tools=TOOLS, tool_choice="auto", max_tokens=9000
        )

    assert answer.choices[0].message.content == planned(1)


@pytest.mark.parametrize(
    "more,kind,code",
    [
        pytest.param({"model": "gpt-9"}, "NotFoundError", "model_not_found", id="model"),
        pytest.param({"n": 0}, "BadRequestError", None, id="no choices"),
        pytest.param({"n": 129}, "BadRequestError", None, id="too many choices"),
        pytest.param({"tool_choice": "required"}, "BadRequestError", None, id="no tools"),
        pytest.param({"tool_choice": "always", "tools": TOOLS}, "BadRequestError", None, id="choice"),
        pytest.param(
            {"tool_choice": {"type": "function", "function": {"name": "x"}}, "tools": TOOLS},
            "BadRequestError",
            None,
            id="no such tool",
        ),
        pytest.param(
            {"extra_headers": {"Authorization": "Bearer x"}}, "AuthenticationError", "invalid_api_key", id="key"
        ),
    ],
)
async def test_openais_client_reads_the_servers_errors(more: dict[str, object], kind: str, code: str | None) -> None:
    openai = pytest.importorskip("openai")
    asked: Any = {"model": "any", "messages": QUESTION, **more}
    async with openai_client(key=KEY) as vendors:
        with pytest.raises(getattr(openai, kind)) as caught:
            await vendors.chat.completions.create(**asked)

    assert (caught.value.type, caught.value.code) == ("invalid_request_error", code)


@pytest.mark.parametrize(
    "more,kind,word",
    [
        pytest.param({"model": "gpt-9"}, "NotFoundError", "not_found_error", id="model"),
        pytest.param({"extra_body": {"max_tokens": None}}, "BadRequestError", "invalid_request_error", id="max_tokens"),
        pytest.param({"tool_choice": {"type": "any"}}, "BadRequestError", "invalid_request_error", id="no tools"),
        pytest.param({"tool_choice": "any", "tools": BLOCKS}, "BadRequestError", "invalid_request_error", id="choice"),
        pytest.param({"extra_headers": {"x-api-key": "x"}}, "AuthenticationError", "authentication_error", id="key"),
    ],
)
async def test_anthropics_client_reads_the_servers_errors(more: dict[str, object], kind: str, word: str) -> None:
    anthropic = pytest.importorskip("anthropic")
    asked: Any = {"model": "any", "messages": QUESTION, "max_tokens": 10, **more}
    async with anthropic_client(key=KEY) as vendors:
        with pytest.raises(getattr(anthropic, kind)) as caught:
            await vendors.messages.create(**asked)

    body = caught.value.body
    assert (body["type"], body["error"]["type"]) == ("error", word)


async def test_a_missing_limit_is_named_in_anthropics_form() -> None:
    async with client() as asks:
        answer = await asks.ask(wire="anthropic-messages", max_tokens=None)

    assert answer.status == 400
    assert json.loads(answer.data)["error"] == {
        "type": "invalid_request_error",
        "message": "max_tokens: Field required",
    }


async def test_the_key_is_needed_for_lists_and_counts_too() -> None:
    async with client(key=KEY) as asks:
        for method, path in (("GET", "/v1/models"), ("GET", "/v1/models/any"), ("POST", "/v1/messages/count_tokens")):
            async with asks.session.request(method, asks.server.url + path, json={}) as response:
                assert response.status == 401


async def test_the_numbers_of_choices_that_do_not_arrive_are_free_again() -> None:
    async with client() as asks:
        asked: dict[str, object] = {"model": "any?ttft_ms=1&gap_ms=5000&pieces=9", "n": 2}
        body = {**asked, "messages": QUESTION, "stream": True}
        async with asks.session.post(f"{asks.server.url}/v1/chat/completions", json=body) as response:
            await response.content.readany()
            response.close()
        while asks.server.log[0].ended_ns is None:
            async with asks.session.get(f"{asks.server.url}/health"):
                pass
        again = await asks.ask("Change beta.", model="any?ttft_ms=1&gap_ms=0&pieces=9", n=2, stream=False)
        numbers = [entry.number for entry in asks.server.log]

    assert again.status == 200
    assert numbers == [1, 1]
