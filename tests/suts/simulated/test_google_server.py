"""The simulated server as Google's Gemini API: paths name the model, answers come whole or streamed."""

from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson
import pytest

from suts.simulated.config import ServerConfig
from suts.simulated.faults import Faults
from suts.simulated.server import serving
from suts.wires import WIRES
from tests.suts.reading import read

BODY = {
    "contents": [{"role": "user", "parts": [{"text": "hello"}]}],
    "generationConfig": {"maxOutputTokens": 50, "seed": 3},
}
QUICK = "ttft_ms=1&gap_ms=0&jitter=0&reasoning=6"
WIRE = WIRES["google-generate"]


async def asked(
    path: str, body: Mapping[str, object] | None = None, config: ServerConfig | None = None, key: str = ""
) -> tuple[int, bytes, Any]:
    """The status and the body of a reply, and what the server keeps of the request."""
    async with serving(config or ServerConfig(parameters=QUICK)) as server, aiohttp.ClientSession() as session:
        method, headers = ("GET" if body is None else "POST"), {"x-goog-api-key": key}
        async with session.request(method, f"{server.url}{path}", json=body, headers=headers) as reply:
            data = await reply.read()
        return reply.status, data, server.log[-1] if server.log else None


async def test_a_stream_and_a_whole_answer_say_the_same() -> None:
    _, stream, entry = await asked("/v1beta/models/sim/any:streamGenerateContent?alt=sse", BODY)
    status, whole, _ = await asked("/v1beta/models/sim/any:generateContent", BODY)

    said = read(WIRE, [stream])
    again = read(WIRE, [b"data: " + whole + b"\n\n"])
    assert status == 200
    assert (said.text, said.reasoning, said.usage) == (again.text, again.reasoning, again.usage)
    assert said.text
    assert said.reasoning
    assert [finish.model for finish in said.finishes] == ["simulated-any"]
    assert said.usage is not None
    assert said.usage.output_tokens == entry.usage.output
    assert said.usage.input_tokens == entry.usage.input
    assert entry.model == "sim/any"
    assert entry.number == 3


async def test_an_answer_ends_at_the_limit_of_its_request() -> None:
    body = {**BODY, "generationConfig": {"maxOutputTokens": 2}}

    _, stream, _ = await asked("/v1beta/models/sim%2Fany:streamGenerateContent?alt=sse", body)

    assert [finish.reason for finish in read(WIRE, [stream]).finishes] == ["max_tokens"]


async def test_models_are_listed_and_tokens_counted() -> None:
    _, models, _ = await asked("/v1beta/models")
    _, counted, _ = await asked("/v1beta/models/sim/any:countTokens", BODY)

    assert {"name": "models/careful", "supportedGenerationMethods": ["generateContent", "countTokens"]} in orjson.loads(
        models
    )["models"]
    assert orjson.loads(counted)["totalTokens"] > 1


@pytest.mark.parametrize(
    "path, body, config, status, word",
    [
        pytest.param("/v1beta/models/other", None, ServerConfig(), 404, "NOT_FOUND", id="no such page"),
        pytest.param("/v1beta/models/any:generateContent", {}, ServerConfig(), 400, "INVALID_ARGUMENT", id="no body"),
        pytest.param("/v1beta/models/a?b=:generateContent", BODY, ServerConfig(), 404, "NOT_FOUND", id="no model"),
        pytest.param("/v1beta/models", None, ServerConfig(key="k"), 401, "UNAUTHENTICATED", id="no key"),
        pytest.param(
            "/v1beta/models/any:generateContent",
            BODY,
            ServerConfig(faults=Faults({"429": 1.0})),
            429,
            "RESOURCE_EXHAUSTED",
            id="too many",
        ),
    ],
)
async def test_errors_have_the_form_and_the_words_of_the_api(
    path: str, body: Mapping[str, object] | None, config: ServerConfig, status: int, word: str
) -> None:
    got, data, _ = await asked(path, body, config)

    assert (got, orjson.loads(data)["error"]["code"], orjson.loads(data)["error"]["status"]) == (status, status, word)
