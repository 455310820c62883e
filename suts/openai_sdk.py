"""OpenAI through its own SDK: `openai-sdk/gpt-x`. Retries and deadlines are the runner's, so the SDK has none."""

from contextlib import AbstractAsyncContextManager
from functools import partial

from suts.connection import connect
from suts.openai_chat import chat_body
from suts.posting import Body
from suts.sdk import HEADERS, Response, Sdk, SdkSut, http_client, own_key
from suts.settings import Settings, UnknownSutError
from suts.unreachable import CONNECT_S


def openai_sdk(model: str, settings: Settings) -> SdkSut:
    """Return the factory. Raises UnknownSutError when neither we nor the SDK find credentials."""
    import openai

    connection = connect(settings)
    new_http = partial(http_client, openai.DefaultAsyncHttpxClient, connection.route)
    try:
        client = openai.AsyncOpenAI(
            api_key=own_key(connection),
            base_url=connection.base_url,
            max_retries=0,
            timeout=openai.Timeout(None, connect=CONNECT_S),
            default_headers=HEADERS,
            http_client=new_http(),
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
        new_http=new_http,
        models_url=f"{connection.base_url}/models",
        ask_url=f"{connection.base_url}/chat/completions",
        headers={"Authorization": f"Bearer {connection.key}"} if connection.secret else {},
    )
    return SdkSut(model, connection, sdk, settings)
