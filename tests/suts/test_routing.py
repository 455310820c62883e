"""Upstreams of a router that a model's name pins."""

import importlib.util
import json
from collections.abc import Mapping

import pytest

from runner.run.resolve import split_models
from suts import PROVIDERS
from suts.registry import resolve
from suts.routing import Routing, is_upstream
from suts.settings import Settings, UnknownSutError
from suts.sut import Message, Request, SutError
from suts.variants import routing_of, without_changes
from tests.suts.conftest import Serve, plain, streaming

KEYS = {name: "sk-0123456789abcdef" for provider in PROVIDERS.values() for name in provider.key_variables}


async def sent(serve: Serve, model_id: str, request: Request) -> Mapping[str, object]:
    """Return the body that a server gets."""
    async with serve(streaming(b"data: [DONE]\n\n")) as server:
        sut = resolve(model_id, Settings(base_url=f"{server.url}/v1", environment=KEYS))
        _ = [piece async for piece in sut.stream(request)]
        await sut.aclose()
    body: Mapping[str, object] = json.loads(server.asked[0].body)
    return body


@pytest.mark.parametrize(
    "suffix,expected",
    [
        pytest.param(
            "upstream=azure", {"order": ["azure"], "only": ["azure"], "allow_fallbacks": False}, id="upstream"
        ),
        pytest.param("quantization=fp8", {"quantizations": ["fp8"]}, id="quantization"),
        pytest.param(
            "upstream=deepinfra/turbo,quantization=bf16,seed=none",
            {
                "order": ["deepinfra/turbo"],
                "only": ["deepinfra/turbo"],
                "allow_fallbacks": False,
                "quantizations": ["bf16"],
            },
            id="both",
        ),
    ],
)
@pytest.mark.parametrize("prompted", [False, True], ids=["chat", "prompt"])
async def test_a_router_is_told_which_upstream_may_answer(
    serve: Serve, suffix: str, expected: object, prompted: bool
) -> None:
    request = Request("", (), prompt="def f") if prompted else Request("", (Message("user", "hello"),))

    body = await sent(serve, f"openrouter/openai/gpt-4o@{suffix}", request)

    assert body["provider"] == expected
    assert body["model"] == "openai/gpt-4o"


@pytest.mark.parametrize("suffix,retryable", [("upstream=azure", False), ("seed=1", True)], ids=["pinned", "free"])
async def test_a_router_without_an_upstream_for_the_pins_is_not_asked_again(
    serve: Serve, suffix: str, retryable: bool
) -> None:
    async with serve(plain(b'{"error": {"message": "no provider", "code": 503}}', status="503 X")) as server:
        sut = resolve(f"openrouter/a/b@{suffix}", Settings(base_url=server.url, environment=KEYS))
        with pytest.raises(SutError, match="no provider") as caught:
            _ = [piece async for piece in sut.stream(Request("", (Message("user", "hello"),)))]
        await sut.aclose()

    assert (caught.value.status, caught.value.retryable) == (503, retryable)


async def test_nothing_is_said_to_a_router_without_a_pin(serve: Serve) -> None:
    body = await sent(serve, "openrouter/openai/gpt-4o@seed=1", Request("", (Message("user", "hello"),)))

    assert "provider" not in body


@pytest.mark.parametrize("name", [name for name in PROVIDERS if name != "openrouter"])
def test_a_provider_that_is_no_router_refuses_a_pin(name: str) -> None:
    extra = PROVIDERS[name].extra
    if extra and importlib.util.find_spec(extra) is None:
        pytest.skip(f"the extra {extra} is not installed")
    model = {"sim": "careful", "litellm": "openai/gpt-x"}.get(name, "some-model")

    with pytest.raises(UnknownSutError, match="upstream can be chosen at a router only"):
        resolve(f"{name}/{model}@upstream=azure", Settings(environment=KEYS))


@pytest.mark.parametrize(
    "suffix,message",
    [
        ("quantization=q4", "quantization=q4 is none of int4, int8"),
        ("upstream=", "upstream is empty"),
        ("upstream=a,quantization=", "quantization is empty"),
        ("upstreams=a", "'upstreams' is none of effort"),
    ],
)
def test_a_pin_that_is_none_is_refused(suffix: str, message: str) -> None:
    with pytest.raises(UnknownSutError, match=message):
        resolve(f"openrouter/openai/gpt-4o@{suffix}", Settings(environment=KEYS))


def test_a_request_with_a_routing_is_refused_where_there_is_no_router() -> None:
    sut = resolve("vllm/m", Settings())

    with pytest.raises(SutError, match="takes no upstream"):
        sut.stream(Request("", (Message("user", "hello"),), routing=Routing("azure")))


def test_a_pin_belongs_to_the_name_of_the_system() -> None:
    ids = split_models("openrouter/a/b@upstream=azure,quantization=fp8,openai/c")

    assert ids == ("openrouter/a/b@upstream=azure,quantization=fp8", "openai/c")
    assert without_changes(ids[0]) == "openrouter/a/b"
    assert routing_of(ids[0]) == Routing("azure", "fp8")
    assert routing_of(ids[1]) == Routing()


@pytest.mark.parametrize(
    "pinned,reported,same",
    [
        ("deepinfra/fp8", "DeepInfra", True),
        ("google-vertex", "Google", True),
        ("amazon-bedrock", "Amazon Bedrock", True),
        ("azure", "OpenAI", False),
    ],
)
def test_an_upstream_is_known_by_slug_and_by_name(pinned: str, reported: str, same: bool) -> None:
    assert is_upstream(pinned, reported) is same
