"""Where a provider is and with which key: from settings, variables and the registry."""

import hashlib
import ipaddress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from suts import PROVIDERS
from suts.network import DIRECT, Route, route_to
from suts.settings import Provider, Secret, Settings, UnknownSutError
from suts.sut import Endpoint

# Sent to servers of one's own that ask for no key, since some refuse a request without the header.
NO_KEY = Secret("no-key")


@dataclass(frozen=True, slots=True)
class Connection:
    """Who serves a model; `key` is NO_KEY where none is needed and none was found.

    `own_server` states that the base URL is not the vendor's: a gateway, or a server on this machine.
    """

    provider: str
    base_url: str
    key: Secret = field(repr=False)
    own_server: bool = False
    route: Route = DIRECT

    @property
    def endpoint(self) -> Endpoint:
        """What the run's header and the limiter may know."""
        return Endpoint(
            self.provider,
            self.base_url,
            fingerprint(self.key),
            proxy=self.route.address,
            own_server=self.own_server,
        )

    @property
    def secret(self) -> Secret:
        """The key where it is one, to be taken out of whatever comes back."""
        return Secret("") if self.key == NO_KEY else self.key

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """The key, and the credentials of the proxy."""
        return (self.secret, *self.route.secrets)


def fingerprint(key: str) -> str:
    """Return the first 8 hex digits of the key's SHA-256; "" for no key."""
    return "" if key in ("", NO_KEY) else hashlib.sha256(key.encode()).hexdigest()[:8]


def connect(settings: Settings) -> Connection:
    """Return the connection of `settings.provider`.

    Raises UnknownSutError when its key is missing, its URL is none, its URL is plain http to another machine, or the
    proxy or the certificates that the process names cannot be used.
    """
    name = settings.provider
    provider = PROVIDERS[name]
    key_variable = _first(settings, provider.key_variables)
    key = key_in(settings, key_variable)
    url = settings.base_url or _url_of_variable(settings, provider, key_variable)
    base_url = checked_url(url or provider.base_url, settings)
    own_server = base_url != provider.base_url or is_loopback(base_url)
    if not (key or own_server or settings.keyless) and provider.key_needed:
        raise UnknownSutError(
            f"{name}: no key; set {' or '.join(provider.key_variables)} in the environment or in .env"
        )
    route = route_to(base_url, settings.network, loopback=is_loopback(base_url))
    return Connection(name, base_url, Secret(key) if key else NO_KEY, own_server, route)


def key_in(settings: Settings, variable: str) -> str:
    """Return the key in a variable without white space around it; "" for none.

    Raises UnknownSutError for a line break or another character that no header can carry.
    """
    key = settings.environment.get(variable, "").strip()
    if not key.isprintable():
        raise UnknownSutError(
            f"{settings.provider}: the key in {variable} contains a line break or another control character; "
            "set the variable to the key alone"
        )
    return key


def _first(settings: Settings, variables: tuple[str, ...]) -> str:
    """Return the first of these variables that is set; "" where none is."""
    return next((name for name in variables if settings.environment.get(name, "").strip()), "")


def _url_of_variable(settings: Settings, provider: Provider, key_variable: str) -> str:
    """Return the base URL that a variable sets; "" for the vendor's own.

    A URL of an untrusted project file is used only with a key of the same file: it must not lead a key of the
    user's elsewhere, nor prompts that go without a key. An SDK with credentials of its own may add those to any key.
    """
    same_file = key_variable in settings.untrusted and not provider.own_credentials
    for variable in provider.base_url_variables:
        url = settings.environment.get(variable, "").strip()
        if url and (same_file or variable not in settings.untrusted):
            return url
        if url:
            settings.report_unused(variable)
    return ""


def checked_url(base_url: str, settings: Settings) -> str:
    """Return the base URL without the slash at its end.

    Raises UnknownSutError for what would put a secret into the run's header, and for plain http to other machines.
    """
    provider = settings.provider
    try:
        parts = urlsplit(base_url)
        _ = parts.port
    except ValueError as error:
        raise UnknownSutError(f"{provider}: the base URL cannot be read: {error}") from error
    if parts.username or parts.password or parts.query:
        raise UnknownSutError(f"{provider}: the base URL holds credentials or a query; give keys by their variables")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UnknownSutError(f"{provider}: {base_url!r} is no base URL; write http://host:port/v1 or https://…")
    if parts.scheme == "http" and not is_loopback(base_url) and not settings.insecure_http:
        raise UnknownSutError(
            f"{provider}: {base_url} is plain http, so others on the way can read keys and prompts; "
            "use https, or allow it with --insecure-http"
        )
    return base_url.rstrip("/")


def is_loopback(base_url: str) -> bool:
    """Return whether a base URL is that of a server on this machine."""
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
