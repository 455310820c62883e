"""OpenAI-compatible chat completions: OpenAI, OpenRouter, and any server that speaks their wire.

Text completions, the older form that takes a prompt, are asked for at the same servers.

What is sent differs by provider where the parameter does:

| | output limit | thinking budget | effort | temperature |
|---|---|---|---|---|
| openai, reasoning models | max_completion_tokens | refused | reasoning_effort | not sent: only the default is taken |
| openai, others | max_tokens | refused | reasoning_effort | sent |
| openrouter | max_tokens | reasoning.max_tokens | reasoning.effort | not sent with a budget |
| others | max_tokens | refused | reasoning_effort | sent |

A parameter that the provider does not have is refused, never dropped in silence; the exception is what OpenAI's
reasoning models forbid (temperature, stop), since a default temperature would else exclude them from every run.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from suts.connection import connect
from suts.openai_text import infill_body, text_body
from suts.posting import Api, Body, HttpSut
from suts.settings import Secret, Settings
from suts.sut import ErrorKind, Message, Request, Sampling, SutError

# o1, o3, o4-mini, gpt-5, gpt-5.1-codex …, also fine-tuned; but not gpt-5-chat-latest, which does not reason.
REASONING = re.compile(r"(?:ft:)?(?:o\d|gpt-[5-9])(?!.*-chat)")
OPENAI = "https://api.openai.com/"
_EPHEMERAL = {"type": "ephemeral"}
_MARKED_TURNS = 2
NO_OPTIONS: Mapping[str, object] = {}


def openai_chat(model: str, settings: Settings) -> HttpSut:
    """Return the factory of every provider that speaks this wire. Raises UnknownSutError when its key is missing."""
    connection = connect(settings)
    # Padding against eavesdroppers, which only OpenAI sends, doubles the stream.
    options: Mapping[str, object] = (
        {"include_obfuscation": False} if connection.base_url.startswith(OPENAI) else NO_OPTIONS
    )
    api = Api(
        "openai-chat",
        f"{connection.base_url}/chat/completions",
        {"Authorization": Secret(f"Bearer {connection.key}"), "Content-Type": "application/json"},
        partial(chat_body, model, provider=connection.provider, stream_options=options),
        f"{connection.base_url}/completions",
        partial(text_body, model, stream_options=options),
        takes_routing=connection.provider == "openrouter",
        models_url=f"{connection.base_url}/models",
    )
    if connection.provider == "llamacpp":
        # Its /completions ignores a suffix.
        root = connection.base_url.removesuffix("/v1")
        api = replace(api, infill_url=f"{root}/infill", infill_body=partial(infill_body, model))
    return HttpSut(model, connection, api, settings)


def chat_body(
    model: str, request: Request, *, provider: str, stream_options: Mapping[str, object] = NO_OPTIONS
) -> Body:
    """Return the request in the form of this wire, before encoding. Raises SutError for what the provider cannot do."""
    marked = provider == "openrouter" and model.startswith("anthropic/") and request.sampling.cache
    body: Body = {
        "model": model,
        "messages": chat_messages(request, marked=marked),
        "stream": True,
        "stream_options": {"include_usage": True, **stream_options},
        **chat_tools(request),
    }
    if provider == "openrouter":
        body["usage"] = {"include": True}
        body |= _openrouter_sampling(request.sampling)
    else:
        body |= _sampling(request.sampling, reasoning=provider.startswith("openai") and bool(REASONING.match(model)))
    return body


def chat_messages(request: Request, *, marked: bool) -> list[Body]:
    """System prompt and turns; `marked` puts cache marks on the prompt and on the last two user turns."""
    users = [place for place, message in enumerate(request.messages) if message.role == "user"]
    places = frozenset(users[-_MARKED_TURNS:] if marked else ())
    turns = [turn for place, message in enumerate(request.messages) for turn in _turns(message, marked=place in places)]
    if not request.system:
        return turns
    return [{"role": "system", "content": _content(Message("user", request.system), marked=marked)}, *turns]


def chat_tools(request: Request) -> Body:
    """Return the declarations of the tools; nothing where there are none."""
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in request.tools
    ]
    return {"tools": tools} if tools else {}


def _turns(message: Message, *, marked: bool) -> Iterator[Body]:
    """Yield the turns of a message: each result of a call is one, and what the user says beside them another."""
    for result in message.results:
        yield {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
    if message.calls:
        calls = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.calls
        ]
        yield {"role": message.role, "content": message.text or None, "tool_calls": calls}
    elif message.text or message.images or not message.results:
        yield {"role": message.role, "content": _content(message, marked=marked)}


def _content(message: Message, *, marked: bool) -> str | list[Body]:
    if not marked and not message.images:
        return message.text
    text: Body = {"type": "text", "text": message.text}
    if marked:
        text["cache_control"] = _EPHEMERAL
    images: list[Body] = [{"type": "image_url", "image_url": {"url": image}} for image in message.images]
    return [text, *images]


def _sampling(sampling: Sampling, *, reasoning: bool) -> Body:
    if sampling.thinking_budget:
        raise SutError(
            ErrorKind.BAD_REQUEST,
            "this provider takes no thinking budget; give an effort instead (model@effort=high)",
            retryable=False,
        )
    usual = "max_completion_tokens" if reasoning else "max_tokens"
    body: Body = {sampling.limit_name or usual: sampling.max_tokens}
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.effort is not None:
        body["reasoning_effort"] = sampling.effort
    if not reasoning:
        body |= _freedom(sampling)
    return body


def _openrouter_sampling(sampling: Sampling) -> Body:
    body: Body = {"max_tokens": sampling.max_tokens}
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.thinking_budget and sampling.effort is not None:
        raise SutError(
            ErrorKind.BAD_REQUEST, "openrouter takes a thinking budget or an effort, not both", retryable=False
        )
    if sampling.thinking_budget:
        # Claude, whose budget this is, takes no temperature beside it.
        return body | {"reasoning": {"max_tokens": sampling.thinking_budget}} | _stop(sampling)
    if sampling.effort is not None:
        body["reasoning"] = {"effort": sampling.effort}
    return body | _freedom(sampling)


def _freedom(sampling: Sampling) -> Body:
    temperature: Body = {} if sampling.temperature is None else {"temperature": sampling.temperature}
    return temperature | _stop(sampling)


def _stop(sampling: Sampling) -> Body:
    return {"stop": list(sampling.stop)} if sampling.stop else {}
