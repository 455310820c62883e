"""JSON-RPC 2.0 with a language server on its standard streams, as the Language Server Protocol frames it.

Answers are awaited by number; what the server asks of us on the way is answered with nothing, and what it only reports
(diagnostics, progress, logs) is dropped.
"""

import asyncio
import json
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeGuard

from runner.json_texts import parse_json

_LONGEST_MESSAGE = 64 << 20
_LONGEST_HEADER = 1 << 16
_LAST_WORDS_S = 2.0


class ServerError(Exception):
    """The server ended, or sent something that is no message; nothing more will come from it."""


class DeclinedError(Exception):
    """The server answered a request with an error."""


class Connection:
    """A running server; `aclose` ends it with all that it started."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Take a process whose standard streams are pipes, and begin to read."""
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._into, self._out = process.stdin, process.stdout
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._asked = 0
        self._ended: ServerError | None = None
        self._reader = asyncio.create_task(self._read(), name="language server reader")

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path, env: Mapping[str, str]) -> "Connection":
        """Start a command in a folder. Raises ServerError where it cannot be run."""
        pipe, nothing = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe,
                stderr=nothing,
                cwd=folder,
                env=dict(env),
                limit=_LONGEST_HEADER,
                start_new_session=True,
            )
        except OSError as error:
            raise ServerError(f"cannot be started ({error.strerror})") from error
        return cls(process)

    async def request(self, method: str, params: object) -> object:
        """The result of a request. Raises DeclinedError for an error in its place, ServerError."""
        self._asked += 1
        number = self._asked
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            await self._send({"id": number, "method": method, "params": params})
            return await future
        finally:
            self._waiting.pop(number, None)

    async def notify(self, method: str, params: object) -> None:
        """Notify the server. Raises ServerError."""
        await self._send({"method": method, "params": params})

    async def aclose(self, seconds: float = 0) -> None:
        """End the process, which has so many seconds to go by itself."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), seconds)
        # The group outlives its leader where the server left children behind.
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._end(ServerError("ended"))
        self._reader.cancel()
        with suppress(asyncio.CancelledError):
            await self._reader
        self._into.close()
        # A process counts as gone once all its output is read; who holds its output open from afar is not waited for.
        with suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_S):
                while await self._out.read(_LONGEST_HEADER):
                    pass
                await self._process.wait()

    async def _send(self, message: Mapping[str, object]) -> None:
        if self._ended is not None:
            raise self._ended
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        try:
            self._into.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            await self._into.drain()
        except (ConnectionError, RuntimeError) as error:
            raise ServerError("ended") from error

    async def _read(self) -> None:
        try:
            while True:
                await self._heard(await self._message())
        except ServerError as error:
            self._end(error)
        except (asyncio.IncompleteReadError, ConnectionError):
            self._end(ServerError("ended before it had answered"))

    def _end(self, error: ServerError) -> None:
        self._ended = error
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)

    async def _message(self) -> dict[str, Any]:
        length = await self._length()
        body = await self._out.readexactly(length)
        try:
            message: object = parse_json(body, json.loads)
        except ValueError as error:
            raise ServerError(f"sent {length} bytes that are no JSON") from error
        if not _is_object(message):
            raise ServerError("sent JSON that is no message")
        return message

    async def _length(self) -> int:
        """The length of the next message by its header."""
        length = -1
        while True:
            try:
                line = await self._out.readuntil(b"\n")
            except asyncio.LimitOverrunError as error:
                raise ServerError("sent a header without end") from error
            if not line.strip():
                break
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
            elif not value:
                raise ServerError(f"sent {line[:40]!r} where a header was due")
        if not 0 <= length <= _LONGEST_MESSAGE:
            raise ServerError("sent a header without a length that a message can have")
        return length

    async def _heard(self, message: dict[str, Any]) -> None:
        number = message.get("id")
        if "method" in message:
            if number is not None:
                await self._send({"id": number, "result": _reply(message)})
            return
        future = self._waiting.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
        else:
            fields = error if _is_object(error) else {}
            future.set_exception(DeclinedError(str(fields.get("message", error))))


def _reply(message: Mapping[str, Any]) -> object:
    """What a server's own request gets: no settings for each part it asks about, else nothing."""
    params = message.get("params")
    if message["method"] == "workspace/configuration" and _is_object(params) and isinstance(params.get("items"), list):
        return [None] * len(params["items"])
    return None


def _is_object(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)
