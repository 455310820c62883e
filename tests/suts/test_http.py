import asyncio
import re
import time
import traceback

import pytest

from suts.http import HttpStreams
from suts.rate_headers import RateHeaders
from suts.sut import ErrorKind, Received, SutError
from tests.suts.conftest import Serve, Step, plain, streaming

KEY = "sk-planted-0123456789abcdef"
HEADERS = {"Authorization": f"Bearer {KEY}"}


async def received(http: HttpStreams, url: str, body: bytes = b"{}") -> list[Received]:
    return [piece async for piece in http.post_stream(url, HEADERS, body)]


async def failed(serve: Serve, script: list[Step]) -> SutError:
    http = HttpStreams(secret=KEY)
    async with serve(script) as server:
        with pytest.raises(SutError) as caught:
            await received(http, server.url)
    await http.aclose()
    return caught.value


async def test_pieces_come_as_they_were_sent_each_with_its_arrival(serve: Serve) -> None:
    ticks = iter(range(100))
    http = HttpStreams(now_ns=lambda: next(ticks))

    async with serve([*streaming(b"data: a\n\n")[:2], 0.05, *streaming(b"data: b\n\n")[1:]]) as server:
        pieces = await received(http, server.url, b'{"x":1}')
        await http.aclose()

    assert [piece.data for piece in pieces] == [b"", b"data: a\n\n", b"data: b\n\n"]
    assert pieces[0].at_ns < pieces[1].at_ns < pieces[2].at_ns
    assert server.asked[0].body == b'{"x":1}'
    assert server.asked[0].headers["accept-encoding"] == "identity"


async def test_a_large_body_is_sent_whole(serve: Serve) -> None:
    http = HttpStreams()

    async with serve(streaming(b"data: a\n\n")) as server:
        await received(http, server.url, b"x" * 3_000_000)
        await http.aclose()

    assert len(server.asked[0].body) == 3_000_000


@pytest.mark.parametrize(
    "status,kind,retryable",
    [
        (400, ErrorKind.BAD_REQUEST, False),
        (401, ErrorKind.AUTH, False),
        (402, ErrorKind.AUTH, False),
        (403, ErrorKind.AUTH, False),
        (404, ErrorKind.NOT_FOUND, False),
        (408, ErrorKind.TIMEOUT, True),
        (409, ErrorKind.SERVER, True),
        (413, ErrorKind.BAD_REQUEST, False),
        (422, ErrorKind.BAD_REQUEST, False),
        (429, ErrorKind.RATE_LIMIT, True),
        (500, ErrorKind.SERVER, True),
        (502, ErrorKind.SERVER, True),
        (503, ErrorKind.OVERLOADED, True),
        (529, ErrorKind.OVERLOADED, True),
        (302, ErrorKind.BAD_REQUEST, False),
    ],
)
async def test_a_status_tells_the_kind(serve: Serve, status: int, kind: ErrorKind, retryable: bool) -> None:
    error = await failed(serve, plain(b'{"error": {"message": "no such luck"}}', status=f"{status} X"))

    assert (error.kind, error.retryable, error.status) == (kind, retryable, status)
    assert str(error) == f"{status}: no such luck"


async def test_an_empty_purse_is_not_worth_waiting(serve: Serve) -> None:
    body = b'{"error": {"message": "quota", "type": "insufficient_quota", "code": "insufficient_quota"}}'

    error = await failed(serve, plain(body, status="429 X"))

    assert (error.kind, error.retryable) == (ErrorKind.RATE_LIMIT, False)


@pytest.mark.parametrize(
    "body,text",
    [
        pytest.param(b"<html>Bad\n Gateway</html>", "502: <html>Bad Gateway</html>", id="html"),
        pytest.param(b"", "502", id="nothing"),
        pytest.param(b'{"detail": "wrong"}', "502: wrong", id="detail"),
        pytest.param(b'{"error": "short"}', "502: short", id="text"),
        pytest.param(b'[{"error": {"message": "listed"}}]', "502: listed", id="list"),
        pytest.param(b'{"odd": [1]}', '502: {"odd":[1]}', id="other-json"),
        pytest.param(b'{"message": "x", "type": "t", "code": 7}', "502 7 t: x", id="words"),
    ],
)
async def test_the_error_says_what_the_body_says(serve: Serve, body: bytes, text: str) -> None:
    error = await failed(serve, plain(body, status="502 Bad Gateway"))

    assert str(error) == text


async def test_a_long_error_is_clipped(serve: Serve) -> None:
    error = await failed(serve, plain(b"x" * 100_000, status="500 X"))

    assert len(str(error)) == 300


