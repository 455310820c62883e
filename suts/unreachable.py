"""Names why an endpoint cannot be reached, and the fix, from whatever an HTTP library raised."""

import errno
import socket
import ssl
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from suts.failures import MESSAGE_LIMIT, redacted
from suts.sut import ErrorKind, SutError

# How long a connection may take, name and TLS included; the deadlines of a call begin after that.
CONNECT_S = 10.0
# An exception of an SDK holds that of its HTTP library, which holds that of the transport, and so on.
_DEEPEST = 12
_CLOSED = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
_CLOSED_NAMES = frozenset({"ServerDisconnectedError", "RemoteProtocolError"})
_SLOW_NAMES = frozenset({"ConnectionTimeoutError", "ConnectTimeout"})
_NO_ROUTE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.EADDRNOTAVAIL})

# Each cause by how it is recognised, with what it says; the first that fits counts. Only the last had a connection.
_CAUSES: tuple[tuple[Callable[[BaseException], bool], str], ...] = (
    (
        lambda error: isinstance(error, ssl.SSLCertVerificationError),
        "certificate of {host} not trusted ({detail}): set SSL_CERT_FILE to the certificate of its authority",
    ),
    (
        lambda error: isinstance(error, ssl.SSLError),
        "no TLS at {place} ({detail}): write http://, or check the port of --base-url",
    ),
    (
        lambda error: isinstance(error, socket.gaierror),
        "cannot resolve host {host}: check --base-url, and the network",
    ),
    (
        lambda error: isinstance(error, ConnectionRefusedError),
        "connection refused by {place}: start the server, or check --base-url",
    ),
    (
        lambda error: getattr(error, "errno", None) in _NO_ROUTE,
        "no route to {place}: check the network, and --base-url",
    ),
    (
        lambda error: type(error).__name__ in _SLOW_NAMES or getattr(error, "errno", None) == errno.ETIMEDOUT,
        "no connection to {place} in time: check the network, and --base-url",
    ),
    (
        lambda error: isinstance(error, _CLOSED) or type(error).__name__ in _CLOSED_NAMES,
        "{place} closed the connection without an answer: check the scheme and the port of --base-url",
    ),
)


def unreachable(error: BaseException, url: str, *secrets: str, proxy: str = "") -> SutError:
    """Return an exception that came instead of a response as SutError(CONNECTION): `cause: fix`, in one line.

    `proxy` is the address of the proxy on the way to `url`: what fails before TLS fails there.
    An untrusted certificate and a port without TLS stay as they are, so these errors are not retryable.
    """
    causes = tuple(_causes(error))
    text = _named(causes, url, proxy)
    if not text:
        # Exceptions of a library's own say more with their names than without.
        cause = next((cause for cause in causes if str(cause)), error)
        text = f"no connection: {type(cause).__name__}: {cause}".removesuffix(": ")
    permanent = any(isinstance(cause, ssl.SSLError) for cause in causes)
    return SutError(
        ErrorKind.CONNECTION, redacted(" ".join(text.split()), *secrets)[:MESSAGE_LIMIT], retryable=not permanent
    )


def is_unconnected(error: BaseException) -> bool:
    """Return whether an exception means that no connection was made: for libraries that state a status of their own."""
    return any(fits(cause) for cause in _causes(error) for fits, _ in _CAUSES[:-1])


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all that it was made from, the outermost first."""
    waiting: list[BaseException | None] = [error]
    for _ in range(_DEEPEST):
        if not waiting:
            return
        cause = waiting.pop(0)
        if cause is None:
            continue
        yield cause
        if isinstance(cause, BaseExceptionGroup):
            waiting.extend(cause.exceptions)
        inner = getattr(cause, "os_error", None)
        waiting += [inner if isinstance(inner, OSError) else None, cause.__cause__ or cause.__context__]


def _named(causes: tuple[BaseException, ...], url: str, proxy: str) -> str:
    """Return the cause and the fix; "" for one that is not known."""
    match = next(((cause, text) for cause in reversed(causes) for fits, text in _CAUSES if fits(cause)), None)
    if match is None:
        return ""
    cause, text = match
    if proxy and not isinstance(cause, ssl.SSLError):
        at_proxy = text.partition(": ")[0] + ", the proxy: check HTTPS_PROXY and HTTP_PROXY"
        return _filled(at_proxy, cause, proxy)
    return _filled(text, cause, url)


def _filled(text: str, cause: BaseException, url: str) -> str:
    parts = urlsplit(url)
    host, place = parts.hostname or url, parts.netloc.rpartition("@")[2] or url
    return text.format(host=host, place=place, detail=_detail(cause))


def _detail(error: BaseException) -> str:
    """Return what an error of TLS says of itself."""
    return str(getattr(error, "verify_message", "") or getattr(error, "reason", "") or "handshake failed")
