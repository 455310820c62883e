"""One model at several servers: a system whose requests any of them may be sent."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from suts.redaction import secrets_of
from suts.settings import UnknownSutError
from suts.sut import (
    Endpoint,
    Received,
    Request,
    Sampling,
    StatesSampling,
    Sut,
    ValidatesRequest,
    Wire,
    takes_prompts,
    takes_tools,
)
from suts.variants import plain_sut, takes_routing

# What stands in the place of the base URL of a model at several servers, whichever these are.
REPLICAS = "replicas"


def host_of(base_url: str) -> str:
    """Return host and port of a base URL, and nothing else that may stand in one; "" for what is no URL."""
    try:
        parts = urlsplit(base_url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return ""
    host = f"[{host}]" if ":" in host else host
    return f"{host}:{port}" if port else host


def replicas_of(sut: Sut) -> tuple[Sut, ...]:
    """Return the systems of which each is at one server: those of a model at several, or the system itself."""
    plain = plain_sut(sut)
    return plain.replicas if isinstance(plain, ReplicatedSut) else (sut,)


def base_urls_of(sut: Sut) -> tuple[str, ...]:
    """Return the base URLs of the servers of a system."""
    return tuple(replica.endpoint.base_url for replica in replicas_of(sut))


def at_servers(suts: Sequence[Sut]) -> Sut:
    """Return one system for the same model at these servers; where they are one, the first.

    Raises UnknownSutError for two base URLs with one host and port: a server is known by these.
    """
    by_url = {sut.endpoint.base_url: sut for sut in suts}
    hosts = [host_of(url) for url in by_url]
    if twice := next((host for host in hosts if hosts.count(host) > 1), ""):
        raise UnknownSutError(f"{suts[0].name}: two base URLs are at {twice}; give each server once")
    return ReplicatedSut(tuple(by_url.values())) if len(by_url) > 1 else suts[0]


class ReplicatedSut:
    """A model that several servers answer for; the runner chooses which of `replicas` is sent a request."""

    def __init__(self, replicas: tuple[Sut, ...]) -> None:
        """`replicas` are alike but for their servers."""
        first = replicas[0]
        self.replicas = replicas
        self.name = first.name
        own_server = any(replica.endpoint.own_server for replica in replicas)
        self.endpoint: Endpoint = replace(first.endpoint, base_url=REPLICAS, own_server=own_server)
        self.wire: Wire = first.wire
        self.takes_prompts = takes_prompts(first)
        self.takes_tools = takes_tools(first)
        self.takes_routing = takes_routing(first)

    @property
    def secrets(self) -> tuple[str, ...]:
        """The secrets that any of the servers is sent."""
        return tuple(dict.fromkeys(secret for replica in self.replicas for secret in secrets_of(replica)))

    def check(self, request: Request) -> None:
        """Raise SutError if the servers would not be sent the request."""
        if isinstance(self.replicas[0], ValidatesRequest):
            self.replicas[0].check(request)

    def sent(self, request: Request) -> Sampling:
        """Return the sampling that a request is sent with."""
        first = self.replicas[0]
        return first.sent(request) if isinstance(first, StatesSampling) else request.sampling

    def stream(self, request: Request) -> AsyncIterator[Received]:
        """Stream the answer of the first server."""
        return self.replicas[0].stream(request)

    async def aclose(self) -> None:
        """Close the connections to all servers."""
        for replica in self.replicas:
            await replica.aclose()
