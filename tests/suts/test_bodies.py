from dataclasses import replace

import pytest

from suts.anthropic_messages import messages_body
from suts.google_generate import generate_body
from suts.openai_chat import chat_body
from suts.posting import Body, encoded, sent_sampling
from suts.sut import ErrorKind, Message, Request, Sampling, SutError

PICTURE = "data:image/png;base64,iVBORw0KGgo="
TURNS = (
    Message("user", "one"),
    Message("assistant", "two"),
    Message("user", "three", (PICTURE,)),
    Message("user", "four"),
)
MARK = {"type": "ephemeral"}


def chat(model: str, provider: str, **sampling: object) -> Body:
    return chat_body(model, Request("", TURNS[:1], Sampling(**sampling)), provider=provider)  # type: ignore[arg-type] # a table of fields


def messages(model: str, **sampling: object) -> Body:
    return messages_body(model, Request("", TURNS[:1], Sampling(**sampling)))  # type: ignore[arg-type] # likewise


def without(body: Body, *names: str) -> Body:
    return {name: value for name, value in body.items() if name not in names}


FRAME = ("model", "messages", "stream", "stream_options", "usage")


def test_a_chat_is_asked_as_a_stream_with_usage() -> None:
    body = chat_body("m", Request("be brief", TURNS[:3]), provider="vllm")

    assert body["model"] == "m"
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert body["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {
            "role": "user",
            "content": [{"type": "text", "text": "three"}, {"type": "image_url", "image_url": {"url": PICTURE}}],
        },
    ]


@pytest.mark.parametrize(
    "model,provider,sampling,expected",
    [
        pytest.param("m", "vllm", {}, {"max_tokens": 8192, "seed": 0, "temperature": 0.0}, id="default"),
        pytest.param(
            "m",
            "openai",
            {"temperature": None, "seed": None, "max_tokens": 5, "stop": ("END",)},
            {"max_tokens": 5, "stop": ["END"]},
            id="left-to-the-provider",
        ),
        pytest.param(
            "m",
            "ollama",
            {"effort": "low"},
            {"max_tokens": 8192, "seed": 0, "temperature": 0.0, "reasoning_effort": "low"},
            id="effort",
        ),
        pytest.param(
            "gpt-5.1-codex",
            "openai",
            {"effort": "high", "stop": ("END",)},
            {"max_completion_tokens": 8192, "seed": 0, "reasoning_effort": "high"},
            id="reasoning-model",
        ),
        pytest.param(
            "x-ai/grok", "openrouter", {}, {"max_tokens": 8192, "seed": 0, "temperature": 0.0}, id="openrouter"
        ),
        pytest.param(
            "anthropic/claude",
            "openrouter",
            {"thinking_budget": 2000, "stop": ("END",)},
            {"max_tokens": 8192, "seed": 0, "reasoning": {"max_tokens": 2000}, "stop": ["END"]},
            id="openrouter-budget",
        ),
        pytest.param(
            "x-ai/grok",
            "openrouter",
            {"effort": "low"},
            {"max_tokens": 8192, "seed": 0, "temperature": 0.0, "reasoning": {"effort": "low"}},
            id="openrouter-effort",
        ),
    ],
)
def test_the_sampling_of_a_chat(model: str, provider: str, sampling: dict[str, object], expected: Body) -> None:
    assert without(chat(model, provider, **sampling), *FRAME) == expected


@pytest.mark.parametrize(
    "model,reasons",
    [
        ("o1", True),
        ("o3-mini", True),
        ("o4-mini-2025-04-16", True),
        ("gpt-5", True),
        ("gpt-5.2-codex", True),
        ("ft:gpt-5-mini:acme", True),
        ("gpt-5-chat-latest", False),
        ("gpt-4o", False),
        ("gpt-4.1-mini", False),
        ("omni", False),
        ("chatgpt-4o-latest", False),
    ],
)
@pytest.mark.parametrize("provider", ["openai", "openai-sdk"])
def test_openais_reasoning_models_are_told_by_their_ids(provider: str, model: str, reasons: bool) -> None:
    body = chat(model, provider)

    assert ("max_completion_tokens" in body) == reasons
    assert ("temperature" not in body) == reasons


def test_openrouter_is_asked_for_the_cost() -> None:
    assert chat("x-ai/grok", "openrouter")["usage"] == {"include": True}
    assert "usage" not in chat("gpt-4o", "openai")


def test_claude_on_openrouter_gets_cache_marks_on_the_prompt_and_the_last_two_user_turns() -> None:
    body = chat_body("anthropic/claude", Request("be brief", TURNS), provider="openrouter")

    assert body["messages"] == [
        {"role": "system", "content": [{"type": "text", "text": "be brief", "cache_control": MARK}]},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "three", "cache_control": MARK},
                {"type": "image_url", "image_url": {"url": PICTURE}},
            ],
        },
        {"role": "user", "content": [{"type": "text", "text": "four", "cache_control": MARK}]},
    ]


def test_a_message_is_asked_with_marks_and_blocks() -> None:
    body = messages_body("claude-x", Request("be brief", TURNS))

    assert body["system"] == [{"type": "text", "text": "be brief", "cache_control": MARK}]
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "one"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
        {"role": "user", "content": [{"type": "text", "text": "three"}, picture | {"cache_control": MARK}]},
        {"role": "user", "content": [{"type": "text", "text": "four", "cache_control": MARK}]},
    ]


