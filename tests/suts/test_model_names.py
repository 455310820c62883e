"""Whether the model that answered is the one that was asked for."""

import pytest

from suts.model_names import asked_model, is_same_model


@pytest.mark.parametrize(
    "asked,served",
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o", "gpt-4o-2024-08-06"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4", "gpt-4-0613"),
        ("openai/gpt-4o:free", "gpt-4o-2024-08-06"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("anthropic/claude-sonnet-4.5", "anthropic/claude-4.5-sonnet-20250929"),
        ("claude-3-7-sonnet-latest", "claude-3-7-sonnet-20250219"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5@20250929"),
        ("gemini-2.5-flash", "models/gemini-2.5-flash-001"),
        ("mistral-large-latest", "mistral-large-2411"),
        ("grok-4", "grok-4-0709"),
        ("Qwen/Qwen3-8B", "qwen3-8b"),
        ("llama3", "llama3:latest"),
        ("smollm2-135m", "/models/SmolLM2-135M.gguf"),
        ("any?pieces=3", "simulated-any"),
    ],
)
def test_one_model_has_many_names(asked: str, served: str) -> None:
    assert is_same_model(asked, served)


@pytest.mark.parametrize(
    "asked,served",
    [
        ("whatever-70b", "smollm2-135m.gguf"),
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4o", "gpt-4o-mini-2024-07-18"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06"),
        ("gpt-4-0314", "gpt-4-0613"),
        ("claude-opus-4-1", "claude-sonnet-4-5-20250929"),
        ("llama3:8b", "llama3:70b"),
        ("qwen3-8b", "qwen3-14b"),
        ("openrouter/auto", "openai/gpt-4o"),
    ],
)
def test_another_size_version_or_family_is_another_model(asked: str, served: str) -> None:
    assert not is_same_model(asked, served)


@pytest.mark.parametrize(
    "sut,asked",
    [
        ("openai/gpt-4o@effort=high", "gpt-4o"),
        ("openrouter/openai/gpt-4o@upstream=azure,quantization=fp8", "openai/gpt-4o"),
        ("litellm/bedrock/model@20250929", "bedrock/model@20250929"),
        ("module:Name", "module:Name"),
    ],
)
def test_a_systems_name_says_which_model_is_asked_for(sut: str, asked: str) -> None:
    assert asked_model(sut) == asked