async def test_the_wait_that_a_refusal_asks_for_is_told(serve: Serve) -> None:
    error = await failed(serve, plain(b"", status="429 X", headers="Retry-After: 7\r\n"))

    assert error.retry_after_s == 7.0


async def test_the_limits_in_every_response_are_told(serve: Serve) -> None:
    http, told = HttpStreams(), list[RateHeaders]()
    http.on_headers = told.append
    headers = "x-ratelimit-remaining-requests: 3\r\n"

    async with serve(streaming(b"data: a\n\n", headers=headers), plain(b"", status="500 X")) as server:
        await received(http, server.url)
        with pytest.raises(SutError):
            await received(http, server.url)
        await http.aclose()

    assert [(each.status, each.requests.remaining) for each in told] == [(200, 3), (500, None)]


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([*streaming(b"data: a\n\n")[:2], "reset"], id="reset"),
        pytest.param([*streaming(b"data: a\n\n")[:2], "close"], id="closed-within-the-body"),
        pytest.param([b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ndata: a\n\n", "close"], id="short"),
    ],
)
async def test_a_connection_that_breaks_within_the_answer_is_cut(serve: Serve, script: list[Step]) -> None:
    error = await failed(serve, script)

    assert (error.kind, error.retryable) == (ErrorKind.CUT, True)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(["reset"], id="reset"),
        pytest.param(["close"], id="closed"),
        pytest.param([b"this is not HTTP\r\n\r\n", "close"], id="no-http"),
    ],
)
async def test_a_connection_that_breaks_before_the_answer_is_no_connection(serve: Serve, script: list[Step]) -> None:
    error = await failed(serve, script)

    assert (error.kind, error.retryable) == (ErrorKind.CONNECTION, True)


async def test_nobody_listening_is_no_connection(serve: Serve) -> None:
    async with serve([]) as server:
        url = server.url
    http = HttpStreams()

    with pytest.raises(SutError) as caught:
        await received(http, url)

    await http.aclose()
    assert (caught.value.kind, caught.value.retryable) == (ErrorKind.CONNECTION, True)


@pytest.mark.parametrize(
    "body,kind",
    [
        pytest.param(b'{"error": {"message": "slow", "code": 429}}', ErrorKind.RATE_LIMIT, id="error"),
        pytest.param(b'{"choices": [{"message": {"content": "hi"}}]}', ErrorKind.MALFORMED, id="no-stream"),
    ],
)
async def test_a_good_status_with_one_object_is_an_error(serve: Serve, body: bytes, kind: ErrorKind) -> None:
    error = await failed(serve, plain(body))

    assert (error.kind, error.retryable) == (kind, True)


async def test_a_stream_left_early_gives_its_connection_up(serve: Serve) -> None:
    http = HttpStreams()
    endless: list[Step] = [*streaming(b"data: a\n\n")[:2], 0.05, *streaming(b"data: b\n\n")[1:]]

    async with serve(endless) as server:
        stream = http.post_stream(server.url, HEADERS, b"{}")
        async for _ in stream:
            break
        await stream.aclose()
        pieces = await received(http, server.url)
        await http.aclose()

    assert len(pieces) == 3


async def test_the_clock_starts_when_the_request_goes_out_not_when_it_waits_to_connect(serve: Serve) -> None:
    now_s = asyncio.get_running_loop().time
    http = HttpStreams(now_ns=lambda: round(now_s() * 1e9))

    async with serve(streaming(b"data: a\n\n")) as server:
        waiting = [asyncio.create_task(received(http, server.url)) for _ in range(20)]
        await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251 - what a burst of other work does to the loop
        working_s = now_s()
        sent_s = [pieces[0].at_ns / 1e9 for pieces in await asyncio.gather(*waiting)]
        await http.aclose()

    assert min(sent_s) >= working_s


async def test_a_key_never_comes_back(serve: Serve) -> None:
    said = f'{{"error": {{"message": "Incorrect API key provided: {KEY}"}}}}'.encode()

    error = await failed(serve, plain(said, status="401 X"))

    frames = [repr(frame.f_locals) for frame, _ in traceback.walk_tb(error.__traceback__)]
    shown = [str(error), repr(error), *traceback.format_exception(error), repr(error.__context__), *frames]
    assert "Incorrect API key provided: [redacted]" in str(error)
    assert not re.search(KEY, "".join(shown[:4]))


async def test_pieces_are_what_came(serve: Serve) -> None:
    http = HttpStreams(secret=KEY)
    said = [b"data: your key is " + KEY[:5].encode(), KEY[5:].encode() + b"\n\n"]

    async with serve(streaming(*said)) as server:
        pieces = await received(http, server.url)
        await http.aclose()

    assert b"".join(piece.data for piece in pieces) == b"".join(said)
