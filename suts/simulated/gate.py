"""What the simulated server lets in: bodies up to a size, and only requests that are meant for this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

LARGEST_BODY: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class Gate:
    """The rules of one server.

    `refusal` makes the body of an error from the path, the status and a message. A server that is `local` listens on
    loopback; it answers only requests whose Host is a name of loopback, since a web page can give its own name the
    address 127.0.0.1, and so have a browser send requests here.
    """

    refusal: Callable[[str, int, str], bytes]
    local: bool
    largest_body: int = LARGEST_BODY

    def admits(self, host: str) -> bool:
        """Return whether a request with this Host header, "" for none, is meant for this server."""
        return not self.local or not host or is_loopback(_without_port(host))


def is_loopback(host: str) -> bool:
    """Return whether a name or an address can mean nothing but this machine."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower().removesuffix(".") == "localhost"


def _without_port(host: str) -> str:
    """Return the name or address of a Host header; an address of IPv6 stands in brackets there."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0]
