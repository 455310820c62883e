"""A small coding agent for tests, headless, in the standard library alone.

`python player.py [--model M] [--wire W] [--turns N]` reads the task from its standard input and works in the current
folder. The model is asked at ANTHROPIC_BASE_URL (wire `anthropic`), OPENAI_BASE_URL (wires `chat`
and `responses`) or GOOGLE_GEMINI_BASE_URL (wire `google`), with the key in ANTHROPIC_API_KEY, OPENAI_API_KEY or
GEMINI_API_KEY. It ends with code 0 when the model ends, with 1
after an error of the model's server and with 2 when its turns are used up.
"""

import argparse
import json
import os
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

Fields = dict[str, object]
SYSTEM = (
    "You are a coding agent. Use the tools to change the files below the working folder, then say that you are done."
)
# The parameters of each tool, all of them required strings.
TOOLS = {
    "read": ("path",),
    "edit": ("path", "old", "new"),
    "write": ("path", "content"),
    "run": ("command",),
}
LIMIT_S = 30.0


class AgentError(Exception):
    """What ends the agent; `code` is its exit code."""

    def __init__(self, message: str, code: int = 1) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class ToolCall:
    """A call that the model makes; the arguments are JSON text."""

    call_id: str
    name: str
    arguments: str = ""

    @property
    def values(self) -> dict[str, str]:
        given = json.loads(self.arguments or "{}")
        return {name: str(value) for name, value in given.items()}


@dataclass
class Answer:
    """One answer of the model: its text, its calls by the index that the stream gives them, its tokens."""

    text: str = ""
    calls: dict[object, ToolCall] = field(default_factory=dict)
    tokens: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class Outcome:
    """The answer to a call, for the model."""

    call_id: str
    text: str
    failed: bool = False


def schema(names: tuple[str, ...]) -> Fields:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


