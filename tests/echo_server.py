"""A loopback server that repeats the key of each request, in the way that the request's last words ask for."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

Chunk = dict[str, object]
Say = Callable[[str], Chunk]

# What a question may ask for; an answer holds the key whole and cut at each character.
ANSWERS = ("text", "reasoning", "tool", "fields")
FAILURES = ("refusal", "page", "stream error", "broken")


def _chat(**delta: object) -> Chunk:
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}  # fmt: skip


def _call(text: str) -> Chunk:
    return _chat(tool_calls=[{"index": 0, "id": "t", "type": "function", "function": {"arguments": text}}])


def _prompted(text: str) -> Chunk:
    return {"id": "c", "choices": [{"index": 0, "text": text, "finish_reason": None}]}


def _block(**delta: object) -> Chunk:
    return {"type": "content_block_delta", "index": 0, "delta": delta}


_CHAT: dict[str, Say] = {
    "text": lambda text: _chat(content=text),
    "reasoning": lambda text: _chat(reasoning_content=text),
    "tool": _call,
}
_MESSAGES: dict[str, Say] = {
    "text": lambda text: _block(type="text_delta", text=text),
    "reasoning": lambda text: _block(type="thinking_delta", thinking=text),
    "tool": lambda text: _block(type="input_json_delta", partial_json=text),
}


def _texts(key: str) -> tuple[str, ...]:
    return ("I say ", key, " and ", *key, ".")


def _openai(kind: str, key: str, *, prompted: bool) -> Iterable[Chunk | str]:
    say = _prompted if prompted else _CHAT.get(kind, _CHAT["text"])
    yield from map(say, _texts(key) if kind != "fields" else ("hello",))
    named = key if kind == "fields" else "m"
    choice = {"index": 0, "text" if prompted else "delta": "" if prompted else {}, "finish_reason": "stop"}
    yield {"id": named, "model": named, "provider": named, "system_fingerprint": named, "choices": [choice]}
    yield "[DONE]"


def _anthropic(kind: str, key: str) -> Iterable[Chunk | str]:
    named = key if kind == "fields" else "m"
    yield {"type": "message_start", "message": {"id": named, "model": named, "usage": {"input_tokens": 1}}}
    yield from map(_MESSAGES.get(kind, _MESSAGES["text"]), _texts(key) if kind != "fields" else ("hello",))
    yield {"type": "message_delta", "delta": {"stop_reason": named}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def answer(path: str, kind: str, key: str) -> bytes:
    """The body of a stream."""
    if kind == "stream error":
        error = {"message": f"no room, {key}", "type": "server_error", "code": key}
        return sse([{"type": "error", "error": error}])
    if path.endswith("/messages"):
        return sse(_anthropic(kind, key))
    return (
        b": ping " + key.encode() + b"\n\n" + sse(_openai(kind, key, prompted=not path.endswith("/chat/completions")))
    )


def sse(chunks: Iterable[Chunk | str]) -> bytes:
    lines = (chunk if isinstance(chunk, str) else json.dumps(chunk) for chunk in chunks)
    return "".join(f"data: {line}\n\n" for line in lines).encode()


@asynccontextmanager
async def echoing() -> AsyncIterator[tuple[str, list[str]]]:
    """The address of the server, and the keys that it was sent."""
    heard: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await _answer(reader, writer, heard)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", heard


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: list[str]) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode().strip().split("\r\n")
    headers = {name.lower(): text for name, _, text in (line.partition(": ") for line in lines)}
    body = json.loads(await reader.readexactly(int(headers["content-length"])))
    key = headers.get("x-api-key") or headers["authorization"].removeprefix("Bearer ")
    heard.append(key)
    kind = body.get("prompt") or _words(body["messages"][-1]["content"])
    await _send(writer, first.split()[1], kind, key)


def _words(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else content[-1]["text"]


async def _send(writer: asyncio.StreamWriter, path: str, kind: str, key: str) -> None:
    """Send an answer byte by byte, a refusal at once."""
    refused = kind in ("refusal", "page")
    shown = f"x-request-id: {key}\r\nopenai-organization: {key}\r\n"
    status = "401 Unauthorized" if refused else "200 OK"
    writer.write(f"HTTP/1.1 {status}\r\ncontent-type: text/event-stream\r\n{shown}".encode())
    if refused:
        error = {"error": {"message": f"Incorrect API key provided: {key}.", "type": key, "code": key}}
        data = json.dumps(error).encode() if kind == "refusal" else f"<p>No: {key}</p>".encode()
        writer.write(b"content-length: %d\r\n\r\n%s" % (len(data), data))
        await writer.drain()
        return
    writer.write(b"transfer-encoding: chunked\r\n\r\n")
    data = answer(path, kind, key)
    for at in range(len(data) // 2 if kind == "broken" else len(data)):
        writer.write(b"1\r\n%c\r\n" % data[at])
        if at % 64 == 0:
            await writer.drain()
    if kind == "broken":
        writer.transport.abort()
        raise ConnectionError
    writer.write(b"0\r\n\r\n")
    await writer.drain()
