"""The agent of `player.py` over the Agent Client Protocol; with `--fs` files go through the client.

With `--locked` no session begins before it was authenticated by a key.
"""

import argparse
import itertools
import json
import sys
from pathlib import Path
from typing import TextIO

# Run as a program from whatever folder: this finds the next import.
sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.agents.player import (
    WIRES,
    AgentError,
    Answer,
    Fields,
    Hands,
    Outcome,
    ToolCall,
    inner,
    objects,
    options,
    work,
)

KINDS = {"read": "read", "edit": "edit", "write": "edit", "run": "execute"}


class ProtocolAgent:
    """The agent's side of the Agent Client Protocol, for one session with one prompt after another."""

    def __init__(self, given: TextIO, out: TextIO, options: argparse.Namespace) -> None:
        self.given, self.out, self.options = given, out, options
        self.numbers = itertools.count(1)
        self.hands = Hands(Path.cwd())
        self.cancelled = False
        self.locked = options.locked

    def send(self, **message: object) -> None:
        self.out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.out.flush()

    def update(self, name: str, **fields: object) -> None:
        self.send(method="session/update", params={"sessionId": "s1", "update": {"sessionUpdate": name, **fields}})

    def request(self, method: str, **params: object) -> Fields:
        """Ask the client; what it cancels meanwhile is kept in mind."""
        asked = f"a{next(self.numbers)}"
        self.send(id=asked, method=method, params={"sessionId": "s1", **params})
        for line in self.given:
            message = json.loads(line)
            if message.get("id") == asked:
                if "error" in message:
                    raise AgentError(str(message["error"]))
                return inner(message.get("result"))
            self.cancelled |= message.get("method") == "session/cancel"
        raise AgentError("the client has left")

    def serve(self) -> None:
        for line in self.given:
            message = json.loads(line)
            method, params = message.get("method"), inner(message.get("params"))
            if method == "initialize":
                info = {"name": "player", "version": "1"}
                methods = [{"id": "oauth", "name": "Log in"}, {"id": "api-key", "name": "A key"}]
                result = {"protocolVersion": 1, "authMethods": methods, "agentCapabilities": {}, "agentInfo": info}
                self.send(id=message["id"], result=result)
            elif method == "authenticate":
                self.locked = params.get("methodId") != "api-key"
                self.send(id=message["id"], result={})
            elif method == "session/new" and self.locked:
                self.send(id=message["id"], error={"code": -32000, "message": "Authentication required"})
            elif method == "session/new":
                self.hands = (
                    Remote(self, Path(str(params["cwd"]))) if self.options.fs else Hands(Path(str(params["cwd"])))
                )
                self.send(id=message["id"], result={"sessionId": "s1"})
            elif method == "session/prompt":
                self.prompted(message["id"], "".join(str(part.get("text", "")) for part in objects(params["prompt"])))
            elif "id" in message:
                self.send(id=message["id"], error={"code": -32601, "message": f"no method {method}"})

    def prompted(self, asked: object, task: str) -> None:
        try:
            work(WIRES[self.options.wire](self.options.model), task, self.options.turns, self.use, self.tell)
            reason = "end_turn"
        except AgentError as error:
            if error.code == 1 and not self.cancelled:
                self.send(id=asked, error={"code": -32603, "message": str(error)})
                return
            reason = "cancelled" if self.cancelled else "max_turn_requests"
        self.send(id=asked, result={"stopReason": reason})

    def tell(self, answer: Answer) -> None:
        if answer.text:
            self.update("agent_message_chunk", content={"type": "text", "text": answer.text})
        self.update("usage_update", used=sum(answer.tokens), size=200_000)

    def use(self, call: ToolCall) -> Outcome:
        kind = KINDS.get(call.name, "other")
        self.update("tool_call", toolCallId=call.call_id, title=call.name, kind=kind, status="pending", rawInput={})
        places = [{"path": str(self.hands.folder / call.values["path"])}] if "path" in call.values else []
        self.update("tool_call_update", toolCallId=call.call_id, rawInput=call.values, locations=places)
        done = self.permitted(call) if kind in ("edit", "execute") else self.hands.use(call)
        content = [{"type": "content", "content": {"type": "text", "text": done.text}}]
        status = "failed" if done.failed else "completed"
        self.update("tool_call_update", toolCallId=call.call_id, status=status, content=content)
        return done

    def permitted(self, call: ToolCall) -> Outcome:
        options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_once", "reject_once")]
        answer = self.request("session/request_permission", options=options, toolCall={"toolCallId": call.call_id})
        outcome = inner(answer.get("outcome"))
        if outcome.get("outcome") == "cancelled":
            self.cancelled = True
            raise AgentError("cancelled")
        allowed = outcome.get("optionId") == "allow_once"
        return self.hands.use(call) if allowed else Outcome(call.call_id, "Error: not permitted", failed=True)


class Remote(Hands):
    """Reads and writes files through the client."""

    def __init__(self, agent: ProtocolAgent, folder: Path) -> None:
        super().__init__(folder)
        self.agent = agent

    def load(self, path: str) -> str:
        return str(self.agent.request("fs/read_text_file", path=str(self.folder / path))["content"])

    def store(self, path: str, text: str) -> None:
        self.agent.request("fs/write_text_file", path=str(self.folder / path), content=text)


def main() -> None:
    parser = options(argparse.ArgumentParser())
    parser.add_argument("--fs", action="store_true")
    parser.add_argument("--locked", action="store_true")
    ProtocolAgent(sys.stdin, sys.stdout, parser.parse_args()).serve()


if __name__ == "__main__":
    main()
