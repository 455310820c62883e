"""The servers that answer a coding agent, and the paths that are theirs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from suts.connection import Connection
from suts.redaction import Redactor, redactor_of

# The paths of models: the wire of the answers, and the provider that has the path.
PATHS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "/v1/messages": ("anthropic-messages", "anthropic"),
        "/v1/chat/completions": ("openai-chat", "openai"),
        "/v1/responses": ("openai-responses", "openai-responses"),
    }
)


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
