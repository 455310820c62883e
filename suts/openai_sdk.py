"""OpenAI through its own SDK: `openai-sdk/gpt-x`. Retries and deadlines are the runner's, so the SDK has none."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from suts.connection import connect
from suts.openai_chat import chat_body
from suts.posting import Body
from suts.sdk import HEADERS, Response, Sdk, SdkSut, http_client, own_key
from suts.settings import Settings, UnknownSutError


def openai_sdk(model: str, settings: Settings) -> SdkSut:
    """Return the factory. Raises UnknownSutError when neither we nor the SDK find credentials."""
    import openai

    connection = connect(settings)
    try:
        client = openai.AsyncOpenAI(
            api_key=own_key(connection),
            base_url=connection.base_url,
            max_retries=0,
            timeout=None,
            default_headers=HEADERS,
            http_client=http_client(openai.DefaultAsyncHttpxClient, connection.route),
        )
    except openai.OpenAIError as error:
        raise UnknownSutError(f"{connection.provider}/{model}: {error}") from None

    def send(body: Body) -> AbstractAsyncContextManager[Response]:
        create = client.chat.completions.with_streaming_response.create
        return create(model=model, messages=[], stream=True, extra_body=body)

    sdk = Sdk(
        wire="openai-chat",
        body=partial(chat_body, model, provider=connection.provider),
        send=send,
        close=client.close,
        error=openai.OpenAIError,
    )
    return SdkSut(model, connection, sdk, settings)
