"""The registry of providers. A new provider is a file in this folder and a line here."""

from suts.settings import Provider

_CHAT = "suts.openai_chat:openai_chat"

PROVIDERS: dict[str, Provider] = {
    "openai": Provider(_CHAT, "https://api.openai.com/v1", ("OPENAI_BASE_URL", "OPENAI_API_BASE"), ("OPENAI_API_KEY",)),
    "openai-responses": Provider(
        "suts.openai_responses:openai_responses",
        "https://api.openai.com/v1",
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ("OPENAI_API_KEY",),
    ),
    "openrouter": Provider(_CHAT, "https://openrouter.ai/api/v1", ("OPENROUTER_BASE_URL",), ("OPENROUTER_API_KEY",)),
    "anthropic": Provider(
        "suts.anthropic_messages:anthropic_messages",
        "https://api.anthropic.com",
        ("ANTHROPIC_BASE_URL",),
        ("ANTHROPIC_API_KEY",),
    ),
    "google": Provider(
        "suts.google_generate:google_generate",
        "https://generativelanguage.googleapis.com",
        ("GOOGLE_GEMINI_BASE_URL",),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "openai-sdk": Provider(
        "suts.openai_sdk:openai_sdk",
        "https://api.openai.com/v1",
        ("OPENAI_BASE_URL",),
        ("OPENAI_API_KEY",),
        key_needed=False,
        extra="openai",
        own_credentials=True,
    ),
    "anthropic-sdk": Provider(
        "suts.anthropic_sdk:anthropic_sdk",
        "https://api.anthropic.com",
        ("ANTHROPIC_BASE_URL",),
        ("ANTHROPIC_API_KEY",),
        key_needed=False,
        extra="anthropic",
        own_credentials=True,
    ),
    "litellm": Provider("suts.litellm_sut:litellm_sut", key_needed=False, extra="litellm", own_credentials=True),
    "ollama": Provider(_CHAT, "http://127.0.0.1:11434/v1", ("OLLAMA_BASE_URL",), ("OLLAMA_API_KEY",), key_needed=False),
    "vllm": Provider(_CHAT, "http://127.0.0.1:8000/v1", ("VLLM_BASE_URL",), ("VLLM_API_KEY",), key_needed=False),
    "llamacpp": Provider(
        _CHAT, "http://127.0.0.1:8080/v1", ("LLAMACPP_BASE_URL",), ("LLAMACPP_API_KEY",), key_needed=False
    ),
    "lmstudio": Provider(
        _CHAT, "http://127.0.0.1:1234/v1", ("LMSTUDIO_BASE_URL",), ("LMSTUDIO_API_KEY",), key_needed=False
    ),
    "sim": Provider("suts.simulated:simulated", key_needed=False),
}
