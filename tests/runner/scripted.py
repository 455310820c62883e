"""A system under test that plays scripts: what it sends, when, and how it fails, call by call."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field

from runner.run.protocols import Ask
from suts.rate_headers import OnHeaders
from suts.sut import Endpoint, Message, Received, Request, Wire
from suts.wires import WIRES

# Bytes are sent, seconds waited, exceptions raised, functions called with the request.
Step = bytes | float | Exception | Callable[[Request], None]
Script = Sequence[Step]

ENDPOINT = Endpoint("test", "https://scripted.example", "fingerprint")
QUESTION = Request("You edit files.", (Message("user", "Edit the file."),))


@dataclass
class Scripted:
    """Each call plays the next script, the last one again and again; `asked` holds the requests."""

    scripts: list[Script]
    now_ns: Callable[[], int]
    name: str = "test/scripted"
    endpoint: Endpoint = ENDPOINT
    wire: Wire = field(default_factory=lambda: WIRES["openai-chat"])
    on_headers: OnHeaders | None = None
    asked: list[Request] = field(default_factory=list)
    closed: int = 0
    open_streams: int = 0

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        script = self.scripts[min(len(self.asked), len(self.scripts) - 1)]
        self.asked.append(request)
        self.open_streams += 1
        try:
            for step in script:
                if isinstance(step, bytes):
                    yield Received(self.now_ns(), step)
                elif isinstance(step, Exception):
                    raise step
                elif isinstance(step, float | int):
                    await asyncio.sleep(step)
                else:
                    step(request)
        finally:
            self.open_streams -= 1

    async def aclose(self) -> None:
        self.closed += 1


def chunk(text: str) -> bytes:
    """A piece of an answer, on the wire of OpenAI's chat completions."""
    return b"data: " + json.dumps({"choices": [{"delta": {"content": text}}]}).encode() + b"\n\n"


def ending(reason: str = "stop", prompt: int | None = None, output: int | None = None) -> bytes:
    """The end of an answer on the same wire, with its usage if told."""
    chunks: list[dict[str, object]] = [{"choices": [{"delta": {}, "finish_reason": reason}]}]
    if prompt is not None:
        chunks.append({"choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": output}})
    return b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks) + b"data: [DONE]\n\n"


def whole(text: str, prompt: int | None = None, output: int | None = None) -> list[Step]:
    """The script of an answer in one piece."""
    return [chunk(text), ending(prompt=prompt, output=output)]


async def question(ask: Ask, number: int = 1) -> str:
    """The text of the answer to the question."""
    return (await ask(QUESTION, number=number)).text