def objects(value: object) -> list[Fields]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def inner(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def number(value: object) -> int:
    return value if isinstance(value, int) else 0


def events(path: str, body: Fields, headers: dict[str, str]) -> Iterator[Fields]:
    """Post a request; yield the data of each event of its stream as it arrives."""
    data = json.dumps(body).encode()
    request = urllib.request.Request(path, data, {"content-type": "application/json", **headers})  # noqa: S310  # loopback
    try:
        with urllib.request.urlopen(request, timeout=LIMIT_S) as response:  # noqa: S310  # the same
            for line in response:
                if line.startswith(b"data: {"):
                    yield json.loads(line.removeprefix(b"data: "))
    except urllib.error.HTTPError as error:
        raise AgentError(f"status {error.code}: {error.read()[:200]!r}") from error
    except OSError as error:
        raise AgentError(f"the server cannot be reached: {error}") from error


class AnthropicWire:
    """Anthropic's messages."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.turns: list[Fields] = []

    def say(self, text: str) -> None:
        self.turns.append({"role": "user", "content": [{"type": "text", "text": text}]})

    def ask(self) -> Answer:
        tools = [{"name": name, "input_schema": schema(names)} for name, names in TOOLS.items()]
        body: Fields = {"model": self.model, "system": SYSTEM, "messages": self.turns, "tools": tools}
        path = f"{os.environ['ANTHROPIC_BASE_URL']}/v1/messages?beta=true"
        headers = {"x-api-key": os.environ.get("ANTHROPIC_API_KEY", ""), "anthropic-version": "2023-06-01"}
        answer = Answer()
        for event in events(path, {**body, "max_tokens": 8192, "stream": True}, headers):
            self._take(answer, event)
        blocks: list[Fields] = [{"type": "text", "text": answer.text}] if answer.text else []
        blocks += [
            {"type": "tool_use", "id": call.call_id, "name": call.name, "input": call.values}
            for call in answer.calls.values()
        ]
        self.turns.append({"role": "assistant", "content": blocks})
        return answer

    def _take(self, answer: Answer, event: Fields) -> None:
        delta, block = inner(event.get("delta")), inner(event.get("content_block"))
        if block.get("type") == "tool_use":
            answer.calls[event["index"]] = ToolCall(str(block["id"]), str(block["name"]))
        elif "partial_json" in delta:
            answer.calls[event["index"]].arguments += str(delta["partial_json"])
        elif event.get("type") == "message_start":
            answer.tokens = (number(inner(inner(event.get("message")).get("usage")).get("input_tokens")), 0)
        elif event.get("type") == "message_delta":
            answer.tokens = (answer.tokens[0], number(inner(event.get("usage")).get("output_tokens")))
        elif event.get("type") == "error":
            raise AgentError(str(event["error"]))
        answer.text += str(delta.get("text", ""))

    def give(self, outcomes: list[Outcome]) -> None:
        content = [
            {"type": "tool_result", "tool_use_id": done.call_id, "content": done.text, "is_error": done.failed}
            for done in outcomes
        ]
        self.turns.append({"role": "user", "content": content})


class ChatWire:
    """OpenAI's chat completions."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.turns: list[Fields] = [{"role": "system", "content": SYSTEM}]

    def say(self, text: str) -> None:
        self.turns.append({"role": "user", "content": text})

    def ask(self) -> Answer:
        tools = [
            {"type": "function", "function": {"name": name, "parameters": schema(names)}}
            for name, names in TOOLS.items()
        ]
        usage = {"include_usage": True}
        body: Fields = {"model": self.model, "messages": self.turns, "tools": tools, "stream": True}
        path = f"{os.environ['OPENAI_BASE_URL']}/chat/completions"
        headers = {"authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
        answer = Answer()
        for event in events(path, {**body, "stream_options": usage}, headers):
            self._take(answer, event)
        calls = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in answer.calls.values()
        ]
        said: Fields = {"role": "assistant", "content": answer.text or None}
        self.turns.append(said | ({"tool_calls": calls} if calls else {}))
        return answer

    def _take(self, answer: Answer, event: Fields) -> None:
        if "error" in event:
            raise AgentError(str(event["error"]))
        if usage := inner(event.get("usage")):
            answer.tokens = (number(usage.get("prompt_tokens")), number(usage.get("completion_tokens")))
        for choice in objects(event.get("choices")):
            delta = inner(choice.get("delta"))
            answer.text += str(delta.get("content") or "")
            for part in objects(delta.get("tool_calls")):
                function = inner(part.get("function"))
                new = ToolCall(str(part.get("id")), str(function.get("name")))
                call = answer.calls.setdefault(part.get("index"), new)
                call.arguments += str(function.get("arguments") or "")

    def give(self, outcomes: list[Outcome]) -> None:
        self.turns += [{"role": "tool", "tool_call_id": done.call_id, "content": done.text} for done in outcomes]


class ResponsesWire:
    """OpenAI's Responses, without state at the server."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.turns: list[Fields] = []

    def say(self, text: str) -> None:
        self.turns.append({"role": "user", "content": [{"type": "input_text", "text": text}]})

    def ask(self) -> Answer:
        tools = [{"type": "function", "name": name, "parameters": schema(names)} for name, names in TOOLS.items()]
        body: Fields = {"model": self.model, "instructions": SYSTEM, "input": self.turns, "tools": tools}
        path = f"{os.environ['OPENAI_BASE_URL']}/responses"
        headers = {"authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}"}
        answer = Answer()
        for event in events(path, {**body, "stream": True, "store": False}, headers):
            self._take(answer, event)
        return answer

    def _take(self, answer: Answer, event: Fields) -> None:
        if event.get("type") == "error":
            raise AgentError(str(event.get("message")))
        usage = inner(inner(event.get("response")).get("usage"))
        if usage:
            answer.tokens = (number(usage.get("input_tokens")), number(usage.get("output_tokens")))
        if event.get("type") == "response.output_text.delta":
            answer.text += str(event["delta"])
        item = inner(event.get("item"))
        if event.get("type") == "response.output_item.done":
            self.turns.append(item)
            if item.get("type") == "function_call":
                call = ToolCall(str(item["call_id"]), str(item["name"]), str(item["arguments"]))
                answer.calls[event["output_index"]] = call

    def give(self, outcomes: list[Outcome]) -> None:
        self.turns += [
            {"type": "function_call_output", "call_id": done.call_id, "output": done.text} for done in outcomes
        ]


class GoogleWire:
    """Google's Gemini API."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.turns: list[Fields] = []

    def say(self, text: str) -> None:
        self.turns.append({"role": "user", "parts": [{"text": text}]})

    def ask(self) -> Answer:
        declared = [{"name": name, "parametersJsonSchema": schema(names)} for name, names in TOOLS.items()]
        body: Fields = {
            "contents": self.turns,
            "systemInstruction": {"parts": [{"text": SYSTEM}]},
            "tools": [{"functionDeclarations": declared}],
        }
        name = urllib.parse.quote(self.model)
        path = f"{os.environ['GOOGLE_GEMINI_BASE_URL']}/v1beta/models/{name}:streamGenerateContent?alt=sse"
        answer = Answer()
        for event in events(path, body, {"x-goog-api-key": os.environ["GEMINI_API_KEY"]}):
            usage = inner(event.get("usageMetadata"))
            if usage:
                answer.tokens = (number(usage.get("promptTokenCount")), number(usage.get("candidatesTokenCount")))
            for candidate in objects(event.get("candidates")):
                for part in objects(inner(candidate.get("content")).get("parts")):
                    self._take(answer, part)
        parts: list[Fields] = [{"text": answer.text}] if answer.text else []
        parts += [
            {"functionCall": {"id": call.call_id, "name": call.name, "args": call.values}}
            for call in answer.calls.values()
        ]
        self.turns.append({"role": "model", "parts": parts})
        return answer

    def _take(self, answer: Answer, part: Fields) -> None:
        answer.text += str(part.get("text") or "")
        if call := inner(part.get("functionCall")):
            place = len(answer.calls)
            answer.calls[place] = ToolCall(str(call.get("id")), str(call["name"]), json.dumps(call["args"]))

    def give(self, outcomes: list[Outcome]) -> None:
        results: list[Fields] = [
            {"id": done.call_id, "name": "", "response": {"error" if done.failed else "output": done.text}}
            for done in outcomes
        ]
        self.turns.append({"role": "user", "parts": [{"functionResponse": result} for result in results]})


Wire = AnthropicWire | ChatWire | ResponsesWire | GoogleWire
WIRES: dict[str, Callable[[str], Wire]] = {
    "anthropic": AnthropicWire,
    "chat": ChatWire,
    "responses": ResponsesWire,
    "google": GoogleWire,
}


class Hands:
    """Carries out the tools below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, path: str) -> str:
        return (self.folder / path).read_bytes().decode()

    def store(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_bytes(text.encode())

    def use(self, call: ToolCall) -> Outcome:
        """Return what a call gives; a call that fails gives the reason."""
        try:
            return Outcome(call.call_id, self._used(call.name, call.values))
        except (OSError, ValueError, KeyError, AgentError) as error:
            return Outcome(call.call_id, f"Error: {error}", failed=True)

    def _used(self, name: str, given: dict[str, str]) -> str:
        if name == "read":
            return self.load(given["path"])
        if name == "edit":
            text = self.load(given["path"])
            if text.count(given["old"]) != 1:
                raise ValueError(f"the text to replace was found {text.count(given['old'])} times in {given['path']}")
            self.store(given["path"], text.replace(given["old"], given["new"]))
            return "edited"
        if name == "write":
            self.store(given["path"], given["content"])
            return "written"
        if name == "run":
            done = subprocess.run(given["command"], shell=True, cwd=self.folder, capture_output=True, check=False)  # noqa: S602  # as agents do
            if done.returncode:
                raise ValueError(f"exit code {done.returncode}\n{done.stderr.decode(errors='replace')}")
            return done.stdout.decode(errors="replace")
        raise ValueError(f"no tool {name!r}")


def work(wire: Wire, task: str, turns: int, use: Callable[[ToolCall], Outcome], tell: Callable[[Answer], None]) -> None:
    """Ask the model and do what it calls for, until it calls no tool."""
    wire.say(task)
    for _ in range(turns):
        answer = wire.ask()
        tell(answer)
        if not answer.calls:
            return
        wire.give([use(call) for call in answer.calls.values()])
    raise AgentError(f"not done after {turns} turns", 2)


def options(parser: argparse.ArgumentParser) -> argparse.ArgumentParser:
    parser.add_argument("--model", default="sim/any")
    parser.add_argument("--wire", choices=WIRES, default="chat" if "OPENAI_BASE_URL" in os.environ else "anthropic")
    parser.add_argument("--turns", type=int, default=40)
    return parser


def main() -> int:
    chosen = options(argparse.ArgumentParser()).parse_args()
    try:
        wire = WIRES[chosen.wire](chosen.model)
        work(wire, sys.stdin.read(), chosen.turns, Hands(Path.cwd()).use, lambda answer: say(answer.text))
    except AgentError as error:
        sys.stderr.write(f"{error}\n")
        return error.code
    return 0


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
