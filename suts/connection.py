"""Where a provider is and with which key: from settings, variables and the registry."""

import hashlib
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from suts import PROVIDERS
from suts.settings import Secret, Settings, UnknownSutError
from suts.sut import Endpoint

# Sent to servers of one's own that ask for no key, since some refuse a request without the header.
NO_KEY = Secret("no-key")


@dataclass(frozen=True, slots=True)
class Connection:
    """Who serves a model; `key` is NO_KEY where none is needed and none was found.

    `own_server` tells that the base URL is not the vendor's: a gateway, or a server on this machine.
    """

    provider: str
    base_url: str
    key: Secret = field(repr=False)
    own_server: bool = False

    @property
    def endpoint(self) -> Endpoint:
        """What the run's header and the limiter may know."""
        return Endpoint(self.provider, self.base_url, fingerprint(self.key))

    @property
    def secret(self) -> Secret:
        """The key where it is one, to be taken out of whatever comes back."""
        return Secret("") if self.key == NO_KEY else self.key


def fingerprint(key: str) -> str:
    """The first 8 hex digits of the key's SHA-256; "" for no key."""
    return "" if key in ("", NO_KEY) else hashlib.sha256(key.encode()).hexdigest()[:8]


def connect(settings: Settings) -> Connection:
    """The connection of `settings.provider`. Raises UnknownSutError when its key is missing or its URL is none."""
    name = settings.provider
    provider = PROVIDERS[name]
    told = settings.base_url or _first(settings, provider.base_url_variables)
    base_url = _checked(told or provider.base_url, name)
    key = _first(settings, provider.key_variables)
    own_server = base_url != provider.base_url or _loopback(base_url)
    if not key and provider.key_needed and not own_server and not settings.planned_only:
        raise UnknownSutError(
            f"{name}: no key; set {' or '.join(provider.key_variables)} in the environment or in .env"
        )
    return Connection(name, base_url, Secret(key) if key else NO_KEY, own_server)


def _first(settings: Settings, variables: tuple[str, ...]) -> str:
    return next((text for each in variables if (text := settings.environment.get(each, "").strip())), "")


def _checked(base_url: str, provider: str) -> str:
    """Without the slash at its end. Refuses what would put a secret into the run's header."""
    parts = urlsplit(base_url)
    if parts.username or parts.password or parts.query:
        raise UnknownSutError(f"{provider}: the base URL holds credentials or a query; give keys by their variables")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UnknownSutError(f"{provider}: {base_url!r} is no base URL; write http://host:port/v1 or https://…")
    return base_url.rstrip("/")


def _loopback(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
