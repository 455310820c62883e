"""Why there is no connection, named with its fix: for every route, from real sockets."""

import asyncio
import errno
import shutil
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, Message, Reachable, Request, Sut, SutError
from suts.unreachable import is_unconnected, unreachable
from tests.suts.certificates import self_signed
from tests.suts.conftest import Serve

Answer = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None] | None]
KEY = "sk-planted-0123456789abcdef"
ASKED = Request("be brief", (Message("user", "hello"),))
routes = pytest.mark.parametrize("provider", ["llamacpp", "openai", "anthropic", "openai-sdk", "anthropic-sdk"])


def made(provider: str, url: str) -> Sut:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    return resolve(f"{provider}/some-model", Settings(base_url=url, environment=keys))


async def failures(provider: str, url: str) -> list[SutError]:
    """The errors of a look at the endpoint, and of a question."""
    sut = made(provider, url)
    assert isinstance(sut, Reachable)
    with pytest.raises(SutError) as looked:
        await sut.reach()
    with pytest.raises(SutError) as asked:
        _ = [piece async for piece in sut.stream(ASKED)]
    await sut.aclose()
    return [looked.value, asked.value]


@routes
async def test_a_port_that_nobody_listens_at(serve: Serve, provider: str) -> None:
    async with serve([]) as server:
        url = server.url

    for error in await failures(provider, url):
        assert (error.kind, error.retryable) == (ErrorKind.CONNECTION, True)
        place = url.removeprefix("http://")
        assert str(error) == f"connection refused by {place}: start the server, or check --base-url"


@routes
async def test_a_server_that_hangs_up(serve: Serve, provider: str) -> None:
    async with serve(["close"]) as server:
        errors = await failures(provider, server.url)

    for error in errors:
        assert (error.kind, error.retryable) == (ErrorKind.CONNECTION, True)
        assert "closed the connection without an answer: check the scheme and the port" in str(error)


@routes
async def test_a_port_without_tls(provider: str) -> None:
    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 no\r\n\r\n")
        writer.close()

    async with listening(answer) as port:
        errors = await failures(provider, f"https://127.0.0.1:{port}")

    for error in errors:
        assert (error.kind, error.retryable) == (ErrorKind.CONNECTION, False)
        assert str(error).startswith(f"no TLS at 127.0.0.1:{port} (")


@asynccontextmanager
async def listening(answer: Answer, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """The port of a server that answers every connection so."""
    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
def own_certificate(tmp_path: Path) -> ssl.SSLContext:
    """A server's TLS with a certificate that it has signed itself."""
    return self_signed(tmp_path)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
@routes
async def test_a_certificate_that_nobody_vouches_for(own_certificate: ssl.SSLContext, provider: str) -> None:
    async with listening(lambda _reader, writer: writer.close(), own_certificate) as port:
        errors = await failures(provider, f"https://127.0.0.1:{port}")

    cause = "certificate of 127.0.0.1 not trusted (self-signed certificate): set SSL_CERT_FILE"
    for error in errors:
        assert (error.kind, error.retryable) == (ErrorKind.CONNECTION, False)
        assert str(error).startswith(cause)


def chained(*errors: BaseException) -> BaseException:
    """The first error, raised from the second, and so on."""
    for outer, inner in pairwise(errors):
        outer.__cause__ = inner
    return errors[0]


@pytest.mark.parametrize(
    "error, text",
    [
        pytest.param(socket.gaierror(-2, "unknown"), "cannot resolve host x.example: check --base-url", id="name"),
        pytest.param(
            chained(RuntimeError("Connection error."), ValueError(), socket.gaierror(-3, "again")),
            "cannot resolve host x.example",
            id="name, wrapped",
        ),
        pytest.param(
            ExceptionGroup("all", [ConnectionRefusedError(111, "refused"), ConnectionRefusedError(111, "refused")]),
            "connection refused by x.example:81",
            id="several addresses",
        ),
        pytest.param(OSError(errno.ENETUNREACH, "no net"), "no route to x.example:81", id="no network"),
        pytest.param(TimeoutError(errno.ETIMEDOUT, "slow"), "no connection to x.example:81 in time", id="slow"),
        pytest.param(RuntimeError("odd\nthing"), "no connection: RuntimeError: odd thing", id="unknown"),
    ],
)
def test_a_cause_is_found_however_deep(error: BaseException, text: str) -> None:
    found = unreachable(error, "https://user:secret@x.example:81/v1")

    assert text in str(found)
    assert "secret" not in str(found)
    assert is_unconnected(error) is not text.startswith("no connection: ")


async def test_litellm_names_a_refused_connection_too(serve: Serve) -> None:
    async with serve([]) as server:
        url = server.url

    for error in await failures("litellm/openai", url):
        assert error.kind is ErrorKind.CONNECTION
        assert "connection refused by 127.0.0.1" in str(error)
