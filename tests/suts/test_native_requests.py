"""What is sent for tools, and for the calls and results of a conversation, over each of the vendors' APIs."""

from collections.abc import Callable
from typing import Any

import pytest

from suts.anthropic_messages import messages_body
from suts.google_generate import generate_body
from suts.openai_chat import chat_body
from suts.openai_responses import responses_body
from suts.sut import ErrorKind, Message, Request, Sampling, SutError
from suts.tools import Tool, ToolResult, ToolUse

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = Tool("read_file", "Reads a file.", SCHEMA)
CALL = ToolUse("call_1", "read_file", '{"path":"a.py"}')
ASKED = Request(
    "Edit.",
    (
        Message("user", "Mend a.py."),
        Message("assistant", "I look.", calls=(CALL,)),
        Message("user", "Now is noon.", results=(ToolResult("call_1", "x = 1\n"),)),
    ),
    tools=(TOOL,),
)


def test_chat_completions_have_a_message_for_each_result() -> None:
    body: Any = chat_body("m", ASKED, provider="vllm")

    function = {"name": "read_file", "arguments": '{"path":"a.py"}'}
    assert body["messages"][2:] == [
        {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", "type": "function", "function": function}]},  # noqa: E501 - one message
        {"role": "tool", "tool_call_id": "call_1", "content": "x = 1\n"},
        {"role": "user", "content": "Now is noon."},
    ]  # fmt: skip
    declared = {"name": "read_file", "description": "Reads a file.", "parameters": SCHEMA}
    assert body["tools"] == [{"type": "function", "function": declared}]


def test_anthropics_messages_have_results_first() -> None:
    body: Any = messages_body("m", ASKED)

    _, assistant, user = body["messages"]
    assert assistant["content"] == [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "call_1", "name": "read_file", "input": {"path": "a.py"}},
    ]
    assert [block["type"] for block in user["content"]] == ["tool_result", "text"]
    assert user["content"][0] == {"type": "tool_result", "tool_use_id": "call_1", "content": "x = 1\n"}
    assert body["tools"] == [{"name": "read_file", "description": "Reads a file.", "input_schema": SCHEMA}]


def test_googles_contents_name_the_function_of_a_result() -> None:
    body: Any = generate_body(ASKED)

    signed = {"thoughtSignature": "skip_thought_signature_validator"}
    call = {"id": "call_1", "name": "read_file", "args": {"path": "a.py"}}
    result = {"id": "call_1", "name": "read_file", "response": {"output": "x = 1\n"}}
    assert body["contents"] == [
        {"role": "user", "parts": [{"text": "Mend a.py."}]},
        {"role": "model", "parts": [{"text": "I look."}, {"functionCall": call, **signed}]},
        {"role": "user", "parts": [{"functionResponse": result}, {"text": "Now is noon."}]},
    ]
    declared = {"name": "read_file", "description": "Reads a file.", "parametersJsonSchema": SCHEMA}
    assert body["tools"] == [{"functionDeclarations": [declared]}]
    assert body["systemInstruction"] == {"parts": [{"text": "Edit."}]}


def test_responses_have_items_and_keep_nothing_on_the_server() -> None:
    body: Any = responses_body("gpt-x", ASKED)

    assert body["input"] == [
        {"role": "user", "content": "Mend a.py."},
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "call_1", "name": "read_file", "arguments": '{"path":"a.py"}'},
        {"type": "function_call_output", "call_id": "call_1", "output": "x = 1\n"},
        {"role": "user", "content": "Now is noon."},
    ]
    own = {"name": "read_file", "description": "Reads a file.", "parameters": SCHEMA, "strict": False}
    assert body["tools"] == [{"type": "function", **own}]
    assert (body["instructions"], body["store"], body["max_output_tokens"]) == ("Edit.", False, 8192)
    assert not {"seed", "stop", "messages", "max_tokens"} & body.keys()


@pytest.mark.parametrize(
    "build", [lambda asked: chat_body("m", asked, provider="vllm"), lambda asked: messages_body("m", asked),
              lambda asked: responses_body("m", asked)], ids=["chat", "messages", "responses"]
)  # fmt: skip
def test_without_tools_nothing_is_declared(build: Callable[[Request], dict[str, object]]) -> None:
    assert "tools" not in build(Request("", (Message("user", "Hi."),)))


def test_responses_say_what_models_and_the_api_take() -> None:
    image = Request("", (Message("user", "Look.", ("data:image/png;base64,AA==",)),), Sampling(effort="low"))

    reasoning: Any = responses_body("gpt-5.6", image)
    plain: Any = responses_body("gpt-4o", image)

    assert ("temperature" in reasoning, plain["temperature"]) == (False, 0.0)
    assert reasoning["reasoning"] == {"effort": "low"}
    assert [part["type"] for part in reasoning["input"][0]["content"]] == ["input_text", "input_image"]


@pytest.mark.parametrize("sampling", [Sampling(stop=("x",)), Sampling(thinking_budget=9)], ids=["stop", "thinking"])
def test_what_responses_do_not_have_is_refused(sampling: Sampling) -> None:
    with pytest.raises(SutError) as caught:
        responses_body("m", Request("", (Message("user", "?"),), sampling))

    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.BAD_REQUEST, False)
