"""OpenAI's Responses API: the only one for some models, and that of several local servers.

Nothing is kept on the server (`store` is false), and each question brings its whole conversation. Differences from what
a request asks: the API takes no seed, so none is sent; reasoning models take no temperature. Stop sequences and
thinking budgets do not exist, and are refused.
"""

from collections.abc import Iterator, Mapping
from functools import partial

from suts.connection import connect
from suts.openai_chat import NO_OPTIONS, OPENAI, REASONING
from suts.posting import Api, Body, HttpSut
from suts.settings import Secret, Settings
from suts.sut import ErrorKind, Message, Request, Sampling, SutError


def openai_responses(model: str, settings: Settings) -> HttpSut:
    """Return the factory. Raises UnknownSutError when the key is missing."""
    connection = connect(settings)
    # Padding against eavesdroppers, which only OpenAI sends, doubles the stream.
    options: Mapping[str, object] = (
        {"stream_options": {"include_obfuscation": False}} if connection.base_url.startswith(OPENAI) else NO_OPTIONS
    )
    api = Api(
        "openai-responses",
        f"{connection.base_url}/responses",
        {"Authorization": Secret(f"Bearer {connection.key}"), "Content-Type": "application/json"},
        partial(responses_body, model, options=options),
        models_url=f"{connection.base_url}/models",
    )
    return HttpSut(model, connection, api, settings)


def responses_body(model: str, request: Request, *, options: Mapping[str, object] = NO_OPTIONS) -> Body:
    """Return the request in the form of this wire, before encoding. Raises SutError for what the API cannot do."""
    body: Body = {
        "model": model,
        "input": [item for message in request.messages for item in _items(message)],
        "stream": True,
        "store": False,
        **options,
    }
    if request.system:
        body["instructions"] = request.system
    if request.tools:
        # A schema is strict unless the request says otherwise, and then may not be every schema.
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": tool.parameters,
                "strict": False,
            }
            for tool in request.tools
        ]
    return body | _sampling(request.sampling, reasoning=bool(REASONING.match(model)))


def _items(message: Message) -> Iterator[Body]:
    """Yield the items of a message: results of calls first, calls last."""
    for result in message.results:
        yield {"type": "function_call_output", "call_id": result.call_id, "output": result.text}
    if message.text or message.images or not (message.results or message.calls):
        yield {"role": message.role, "content": _content(message)}
    for call in message.calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _content(message: Message) -> str | list[Body]:
    if not message.images:
        return message.text
    texts: list[Body] = [{"type": "input_text", "text": message.text}] if message.text else []
    images: list[Body] = [{"type": "input_image", "image_url": image} for image in message.images]
    return [*texts, *images]


def _sampling(sampling: Sampling, *, reasoning: bool) -> Body:
    if sampling.thinking_budget:
        raise _refused("takes no thinking budget; give an effort instead (model@effort=high)")
    if sampling.stop:
        raise _refused("takes no stop sequences; ask over chat completions (openai/...) instead")
    body: Body = {"max_output_tokens": sampling.max_tokens}
    if sampling.effort is not None:
        body["reasoning"] = {"effort": sampling.effort}
    if sampling.temperature is not None and not reasoning:
        body["temperature"] = sampling.temperature
    return body


def _refused(why: str) -> SutError:
    return SutError(ErrorKind.BAD_REQUEST, f"the Responses API {why}", retryable=False)
