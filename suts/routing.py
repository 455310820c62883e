"""Which of a router's upstreams may serve a model: `model@upstream=NAME,quantization=fp8`."""

from dataclasses import dataclass

QUANTIZATIONS = ("int4", "int8", "fp4", "fp6", "fp8", "fp16", "bf16", "fp32", "unknown")


@dataclass(frozen=True, slots=True)
class Routing:
    """The only upstream that may answer and the only quantization of its weights; "" leaves it to the router."""

    upstream: str = ""
    quantization: str = ""


def provider_field(routing: Routing) -> dict[str, object]:
    """Return the field `provider` of a request to OpenRouter: a pinned upstream is never replaced by another."""
    pinned = [routing.upstream]
    field: dict[str, object] = {"order": pinned, "only": pinned, "allow_fallbacks": False} if routing.upstream else {}
    return field | ({"quantizations": [routing.quantization]} if routing.quantization else {})


def is_upstream(pinned: str, reported: str) -> bool:
    """Return whether a reported name (`DeepInfra`) can be that of a pinned upstream (`deepinfra/fp8`)."""
    slug, name = _letters(pinned.partition("/")[0]), _letters(reported)
    return slug.startswith(name) or name.startswith(slug)


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name)).lower()
