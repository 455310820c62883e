"""Anthropic through its own SDK: `anthropic-sdk/claude-x`. Retries and deadlines are the runner's: the SDK has none."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from suts.anthropic_messages import VERSION, messages_body
from suts.connection import connect
from suts.posting import Body
from suts.sdk import HEADERS, Response, Sdk, SdkSut, http_client, own_key
from suts.settings import Settings, UnknownSutError
from suts.unreachable import CONNECT_S


def anthropic_sdk(model: str, settings: Settings) -> SdkSut:
    """Return the factory. Raises UnknownSutError when neither we nor the SDK find credentials."""
    import anthropic

    connection = connect(settings)
    root = connection.base_url.removesuffix("/v1")
    new_http = partial(http_client, anthropic.DefaultAsyncHttpxClient, connection.route)
    client = anthropic.AsyncAnthropic(
        api_key=own_key(connection),
        base_url=root,
        max_retries=0,
        timeout=anthropic.Timeout(None, connect=CONNECT_S),
        default_headers=HEADERS,
        http_client=new_http(),
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
        new_http=new_http,
        models_url=f"{root}/v1/models",
        ask_url=f"{root}/v1/messages",
        headers={"anthropic-version": VERSION} | ({"x-api-key": connection.key} if connection.secret else {}),
    )
    return SdkSut(model, connection, sdk, settings)
