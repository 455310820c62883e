"""Anthropic through its own SDK: `anthropic-sdk/claude-x`. Retries and deadlines are the runner's: the SDK has none."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from suts.anthropic_messages import messages_body
from suts.connection import connect
from suts.posting import Body
from suts.sdk import HEADERS, Response, Sdk, SdkSut, http_client, own_key
from suts.settings import Settings, UnknownSutError


def anthropic_sdk(model: str, settings: Settings) -> SdkSut:
    """Return the factory. Raises UnknownSutError when neither we nor the SDK find credentials."""
    import anthropic

    connection = connect(settings)
    client = anthropic.AsyncAnthropic(
        api_key=own_key(connection),
        base_url=connection.base_url.removesuffix("/v1"),
        max_retries=0,
        timeout=None,
        default_headers=HEADERS,
        http_client=http_client(anthropic.DefaultAsyncHttpxClient, connection.route),
    )
    if not (client.api_key or client.auth_token or client.credentials):
        raise UnknownSutError(f"{connection.provider}/{model}: the SDK finds no credentials; set ANTHROPIC_API_KEY")

    def send(body: Body) -> AbstractAsyncContextManager[Response]:
        create = client.messages.with_streaming_response.create
        return create(model=model, messages=[], max_tokens=1, stream=True, extra_body=body)

    sdk = Sdk(
        wire="anthropic-messages",
        body=partial(messages_body, model),
        send=send,
        close=client.close,
        error=anthropic.AnthropicError,
    )
    return SdkSut(model, connection, sdk, settings)
