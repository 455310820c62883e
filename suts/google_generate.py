"""Google's Gemini API, natively.

Differences from what a request asks: an effort is a thinking level, of models from Gemini 3 on; earlier ones take a
budget. A call in a conversation has the signature that the API takes for one of another model, as without any it
refuses the conversation.
"""

import re
from collections.abc import Iterator, Mapping
from urllib.parse import quote

from suts.connection import connect
from suts.posting import Api, Body, HttpSut
from suts.settings import Settings
from suts.sut import ErrorKind, Message, Request, Sampling, SutError

_DATA_URL = re.compile(r"data:([\w/+.-]+);base64,(.+)", re.DOTALL)
_FOREIGN = "skip_thought_signature_validator"
_ROLES = {"user": "user", "assistant": "model"}


def google_generate(model: str, settings: Settings) -> HttpSut:
    """Return the factory. Raises UnknownSutError when the key is missing."""
    connection = connect(settings)
    root = connection.base_url.removesuffix("/v1").removesuffix("/v1beta")
    api = Api(
        "google-generate",
        f"{root}/v1beta/models/{quote(model)}:streamGenerateContent?alt=sse",
        {"x-goog-api-key": connection.key, "Content-Type": "application/json"},
        generate_body,
        models_url=f"{root}/v1beta/models",
    )
    return HttpSut(model, connection, api, settings)


def generate_body(request: Request) -> Body:
    """Return the request in the form of this wire, before encoding. Raises SutError for what the API cannot do."""
    names = {call.id: call.name for message in request.messages for call in message.calls}
    body: Body = {
        "contents": [
            {"role": _ROLES[message.role], "parts": [*_parts(message, names)]} for message in request.messages
        ],
        "generationConfig": _sampling(request.sampling),
    }
    if request.system:
        body["systemInstruction"] = {"parts": [{"text": request.system}]}
    if request.tools:
        declared = [
            {"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters}
            for tool in request.tools
        ]
        body["tools"] = [{"functionDeclarations": declared}]
    return body


def _parts(message: Message, names: Mapping[str, str]) -> Iterator[Body]:
    """Yield the parts of a message: results of calls first, calls last."""
    for result in message.results:
        response = {"error" if result.is_error else "output": result.text}
        yield {"functionResponse": {"id": result.call_id, "name": names.get(result.call_id, ""), "response": response}}
    if message.text or not (message.images or message.results or message.calls):
        yield {"text": message.text}
    for image in message.images:
        yield {"inlineData": _image(image)}
    for call in message.calls:
        own = {"id": call.id, "name": call.name, "args": call.input}
        yield {"functionCall": own, "thoughtSignature": _FOREIGN}


def _image(url: str) -> Body:
    match = _DATA_URL.fullmatch(url)
    if match is None:
        raise SutError(ErrorKind.BAD_REQUEST, "the Gemini API takes images as data URLs only", retryable=False)
    return {"mimeType": match[1], "data": match[2]}


def _sampling(sampling: Sampling) -> Body:
    thinking: Body = {}
    if sampling.thinking_budget:
        thinking["thinkingBudget"] = sampling.thinking_budget
    if sampling.effort is not None:
        thinking["thinkingLevel"] = sampling.effort
    body: Body = {"maxOutputTokens": sampling.max_tokens}
    if thinking:
        body["thinkingConfig"] = {**thinking, "includeThoughts": True}
    if sampling.temperature is not None:
        body["temperature"] = sampling.temperature
    if sampling.seed is not None:
        body["seed"] = sampling.seed
    if sampling.stop:
        body["stopSequences"] = [*sampling.stop]
    return body
