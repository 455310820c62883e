"""The servers that answer a coding agent, and the paths that are theirs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import unquote

import orjson

from suts.connection import Connection
from suts.redaction import Redactor, redactor_of
from suts.wires.fields import members

# The paths of models: the wire of the answers, and the provider that has the path.
PATHS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "/v1/messages": ("anthropic-messages", "anthropic"),
        "/v1/chat/completions": ("openai-chat", "openai"),
        "/v1/responses": ("openai-responses", "openai-responses"),
    }
)
# Google's paths name the model.
GOOGLE = "google"
_GENERATING = re.compile(r"/v1(?:beta|alpha)?/models/(.+):(?:stream)?[gG]enerateContent")


class ModelCall(NamedTuple):
    """A request to a model: the wire of the answer, the provider that has the path, the model ("" if unknown)."""

    wire: str
    provider: str
    model: str


def model_call(path: str, body: bytes) -> ModelCall | None:
    """Return what a request to this path asks; None where it is no path of a model."""
    if path in PATHS:
        return ModelCall(*PATHS[path], _model_in(body))
    match = _GENERATING.fullmatch(path)
    return None if match is None else ModelCall("google-generate", GOOGLE, unquote(match[1]))


def _model_in(body: bytes) -> str:
    """Return the model that a body names, "" if it names none."""
    try:
        return str(members(orjson.loads(body)).get("model", ""))
    except (ValueError, TypeError):
        return ""


@dataclass(frozen=True, slots=True)
class Upstreams:
    """The servers that answer, by provider; all keys are taken out of refusals."""

    connections: Mapping[str, Connection]
    redactor: Redactor = field(init=False)

    def __post_init__(self) -> None:
        """Collect the keys."""
        secrets = (secret for connection in self.connections.values() for secret in connection.secrets)
        object.__setattr__(self, "redactor", redactor_of(*secrets))

    def of(self, provider: str) -> Connection | None:
        """Return the server of a provider: its own, or that of the only provider there is."""
        return self.connections.get(provider) or self.connections.get("")
