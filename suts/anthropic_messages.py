"""Anthropic's messages API, natively: prompt-cache marks, thinking budgets, effort.

Differences from what a request asks: the API takes no seed, so none is sent; with a thinking budget it takes no
temperature; Claude from Opus 4.7 and 5 on takes neither temperature nor budget, so the temperature is not sent
and a budget is refused. `model@temperature=none` sends none to any other model.
"""

import re
from functools import partial

from suts.connection import connect
from suts.posting import Api, Body, HttpSut
from suts.settings import Settings
from suts.sut import ErrorKind, Message, Request, Sampling, SutError
from suts.tools import ToolResult

VERSION = "2023-06-01"
# claude-opus-4-7, claude-sonnet-5, claude-opus-5-20270101 …; not claude-opus-4-20250514 or claude-opus-4-1.
_ADAPTIVE = re.compile(r"claude-[a-z]+-(?:4-(?:[7-9]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)")
_DATA_URL = re.compile(r"data:([\w/+.-]+);base64,(.+)", re.DOTALL)
_EPHEMERAL = {"type": "ephemeral"}
_MARKED_TURNS = 2


def anthropic_messages(model: str, settings: Settings) -> HttpSut:
    """Return the factory. Raises UnknownSutError when the key is missing."""
    connection = connect(settings)
    root = connection.base_url.removesuffix("/v1")
    api = Api(
        "anthropic-messages",
        f"{root}/v1/messages",
        {"x-api-key": connection.key, "anthropic-version": VERSION, "Content-Type": "application/json"},
        partial(messages_body, model),
        models_url=f"{root}/v1/models",
    )
    return HttpSut(model, connection, api, settings)


def messages_body(model: str, request: Request) -> Body:
    """Return the request in the form of this wire, before encoding. Raises SutError for what the model cannot do."""
    users = [place for place, message in enumerate(request.messages) if message.role == "user"]
    marked = users[-_MARKED_TURNS:] if request.sampling.cache else []
    body: Body = {
        "model": model,
        "messages": [
            {"role": message.role, "content": _content(message, marked=place in marked)}
            for place, message in enumerate(request.messages)
        ],
        "stream": True,
    }
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
            for tool in request.tools
        ]
    if request.system:
        mark: Body = {"cache_control": _EPHEMERAL} if request.sampling.cache else {}
        body["system"] = [{"type": "text", "text": request.system, **mark}]
    return body | _sampling(request.sampling, adaptive=bool(_ADAPTIVE.match(model)))


def _content(message: Message, *, marked: bool) -> list[Body]:
    """Return the blocks of a message: results of calls first, calls last."""
    blocks = [_result(result) for result in message.results]
    others = [
        *(_image(image) for image in message.images),
        *({"type": "tool_use", "id": call.id, "name": call.name, "input": call.input} for call in message.calls),
    ]
    if message.text or not (blocks or others):
        blocks.append({"type": "text", "text": message.text})
    blocks += others
    if marked:
        blocks[-1]["cache_control"] = _EPHEMERAL
    return blocks


def _result(result: ToolResult) -> Body:
    error: Body = {"is_error": True} if result.is_error else {}
    return {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text, **error}


def _image(url: str) -> Body:
    data = _DATA_URL.fullmatch(url)
    if data is None:
        return {"type": "image", "source": {"type": "url", "url": url}}
    return {"type": "image", "source": {"type": "base64", "media_type": data[1], "data": data[2]}}


def _sampling(sampling: Sampling, *, adaptive: bool) -> Body:
    if sampling.thinking_budget and adaptive:
        raise SutError(
            ErrorKind.BAD_REQUEST,
            "this model takes no thinking budget; give an effort instead (model@effort=high)",
            retryable=False,
        )
    body: Body = {"max_tokens": sampling.max_tokens}
    if sampling.stop:
        body["stop_sequences"] = list(sampling.stop)
    if sampling.effort is not None:
        body["output_config"] = {"effort": sampling.effort}
    if sampling.thinking_budget:
        body["thinking"] = {"type": "enabled", "budget_tokens": sampling.thinking_budget}
    elif sampling.temperature is not None and not adaptive:
        body["temperature"] = sampling.temperature
    return body
