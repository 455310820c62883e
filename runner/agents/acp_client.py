"""A client of the Agent Client Protocol, run in the cell: gives one task to an agent, prints all messages as lines.

Run as `python -c SOURCE COMMAND...` with the task on standard input; needs the standard library alone. Version 1 of the
protocol. Permissions are given, for this is a cell; files can also be read and written through the client. An agent
that opens no session without authentication gets it by its methods that take a key, which is in its variables.
"""

import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

_INITIALIZE, _NEW, _PROMPT, _AUTHENTICATE = 0, 1, 2, 3
_NO_METHOD, _FAILED = -32601, -32603
_NOT_FOUND = (126, 127)
_END_S = 10.0
_CAPABILITIES = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": False}


class AcpClient:
    """One session with one agent."""

    def __init__(self, messages: IO[str], agent: IO[str], task: str) -> None:
        """Take what the agent writes and reads."""
        self._messages = messages
        self._agent = agent
        self._task = task
        self._methods: list[str] = []

    def run(self) -> int:
        """Return 0 once the agent has ended its turn; 1 after an error, and where it ended before."""
        self._send(
            id=_INITIALIZE, method="initialize", params={"protocolVersion": 1, "clientCapabilities": _CAPABILITIES}
        )
        for line in self._messages:
            sys.stdout.write(line)
            sys.stdout.flush()
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if "method" in message:
                self._serve(message)
            elif "error" in message:
                if not self._authenticates(message):
                    return 1
            elif self._next(message):
                return 0
        return 1

    def _next(self, message: dict[str, Any]) -> bool:
        """Send what follows an answer; return whether it was the last one."""
        result = message.get("result") or {}
        if message.get("id") in {_INITIALIZE, _AUTHENTICATE}:
            methods = (str(method.get("id")) for method in result.get("authMethods") or [])
            self._methods += [method for method in methods if "key" in method.lower()]
            self._send(id=_NEW, method="session/new", params={"cwd": str(Path.cwd()), "mcpServers": []})
        elif message.get("id") == _NEW:
            prompt = [{"type": "text", "text": self._task}]
            self._send(
                id=_PROMPT, method="session/prompt", params={"sessionId": result.get("sessionId"), "prompt": prompt}
            )
        return message.get("id") == _PROMPT

    def _authenticates(self, message: dict[str, Any]) -> bool:
        """Try the next method after an error that opened no session; return whether there was one."""
        if message.get("id") not in {_NEW, _AUTHENTICATE} or not self._methods:
            return False
        self._send(id=_AUTHENTICATE, method="authenticate", params={"methodId": self._methods.pop(0)})
        return True

    def _serve(self, message: dict[str, Any]) -> None:
        """Answer a request of the agent; a notification needs no answer."""
        if "id" not in message:
            return
        try:
            result = _served(message["method"], message.get("params") or {})
        except LookupError:
            self._send(id=message["id"], error={"code": _NO_METHOD, "message": "no such method"})
        except (OSError, ValueError) as error:
            self._send(id=message["id"], error={"code": _FAILED, "message": str(error)})
        else:
            self._send(id=message["id"], result=result)

    def _send(self, **message: object) -> None:
        self._agent.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._agent.flush()


def _served(method: str, params: dict[str, Any]) -> object:
    """Return the result of a request. Raises LookupError for an unknown one, OSError or ValueError for a failure."""
    match method:
        case "session/request_permission":
            options = params.get("options") or []
            allowed = [option["optionId"] for option in options if str(option.get("kind")).startswith("allow")]
            return {"outcome": {"outcome": "selected", "optionId": allowed[0]} if allowed else {"outcome": "cancelled"}}
        case "fs/read_text_file":
            return {"content": _lines(Path(params["path"]).read_bytes().decode(), params)}
        case "fs/write_text_file":
            Path(params["path"]).parent.mkdir(parents=True, exist_ok=True)
            Path(params["path"]).write_bytes(str(params["content"]).encode())
            return None
        case _:
            raise LookupError(method)


def _lines(text: str, params: dict[str, Any]) -> str:
    """Return the lines that are asked for, from 1 on; all of them by default."""
    lines = text.splitlines(keepends=True)
    start = max(0, int(params.get("line") or 1) - 1)
    limit = params.get("limit")
    return "".join(lines[start : None if limit is None else start + int(limit)])


def main() -> int:
    """Start the agent, give it the task, and end it; return 126 or 127 where it could not start, as shells do."""
    task = sys.stdin.read()
    pipe = subprocess.PIPE
    try:
        # The command that the user has named.
        agent = subprocess.Popen(sys.argv[1:], stdin=pipe, stdout=pipe, text=True, encoding="utf-8")  # noqa: S603
    except OSError as error:
        sys.stdout.write(f"{error}\n")
        return _NOT_FOUND[-1]
    try:
        return _code(agent, task)
    finally:
        agent.kill()
        agent.wait()


def _code(agent: "subprocess.Popen[str]", task: str) -> int:
    assert agent.stdin is not None
    assert agent.stdout is not None
    code = 1
    with suppress(BrokenPipeError):
        code = AcpClient(agent.stdout, agent.stdin, task).run()
    if code:
        # Its own code says whether it began at all.
        with suppress(subprocess.TimeoutExpired):
            agent.wait(_END_S)
    return agent.returncode if agent.returncode in _NOT_FOUND else code


if __name__ == "__main__":
    sys.exit(main())
