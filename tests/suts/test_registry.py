import hashlib
import importlib.util

import pytest

from suts import PROVIDERS
from suts.registry import ModelId, load, read_id, resolve
from suts.settings import Settings, UnknownSutError
from suts.sut import Endpoint, Sut
from suts.wires import WIRES

KEYS = {name: "sk-0123456789abcdef" for provider in PROVIDERS.values() for name in provider.key_variables}
MODELS = {"sim": "careful", "litellm": "openai/gpt-x"}
EXTRAS = {"anthropic": "anthropic", "litellm": "litellm", "openai": "openai"}


def made(model_id: str, provider: str = "", base_url: str = "", **environment: str) -> Sut:
    return resolve(model_id, Settings(provider=provider, base_url=base_url, environment=environment))


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_registered_provider_makes_a_system(name: str) -> None:
    extra = PROVIDERS[name].extra
    if extra and importlib.util.find_spec(EXTRAS[extra]) is None:
        pytest.skip(f"the extra {extra} is not installed")
    model = MODELS.get(name, "some-model")

    sut = resolve(f"{name}/{model}", Settings(environment=KEYS))

    assert sut.name == f"{name}/{model}"
    assert WIRES[sut.wire.name] is sut.wire
    assert sut.endpoint.simulated == (name == "sim")


@pytest.mark.parametrize(
    "model_id,provider,name,model,suffix",
    [
        pytest.param("openai/gpt-x", "", "openai", "gpt-x", "", id="provider"),
        pytest.param("openrouter/x-ai/grok", "", "openrouter", "x-ai/grok", "", id="gateway"),
        pytest.param("x-ai/grok-4:free", "", "openrouter", "x-ai/grok-4:free", "", id="unknown-vendor"),
        pytest.param("gpt-x", "openai", "openai", "gpt-x", "", id="given-provider"),
        pytest.param("openai/gpt-x", "openai", "openai", "gpt-x", "", id="said-twice"),
        pytest.param("openai/gpt-x", "openrouter", "openrouter", "openai/gpt-x", "", id="whole-id"),
        pytest.param("llama3:8b", "ollama", "ollama", "llama3:8b", "", id="colon"),
        pytest.param("llama3:latest", "ollama", "ollama", "llama3:latest", "", id="colon-and-word"),
        pytest.param("ollama/llama3:latest", "", "ollama", "llama3:latest", "", id="colon-behind-slash"),
        pytest.param("openai/x@effort=high,seed=1", "", "openai", "x", "effort=high,seed=1", id="suffix"),
        pytest.param("openai/x@20250101", "", "openai", "x@20250101", "", id="at-of-its-own"),
        pytest.param("openai/x@1@effort=low", "", "openai", "x@1", "effort=low", id="both"),
        pytest.param("sim/any?a=0.5&b=1@seed=2", "", "sim", "any?a=0.5&b=1", "seed=2", id="options"),
        pytest.param("vllm/Qwen/Qwen3-8B", "", "vllm", "Qwen/Qwen3-8B", "", id="slashes"),
    ],
)
def test_an_id_is_taken_apart(model_id: str, provider: str, name: str, model: str, suffix: str) -> None:
    assert read_id(model_id, provider) == ModelId(name, model, suffix, PROVIDERS[name].factory)


@pytest.mark.parametrize(
    "model_id,expected",
    [
        ("suts.simulated:simulated", ModelId("", "", "", "suts.simulated:simulated")),
        ("pack.mod:Thing/a/b@seed=1", ModelId("", "a/b", "seed=1", "pack.mod:Thing")),
    ],
)
def test_a_third_party_names_its_own(model_id: str, expected: ModelId) -> None:
    assert read_id(model_id) == expected