def test_without_cache_the_same_is_asked_without_marks() -> None:
    marked = Request("be brief", TURNS)
    plain = replace(marked, sampling=Sampling(cache=False))

    pairs = [
        [messages_body("claude-x", request) for request in (plain, marked)],
        [chat_body("anthropic/claude", request, provider="openrouter") for request in (plain, marked)],
    ]

    for without, with_marks in pairs:
        assert "cache_control" not in str(without)
        assert str(with_marks).count("cache_control") == 3
        assert texts_in(without) == texts_in(with_marks)


def texts_in(value: object) -> list[str]:
    """The texts of a body in their order, however they are wrapped."""
    if isinstance(value, dict):
        return [text for name, part in value.items() if name != "cache_control" for text in texts_in(part)]
    if isinstance(value, list):
        return [text for part in value for text in texts_in(part)]
    return [value] if isinstance(value, str) and value != "text" else []


def test_an_image_alone_and_one_by_address() -> None:
    body = messages_body("claude-x", Request("", (Message("user", "", ("https://host/a.png",)),)))

    assert "system" not in body
    source = {"type": "url", "url": "https://host/a.png"}
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "image", "source": source, "cache_control": MARK}]}
    ]


@pytest.mark.parametrize(
    "model,sampling,expected",
    [
        pytest.param("claude-sonnet-4-5", {}, {"max_tokens": 8192, "temperature": 0.0}, id="default"),
        pytest.param(
            "claude-sonnet-4-5",
            {"temperature": None, "stop": ("END",), "max_tokens": 5},
            {"max_tokens": 5, "stop_sequences": ["END"]},
            id="left-to-the-provider",
        ),
        pytest.param(
            "claude-sonnet-4-5",
            {"thinking_budget": 2000},
            {"max_tokens": 8192, "thinking": {"type": "enabled", "budget_tokens": 2000}},
            id="budget",
        ),
        pytest.param(
            "claude-opus-5",
            {"effort": "high"},
            {"max_tokens": 8192, "output_config": {"effort": "high"}},
            id="effort",
        ),
    ],
)
def test_the_sampling_of_a_message(model: str, sampling: dict[str, object], expected: Body) -> None:
    assert without(messages(model, **sampling), *FRAME) == expected


@pytest.mark.parametrize(
    "model,adaptive",
    [
        ("claude-3-7-sonnet-20250219", False),
        ("claude-opus-4-20250514", False),
        ("claude-opus-4-1-20250805", False),
        ("claude-sonnet-4-5", False),
        ("claude-opus-4-6", False),
        ("claude-opus-4-7", True),
        ("claude-opus-4-8-20260601", True),
        ("claude-sonnet-5", True),
        ("claude-opus-5-20270101", True),
        ("glm-5", False),
    ],
)
def test_claudes_without_a_temperature_are_told_by_their_ids(model: str, adaptive: bool) -> None:
    assert ("temperature" not in messages(model)) == adaptive


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda: chat("gpt-5", "openai", thinking_budget=9), id="openai-budget"),
        pytest.param(lambda: chat("m", "vllm", thinking_budget=9), id="vllm-budget"),
        pytest.param(lambda: chat("m", "openrouter", thinking_budget=9, effort="low"), id="openrouter-both"),
        pytest.param(lambda: messages("claude-opus-5", thinking_budget=9), id="adaptive-budget"),
        pytest.param(lambda: encoded({"text": "half a pair: \ud800"}), id="no-unicode"),
    ],
)
def test_what_a_provider_cannot_do_is_refused_before_it_is_asked(ask: object) -> None:
    assert callable(ask)
    with pytest.raises(SutError) as caught:
        ask()

    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.BAD_REQUEST, False)


@pytest.mark.parametrize(
    "sampling, expected",
    [
        pytest.param(Sampling(), {"maxOutputTokens": 8192, "temperature": 0.0, "seed": 0}, id="default"),
        pytest.param(
            Sampling(max_tokens=5, temperature=None, seed=None, stop=("END",)),
            {"maxOutputTokens": 5, "stopSequences": ["END"]},
            id="stop",
        ),
        pytest.param(
            Sampling(temperature=None, seed=None, thinking_budget=512),
            {"maxOutputTokens": 8192, "thinkingConfig": {"thinkingBudget": 512, "includeThoughts": True}},
            id="budget",
        ),
        pytest.param(
            Sampling(temperature=None, seed=None, effort="low"),
            {"maxOutputTokens": 8192, "thinkingConfig": {"thinkingLevel": "low", "includeThoughts": True}},
            id="effort",
        ),
    ],
)
def test_google_has_its_parameters_in_a_place_of_their_own(sampling: Sampling, expected: Body) -> None:
    body = generate_body(Request("", TURNS[2:3], sampling))

    assert body["generationConfig"] == expected
    assert sent_sampling(sampling, body) == sampling
    image = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
    assert body["contents"] == [{"role": "user", "parts": [{"text": "three"}, image]}]


def test_google_takes_no_image_by_its_address() -> None:
    with pytest.raises(SutError, match="data URLs only"):
        generate_body(Request("", (Message("user", "look", ("https://x.example/a.png",)),)))
