"""How a server is reached: directly or through a proxy, and which certificates are trusted.

Only the variables of the process count, never those of a project's file: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and
NO_PROXY in either case, SSL_CERT_FILE and REQUESTS_CA_BUNDLE. A file of credentials such as .netrc is never read.
"""

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from suts.settings import Secret, UnknownSutError
from suts.sut import ErrorKind, SutError

if TYPE_CHECKING:
    from ssl import SSLContext

CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
_FOLDER = "SSL_CERT_DIR"
_LOOPBACK = "localhost,127.0.0.1,::1"
_PORTS = {"http": 80, "https": 443}
_ENTRY = re.compile(r"(\[[^\]]*\]|[^:]*)(?::(\d+))?")
# What a proxy answers for a moment, not for good.
_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_NO_PROXY = Secret("")


@dataclass(frozen=True, slots=True)
class Route:
    """The way to one server. `proxy` is the proxy's URL with its credentials, "" for none; `address` is without them.

    `tls` is None where the libraries' own certificates are trusted.
    """

    proxy: Secret = _NO_PROXY
    address: str = ""
    secrets: tuple[Secret, ...] = field(default=(), repr=False)
    tls: "SSLContext | None" = None


DIRECT = Route()


def route_to(base_url: str, variables: Mapping[str, str], *, loopback: bool = False) -> Route:
    """Return the way to a server; one on this machine has no proxy.

    Raises UnknownSutError for a proxy that is not supported and for certificates that cannot be read.
    """
    parts = urlsplit(base_url)
    tls = trusted(variables) if parts.scheme == "https" else None
    name, proxy = _proxy_variable(parts.scheme, variables)
    port = parts.port or _PORTS.get(parts.scheme, 0)
    if not proxy or loopback or is_direct(parts.hostname or "", port, _variable("no_proxy", variables)[1]):
        return Route(tls=tls)
    return _through(name, proxy, tls)


def trusted(variables: Mapping[str, str]) -> "SSLContext | None":
    """Return the TLS context of the certificates that variables name; None where they name none.

    Raises UnknownSutError for a file that is missing or holds no certificates.
    """
    named = {name: path for name in CERTIFICATES if (path := variables.get(name, "").strip())}
    if not named:
        return None
    for name, path in named.items():
        if not Path(path).exists():
            raise UnknownSutError(f"{name}: there is no {path}; set it to a file of certificates in PEM form")
    # Both variables often name one file.
    files = {path: name for name, path in named.items()}
    return _context(tuple(files.items()), variables.get(_FOLDER, "").strip())


@cache
def _context(files: tuple[tuple[str, str], ...], folder: str) -> "SSLContext":
    """Return one context for all systems: reading the usual certificates takes 25 ms."""
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for path, name in files:
        try:
            context.load_verify_locations(**{"capath" if Path(path).is_dir() else "cafile": path})
        except OSError as error:
            raise UnknownSutError(f"{name}: {path} cannot be read as certificates in PEM form ({error})") from error
    if folder and Path(folder).is_dir():
        context.load_verify_locations(capath=folder)
    return context


def is_direct(host: str, port: int, listed: str) -> bool:
    """Return whether NO_PROXY exempts a host.

    An entry is a host with all below it, an address, a network such as 10.0.0.0/8, or `*`; it may end in a port.
    """
    return any(_covers(entry, host.lower(), port) for entry in re.split(r"[\s,]+", listed.lower()) if entry)


def _covers(entry: str, host: str, port: int) -> bool:
    match = _ENTRY.fullmatch(entry)
    name, number = (match[1].strip("[]"), match[2]) if match else (entry, None)
    if number is not None and int(number) != port:
        return False
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False)
    except ValueError:
        domain = name.removeprefix("*").removeprefix(".")
        return name == "*" or host == domain or host.endswith(f".{domain}")


def _variable(name: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return the name and the value of a variable; the lower case counts first, as everywhere."""
    known = next((known for known in (name, name.upper()) if known in variables), "")
    return known, variables.get(known, "").strip()


def _proxy_variable(scheme: str, variables: Mapping[str, str]) -> tuple[str, str]:
    """Return the variable that names the proxy of a scheme, and its value. An empty variable asks for no proxy."""
    named = [_variable(f"{kind}_proxy", variables) for kind in (scheme, "all")]
    return next(((name, value) for name, value in named if name), ("", ""))


def _through(name: str, url: str, tls: "SSLContext | None") -> Route:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise UnknownSutError(f"{name}: is no URL of a proxy; write http://host:port") from None
    address = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}{f':{port}' if port else ''}"
    if parts.scheme.startswith("socks"):
        raise UnknownSutError(
            f"{name}: {address} is a SOCKS proxy, which is not supported; set it to an http:// proxy, "
            "or name the server in NO_PROXY"
        )
    if not host or parts.scheme not in _PORTS:
        raise UnknownSutError(f"{name}: is no URL of a proxy; write http://host:port")
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    secrets = (f"{user}:{password}", password) if password else (user,)
    plain = parts._replace(path="", query="", fragment="").geturl()
    return Route(Secret(plain), address, tuple(Secret(text) for text in secrets if text), tls)


def variables_for(base_url: str, route: Route, variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables with which a library that reads its environment takes the same route, and no .netrc.

    Libraries differ in how they read NO_PROXY, so a server that is reached directly is named there.
    """
    host = "" if route.proxy else urlsplit(base_url).hostname
    direct = ",".join(filter(None, (_variable("no_proxy", variables)[1], _LOOPBACK, host)))
    chosen = {"NETRC": os.devnull, "NO_PROXY": direct, "no_proxy": direct}
    certificates = next((path for name in CERTIFICATES if (path := variables.get(name, "").strip())), "")
    return chosen | dict.fromkeys(CERTIFICATES, certificates) if certificates else chosen


def proxy_refusal(status: int, reason: str, address: str) -> SutError:
    """Return what it means that a proxy refuses to connect."""
    fix = "; check the user and the password of its URL" if status == 407 else ""
    return SutError(
        ErrorKind.AUTH if status == 407 else ErrorKind.CONNECTION,
        f"the proxy {address} answered {status} {reason}".strip() + fix,
        retryable=status in _TEMPORARY,
    )
