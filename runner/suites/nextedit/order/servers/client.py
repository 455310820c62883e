"""One language server at work on one folder: opened, shown the touched files, asked for symbols, and ended."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from runner.suites.nextedit.order.servers.choice import Server
from runner.suites.nextedit.order.servers.rpc import Connection, DeclinedError, ServerError
from runner.syntax import language_of

Method = Literal["definition", "references"]
_AT_ONCE = 8
_LANGUAGE_IDS = {"tsx": "typescriptreact", "bash": "shellscript", "make": "makefile", "objc": "objective-c"}
_CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "synchronization": {},
        "definition": {"linkSupport": True},
        "references": {},
        "publishDiagnostics": {},
    },
    "workspace": {"configuration": True, "workspaceFolders": True},
}


@dataclass(frozen=True, slots=True)
class ServerDeadlines:
    """How long a server may take, in seconds: to be ready, for one answer, for all answers, to take its leave."""

    ready_s: float = 20.0
    answer_s: float = 10.0
    all_s: float = 120.0
    farewell_s: float = 3.0


@dataclass(frozen=True, slots=True)
class SymbolLocation:
    """Where a symbol is: a path in the folder, or an address elsewhere; 0-based, columns in units of UTF-16."""

    path: str
    row: int
    column: int
    end_row: int
    end_column: int


class Client:
    """A server that is ready for questions."""

    def __init__(self, connection: Connection, folder: Path, method: Method, deadlines: ServerDeadlines) -> None:
        self.method: Method = method
        self._connection = connection
        self._roots = tuple(dict.fromkeys((folder.as_uri(), folder.resolve().as_uri())))
        self._uri = folder.as_uri()
        self._deadlines = deadlines
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def open(self, texts: Mapping[str, str]) -> None:
        """Show the server files of the folder. Raises ServerError."""
        for path, text in texts.items():
            language = "javascriptreact" if path.endswith(".jsx") else language_of(path) or ""
            document = {
                "uri": self._address(path),
                "languageId": _LANGUAGE_IDS.get(language, language),
                "version": 1,
                "text": text,
            }
            await self._connection.notify("textDocument/didOpen", {"textDocument": document})

    async def ask(self, path: str, row: int, column: int) -> tuple[SymbolLocation, ...]:
        """Where the symbol at a place is defined, or by `method` where it is used. Raises ServerError, TimeoutError.

        A server that declines has no answer.
        """
        async with self._slots, asyncio.timeout(self._deadlines.answer_s):
            try:
                return tuple(self._locations(await self._connection.request(*self._question(path, row, column))))
            except DeclinedError:
                return ()

    def _question(self, path: str, row: int, column: int) -> tuple[str, dict[str, Any]]:
        params: dict[str, Any] = {
            "textDocument": {"uri": self._address(path)},
            "position": {"line": row, "character": column},
        }
        if self.method == "references":
            params["context"] = {"includeDeclaration": False}
        return f"textDocument/{self.method}", params

    def _address(self, path: str) -> str:
        return f"{self._uri}/{Path('/', path).as_uri().removeprefix('file:///')}"

    def _locations(self, answer: object) -> Iterator[SymbolLocation]:
        """The places in an answer: one or several, as locations or as links. Raises ServerError for anything else."""
        if answer is None:
            return
        try:
            locations: list[Any] = answer if isinstance(answer, list) else [answer]
            for location in locations:
                uri = location.get("targetUri") or location["uri"]
                span = location.get("targetSelectionRange") or location.get("targetRange") or location["range"]
                start, end = span["start"], span["end"]
                numbers = (start["line"], start["character"], end["line"], end["character"])
                yield SymbolLocation(self._path(str(uri)), *map(int, numbers))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ServerError("answered with something that is no place") from error

    def _path(self, uri: str) -> str:
        """The path inside the folder, or the address as it is."""
        path = f"file://{unquote(urlsplit(uri).path)}"
        for root in self._roots:
            inside = path.removeprefix(f"file://{unquote(urlsplit(root).path)}/")
            if inside != path:
                return inside
        return uri


@asynccontextmanager
async def opened(server: Server, folder: Path, deadlines: ServerDeadlines) -> AsyncIterator[Client]:
    """A server at work on a folder. Raises ServerError, TimeoutError where it does not get ready in time."""
    connection = await Connection.start(server.command, folder, server.env)
    leave_s = 0.0
    try:
        async with asyncio.timeout(deadlines.ready_s):
            answer = await _greet(connection, folder)
        yield Client(connection, folder, _method(answer), deadlines)
        leave_s = deadlines.farewell_s
        await _farewell(connection, leave_s)
    except DeclinedError as error:
        raise ServerError(f"declined: {error}") from error
    finally:
        await connection.aclose(leave_s)


async def _greet(connection: Connection, folder: Path) -> object:
    uri = folder.as_uri()
    params = {
        "processId": None,
        "clientInfo": {"name": "evals"},
        "rootPath": str(folder),
        "rootUri": uri,
        "workspaceFolders": [{"uri": uri, "name": folder.name}],
        "capabilities": _CAPABILITIES,
    }
    answer = await connection.request("initialize", params)
    await connection.notify("initialized", {})
    return answer


async def _farewell(connection: Connection, seconds: float) -> None:
    """Let the server go; one that does not end by itself has answered all questions, and is ended all the same."""
    try:
        async with asyncio.timeout(seconds):
            await connection.request("shutdown", None)
            await connection.notify("exit", None)
    except (TimeoutError, ServerError, DeclinedError):
        return


def _method(answer: object) -> Method:
    """What to ask for: definitions, unless a server says that it knows of references alone."""
    capabilities = answer.get("capabilities") if isinstance(answer, dict) else None
    able = capabilities if isinstance(capabilities, dict) else {}
    return "references" if able.get("referencesProvider") and not able.get("definitionProvider") else "definition"
