"""The simulated server reads requests up to a size, and only those that are meant for this machine."""

import asyncio

import orjson
import pytest

from suts.simulated.config import ServerConfig
from suts.simulated.gate import Gate, is_loopback
from suts.simulated.server import serving


async def sent(request: bytes, config: ServerConfig | None = None) -> tuple[int, dict[str, object]]:
    """The status and the body of the answer to these bytes, after which the server closes."""
    async with serving(config or ServerConfig()) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(request)
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        await writer.wait_closed()
    return int(head.split(b" ")[1]), orjson.loads(body)


def asking(host: str, path: str = "/health") -> bytes:
    return f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n".encode()


@pytest.mark.parametrize("length", ["2001", "99999999999", "9" * 5000])
async def test_a_body_that_would_be_too_large_is_refused_before_it_is_sent(length: str) -> None:
    head = f"POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n"

    status, body = await sent(head.encode(), ServerConfig(largest_body=2000))

    assert status == 413
    assert body["type"] == "error"
    assert "2000 bytes" in str(body["error"])


async def test_a_body_of_exactly_the_limit_is_read() -> None:
    head = b"POST /v1/chat/completions HTTP/1.1\r\nconnection: close\r\ncontent-length: 2000\r\n\r\n"

    status, body = await sent(head + b"x" * 2000, ServerConfig(largest_body=2000))

    assert status == 400
    assert "not JSON" in str(body["error"])


async def test_a_client_that_goes_on_sending_still_gets_its_answer() -> None:
    head = b"POST /v1/messages HTTP/1.1\r\ncontent-length: 1000000\r\n\r\n"

    status, _ = await sent(head + b"x" * 1_000_000, ServerConfig(largest_body=2000))

    assert status == 413


async def test_requests_that_pile_up_behind_one_cut_the_connection() -> None:
    body = orjson.dumps({"model": "any?ttft_ms=60000", "stream": True, "messages": []})
    request = b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % len(body) + body
    async with serving(ServerConfig(largest_body=2000)) as server:
        reader, writer = await asyncio.open_connection(server.host, server.port)
        writer.write(request + b"x" * 200_000)
        with pytest.raises(ConnectionError):
            await reader.read()
        writer.close()


async def test_an_endless_first_line_is_refused() -> None:
    status, body = await sent(b"GET /" + b"a" * 10_000 + b" HTTP/1.1\r\n\r\n")

    assert status == 414
    assert "8192" in str(body["error"])


@pytest.mark.parametrize("host", ["attacker.example", "attacker.example:80", "192.0.2.1", "[2001:db8::1]:80"])
async def test_a_request_for_another_host_is_refused(host: str) -> None:
    status, body = await sent(asking(host, "/_sim/log"))

    assert status == 421
    assert "Host" in str(body["error"])


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "127.1.2.3", "[::1]:8080", ""])
async def test_a_request_for_this_machine_is_answered(host: str) -> None:
    status, body = await sent(asking(host))

    assert (status, body["status"]) == (200, "ok")


def test_a_server_for_others_answers_to_any_name() -> None:
    gate = Gate(lambda _path, _status, _message: b"", is_loopback("0.0.0.0"))  # noqa: S104 - nothing listens

    assert gate.admits("bench.example:80")
