"""OpenAI-compatible chat completions: OpenAI, OpenRouter, and any server that speaks their wire.

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
from collections.abc import AsyncGenerator

import orjson

from suts.connection import Connection, connect
from suts.http import HttpStreams
from suts.rate_headers import OnHeaders
from suts.settings import Secret, Settings
from suts.sut import Endpoint, ErrorKind, Message, Received, Request, Sampling, SutError, Wire
from suts.wires import WIRES

Body = dict[str, object]

# o1, o3, o4-mini, gpt-5, gpt-5.1-codex …, also fine-tuned; but not gpt-5-chat-latest, which does not reason.
_REASONING = re.compile(r"(?:ft:)?(?:o\d|gpt-[5-9])(?!.*-chat)")
_OPENAI = "https://api.openai.com/"
_EPHEMERAL = {"type": "ephemeral"}
_MARKED_TURNS = 2


class OpenAiChat:
    """One model of one OpenAI-compatible endpoint."""

    def __init__(self, model: str, connection: Connection, http: HttpStreams) -> None:
        """`model` as the endpoint names it."""
        self.name = f"{connection.provider}/{model}"
        self.endpoint: Endpoint = connection.endpoint
        self.wire: Wire = WIRES["openai-chat"]
        self._model = model
        self._provider = connection.provider
        self._http = http
        self._url = f"{connection.base_url}/chat/completions"
        self._headers = {
            "Authorization": Secret(f"Bearer {connection.key}"),
            "Content-Type": "application/json",
        }

    @property
    def on_headers(self) -> OnHeaders | None:
        """Who is told of the rate limits in each response's headers."""
        return self._http.on_headers

    @on_headers.setter
    def on_headers(self, told: OnHeaders | None) -> None:
        self._http.on_headers = told

    def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Ask and yield what arrives. Raises SutError, nothing else."""
        body = chat_body(self._model, request, self._provider)
        if self._url.startswith(_OPENAI):
            # Padding against eavesdroppers, which differs in each chunk and doubles the stream.
            body["stream_options"] = {"include_usage": True, "include_obfuscation": False}
        return self._http.post_stream(self._url, self._headers, orjson.dumps(body))

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()


def openai_chat(model: str, settings: Settings) -> OpenAiChat:
    """The factory of every provider that speaks this wire. Raises UnknownSutError when its key is missing."""
    connection = connect(settings)
    http = HttpStreams(
        secret=connection.secret,
        trust_env=settings.trust_env,
        now_ns=settings.now_ns,
        unix_s=settings.unix_s,
    )
    return OpenAiChat(model, connection, http)


def chat_body(model: str, request: Request, provider: str) -> Body:
    """The request in the form of this wire, before encoding. Raises SutError for what the provider cannot do."""
    marked = provider == "openrouter" and model.startswith("anthropic/")
    body: Body = {
        "model": model,
        "messages": _messages(request, marked=marked),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if provider == "openrouter":
        body["usage"] = {"include": True}
        body |= _openrouter_sampling(request.sampling)
    else:
        body |= _sampling(request.sampling, reasoning=provider.startswith("openai") and bool(_REASONING.match(model)))
    return body


def _messages(request: Request, *, marked: bool) -> list[Body]:
    """System prompt and turns; `marked` puts cache marks on the prompt and on the last two user turns."""
    users = [place for place, message in enumerate(request.messages) if message.role == "user"]
    places = frozenset(users[-_MARKED_TURNS:] if marked else ())
    turns: list[Body] = [
        {"role": message.role, "content": _content(message, marked=place in places)}
        for place, message in enumerate(request.messages)
    ]
    if not request.system:
        return turns
    return [{"role": "system", "content": _content(Message("user", request.system), marked=marked)}, *turns]


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
    body: Body = {"max_completion_tokens" if reasoning else "max_tokens": sampling.max_tokens}
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