@pytest.mark.parametrize(
    "model_id,provider,words",
    [
        pytest.param("gpt-x", "", "'gpt-x' names no provider", id="no-provider"),
        pytest.param("", "", "names no provider", id="empty"),
        pytest.param("openai/", "", "names no model", id="no-model"),
        pytest.param("/x", "", "names no model", id="no-vendor"),
        pytest.param("gpt-x", "opnai", "no provider 'opnai'", id="unknown-provider"),
        pytest.param("openai/gpt-x", "", "openai: no key; set OPENAI_API_KEY", id="no-key"),
        pytest.param("x-ai/grok", "", "openrouter: no key; set OPENROUTER_API_KEY", id="no-gateway-key"),
        pytest.param("no.such.module:Thing", "", "cannot load no.such.module:Thing", id="no-module"),
        pytest.param("suts.registry:Nothing", "", "cannot load suts.registry:Nothing", id="no-thing"),
        pytest.param("suts:PROVIDERS", "", "is no factory", id="no-factory"),
        pytest.param("ollama/x@speed=high", "", "'speed' is none of effort", id="unknown-setting"),
        pytest.param("ollama/x@thinking=lots", "", "thinking=lots is no number", id="no-number"),
        pytest.param("sim/nobody", "", "sim/nobody: ", id="unknown-simulated"),
    ],
)
def test_what_names_no_system_is_refused_in_one_line(model_id: str, provider: str, words: str) -> None:
    with pytest.raises(UnknownSutError) as caught:
        made(model_id, provider)

    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:9/v1", "http://localhost:9", "https://gateway.example/v1/"])
def test_a_server_of_ones_own_needs_no_key(base_url: str) -> None:
    sut = made("openai/gpt-x", base_url=base_url)

    assert sut.endpoint == Endpoint("openai", base_url.rstrip("/"), "")


def test_the_base_url_of_the_command_line_counts_more_than_the_variable() -> None:
    variable = {"OPENAI_BASE_URL": "https://variable/v1"}

    assert made("openai/x", **variable).endpoint.base_url == "https://variable/v1"
    assert made("openai/x", base_url="https://option/v1", **variable).endpoint.base_url == "https://option/v1"


@pytest.mark.parametrize("base_url", ["localhost:8000", "ftp://x/v1", "http://", "/v1"])
def test_what_is_no_base_url_is_refused(base_url: str) -> None:
    with pytest.raises(UnknownSutError, match="is no base URL"):
        made("openai/x", base_url=base_url)


@pytest.mark.parametrize("base_url", ["http://user:pass-1234@host/v1", "http://host/v1?key=pass-1234"])
def test_a_base_url_with_a_secret_is_refused_and_not_repeated(base_url: str) -> None:
    with pytest.raises(UnknownSutError) as caught:
        made("openai/x", base_url=base_url)

    assert "pass-1234" not in str(caught.value)


def test_the_endpoint_tells_a_key_only_by_its_fingerprint() -> None:
    sut = made("openai/x", OPENAI_API_KEY="sk-0123456789abcdef")

    assert sut.endpoint == Endpoint(
        "openai", "https://api.openai.com/v1", hashlib.sha256(b"sk-0123456789abcdef").hexdigest()[:8]
    )


def test_a_dotted_name_loads_its_object() -> None:
    assert load("suts:PROVIDERS") is PROVIDERS


@pytest.mark.parametrize("key", ["sk-first\nsk-second", "sk-\x00zero", "sk-\x1bescape", "sk-zero\u200bwidth"])
@pytest.mark.parametrize(
    "provider, variable",
    [("openai", "OPENAI_API_KEY"), ("anthropic-sdk", "ANTHROPIC_API_KEY"), ("vllm", "VLLM_API_KEY")],
)
def test_a_key_with_a_control_character_is_refused_in_one_line(provider: str, variable: str, key: str) -> None:
    with pytest.raises(UnknownSutError) as caught:
        resolve(f"{provider}/m", Settings(environment={variable: key}))

    (line,) = str(caught.value).splitlines()
    assert variable in line
    assert "sk-" not in line


def test_white_space_around_a_key_is_dropped() -> None:
    plain, wide = (
        resolve("openai/m", Settings(environment={"OPENAI_API_KEY": key})) for key in ("sk-key", " \tsk-key\r\n")
    )

    assert plain.endpoint == wide.endpoint
