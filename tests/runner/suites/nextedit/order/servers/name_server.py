"""A small language server for the tests: it speaks the real wire format and knows names by their spelling alone.

`let NAME` defines a name; columns are counted in units of UTF-16, as the protocol has them. The first argument says
how it behaves: `well`; `links`, `whole` and `single` shape its answers; `uses` knows of references alone, `untold` and
`mute` too, but do not say so; `curious` asks for settings before every answer; `declines`, `dies`, `hangs`, `babbles`,
`floods`, `silent`.
"""

import json
import re
import sys
import time
from collections.abc import Iterator
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else "well"
NAME = re.compile(r"\w+")
TEXTS: dict[str, str] = {}
WAITING: list[dict[str, Any]] = []


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(
        b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n" % len(body) + body
    )
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any]:
    length = 0
    while line := sys.stdin.buffer.readline().strip():
        name, _, value = line.partition(b": ")
        length = int(value) if name == b"Content-Length" else length
    if not length:
        sys.exit(3)
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


def names() -> Iterator[tuple[str, dict[str, Any], bool]]:
    for uri, text in TEXTS.items():
        for row, line in enumerate(re.split(r"\r\n|\r|\n", text)):
            for found in NAME.finditer(line):
                start, end = units(line[: found.start()]), units(line[: found.end()])
                if MODE == "whole":
                    start, end = 0, units(line)
                span = {"start": {"line": row, "character": start}, "end": {"line": row, "character": end}}
                yield found[0], {"uri": uri, "range": span}, line[: found.start()].endswith("let ")


def name_at(uri: str, row: int, column: int) -> str:
    line = re.split(r"\r\n|\r|\n", TEXTS[uri])[row]
    return next(
        (each[0] for each in NAME.finditer(line) if units(line[: each.start()]) <= column < units(line[: each.end()])),
        "",
    )


def answer(method: str, params: dict[str, Any]) -> object:
    uri, position = params["textDocument"]["uri"], params["position"]
    asked = name_at(uri, position["line"], position["character"])
    defining = method == "textDocument/definition"
    found = [place for name, place, defines in names() if name == asked and defines is defining]
    if MODE == "links":
        return [
            {"targetUri": each["uri"], "targetRange": each["range"], "targetSelectionRange": each["range"]}
            for each in found
        ]
    return (found[0] if found else None) if MODE == "single" else found


def serve(message: dict[str, Any]) -> None:
    method, number = message.get("method"), message.get("id")
    if method == "initialize":
        able = {"uses": {"referencesProvider": True}, "untold": {}, "mute": {}}.get(MODE, {"definitionProvider": True})
        send({"id": number, "result": {"capabilities": able}})
    elif method == "textDocument/didOpen":
        TEXTS[message["params"]["textDocument"]["uri"]] = message["params"]["textDocument"]["text"]
        send({"method": "textDocument/publishDiagnostics", "params": {"diagnostics": []}})
    elif method == "shutdown":
        send({"id": number, "result": None})
    elif method == "exit":
        sys.exit(0)
    elif method and method.startswith("textDocument/"):
        reply(message)


def reply(asked: dict[str, Any]) -> None:
    method, number = asked["method"], asked["id"]
    misbehave()
    if MODE == "declines":
        send({"id": number, "error": {"code": -32603, "message": "not today"}})
    elif MODE in {"uses", "untold", "mute"} and method == "textDocument/definition":
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        send({"id": number, **({"result": None} if MODE == "mute" else unknown)})
    else:
        send({"id": number, "result": answer(method, asked["params"])})


def misbehave() -> None:
    if MODE == "dies":
        sys.exit(1)
    if MODE == "hangs":
        time.sleep(60)
    if MODE in {"babbles", "floods"}:
        sys.stdout.write("Welcome!\n" * (9 if MODE == "babbles" else 10_000_000))
        sys.stdout.flush()
    if MODE == "curious":
        send({"id": "q", "method": "workspace/configuration", "params": {"items": [{}, {}]}})
        while (message := receive()).get("id") != "q":
            WAITING.append(message)
        assert message["result"] == [None, None]


if __name__ == "__main__":
    if MODE == "silent":
        time.sleep(60)
    while True:
        serve(WAITING.pop(0) if WAITING else receive())
