"""Responses of the simulated server, read by OpenAI's own client: text, reasoning, calls, ends and errors."""

from typing import Any

import pytest

from suts.simulated.calls import EDIT_TOOL
from suts.simulated.config import ServerConfig
from suts.simulated.faults import Faults
from suts.simulated.models import plan
from suts.simulated.patch_texts import patch_text
from suts.simulated.spec import parse_spec
from tests.suts.simulated.asked_server import BOOK as KNOWN
from tests.suts.simulated.asked_server import FAST, TRUTHS, client

QUESTION = "Change beta."
MODEL = "any?reasoning=40"
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}, "diff": {"type": "string"}}}
EDIT: Any = {"type": "function", "name": EDIT_TOOL, "parameters": SCHEMA, "strict": False}
QUICK = ServerConfig(book=KNOWN, parameters=FAST)


async def response(*, streamed: bool, config: ServerConfig = QUICK, **asked: object) -> Any:  # noqa: ANN401 - an SDK's
    """The final response, whole or put together by the client's own accumulator."""
    openai = pytest.importorskip("openai")
    async with (
        client(config) as asks,
        openai.AsyncOpenAI(api_key="k", base_url=f"{asks.server.url}/v1", max_retries=0) as vendors,
    ):
        words: Any = {"model": MODEL, "input": QUESTION, "store": False, **asked}
        if not streamed:
            return await vendors.responses.create(**words)
        async with vendors.responses.stream(**words) as stream:
            return await stream.get_final_response()


both = pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])


@both
async def test_text_reasoning_and_usage_are_those_planned(streamed: bool) -> None:
    found = await response(streamed=streamed)

    planned = plan(parse_spec(MODEL), TRUTHS[QUESTION])
    assert (found.status, found.output_text) == ("completed", planned.text)
    reasoning = next(item for item in found.output if item.type == "reasoning")
    assert reasoning.summary[0].text == planned.reasoning
    assert found.usage.output_tokens_details.reasoning_tokens > 0
    assert found.usage.total_tokens == found.usage.input_tokens + found.usage.output_tokens


@both
async def test_an_edit_is_a_native_call_where_its_tool_is_declared(streamed: bool) -> None:
    found = await response(streamed=streamed, tools=[EDIT])

    planned = plan(parse_spec(MODEL), TRUTHS[QUESTION], native=True)
    (call,) = (item for item in found.output if item.type == "function_call")
    assert (call.name, call.arguments, call.status) == (EDIT_TOOL, planned.calls[0].arguments, "completed")
    assert found.output_text == planned.text


async def test_a_demanded_call_is_given() -> None:
    look = EDIT | {"name": "look"}

    found = await response(streamed=False, tools=[look], tool_choice={"type": "function", "name": "look"})

    assert [item.name for item in found.output if item.type == "function_call"] == ["look"]


async def test_a_limit_of_tokens_makes_a_response_incomplete() -> None:
    found = await response(streamed=False, max_output_tokens=3)

    assert (found.status, found.incomplete_details.reason) == ("incomplete", "max_output_tokens")


async def test_an_error_in_the_stream_is_one_for_the_client() -> None:
    config = ServerConfig(book=KNOWN, parameters=FAST, faults=Faults({"error": 1.0}))

    with pytest.raises(RuntimeError):
        await response(streamed=True, config=config)


@both
async def test_a_tool_of_free_text_gets_its_text_in_an_item_of_its_own(streamed: bool) -> None:
    shell = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = [{"type": "function", "name": "shell", "parameters": shell}, {"type": "custom", "name": "apply_patch"}]
    said: Any = {"type": "function_call_output", "call_id": "1", "output": "old\nend\n"}
    asked: Any = [{"role": "user", "content": QUESTION}, said]

    found = await response(streamed=streamed, model="any?applied=1", tools=tools, input=asked)

    (call,) = (item for item in found.output if item.type == "custom_tool_call")
    assert (call.name, call.input) == ("apply_patch", patch_text("beta.py", "old\nend\n", "new\nend\n"))
