"""What a system under test is: it takes a request and streams what it received, piece by piece."""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation; `images` are data URLs shown after the text."""

    role: Literal["user", "assistant"]
    text: str
    images: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sampling:
    """How to sample; None leaves a parameter to the provider. `max_tokens` is always sent."""

    max_tokens: int = 8192
    temperature: float | None = 0.0
    seed: int | None = 0
    thinking_budget: int = 0
    effort: str | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hole:
    """What fills a hole in a file: `right` does, and by kind of failure what surely does not.

    `wrong` has at least the kind `wrong`; where it lacks one, that kind of failure cannot be told from a right
    answer. `fenced` asks for the filling as a block of code in an answer, else it is the answer.
    """

    right: str
    wrong: Mapping[str, str]
    fenced: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """What a right answer would say, and which attempt asks: for simulated models only (a test holds it).

    `blocks` are (SEARCH text, REPLACE text) pairs in the order of the file, each "" or ending in a newline;
    `answer` is a right whole answer where the suite has no blocks, `wrong` one that is known to be wrong, "" where none
    is; `before` is the file that the blocks edit, "" where it is unknown. With `lines` the answer is the number of a
    line, of a file that has so many; with `hole` it is a completion.
    """

    case_id: str
    number: int
    step: int = 0
    seed: int = 0
    path: str = ""
    blocks: tuple[tuple[str, str], ...] = ()
    answer: str = ""
    before: str = ""
    lines: int = 0
    wrong: str = ""
    hole: Hole | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model: system prompt, conversation, sampling.

    A `prompt` is text for the model to go on with, as it stands, in place of prompt and conversation: only systems
    that take prompts (see `takes_prompts`) can be asked so. With `suffix` the server itself puts the text behind
    the hole where its model wants it.
    """

    system: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    truth: Truth | None = None
    prompt: str | None = None
    suffix: str | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """Every text but the system prompt, in order."""
        raw = (self.prompt, self.suffix)
        return (*(message.text for message in self.messages), *(text for text in raw if text is not None))


class Received(NamedTuple):
    """A piece as it came off the socket, with its arrival in monotonic nanoseconds."""

    at_ns: int
    data: bytes


class TextDelta(NamedTuple):
    """A piece of the answer's text."""

    at_ns: int
    text: str


class ReasoningDelta(NamedTuple):
    """A piece of the model's visible reasoning."""

    at_ns: int
    text: str


class ToolCallDelta(NamedTuple):
    """A piece of a native tool call (JSON text of its arguments)."""

    at_ns: int
    call: int
    name: str
    arguments: str


class Usage(NamedTuple):
    """Token counts of a call; the four classes do not overlap; reasoning is a part of output.

    None = not reported. `cost_usd` is the provider's own figure.
    """

    at_ns: int
    input_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost_usd: float | None = None


class Finish(NamedTuple):
    """Why the answer ended; `model` and `upstream` as the provider reports who served it."""

    at_ns: int
    reason: str | None
    model: str | None = None
    upstream: str | None = None


class Beat(NamedTuple):
    """Something arrived that carries no content (a role, a ping, an empty piece)."""

    at_ns: int


Event = TextDelta | ReasoningDelta | ToolCallDelta | Usage | Finish | Beat


class ErrorKind(StrEnum):
    """What went wrong between us and a model."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    CONNECTION = "connection"
    CUT = "cut"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    AUTH = "auth"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"


class SutError(Exception):
    """The only error a system under test may raise."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        retryable: bool = True,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        """Keep what the retry policy needs beside the message; `retry_after_s` in seconds."""
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status


class Decoder(Protocol):
    """One stream being decoded."""

    def feed(self, received: Received) -> Iterable[Event]:
        """The events that this piece completes. Raises SutError on an error object or a malformed chunk."""
        ...

    def finish(self) -> None:
        """Raise SutError(CUT) when the stream ended before its own end marker."""
        ...


class Wire(Protocol):
    """A wire format: a factory of pure decoders from bytes to events."""

    @property
    def name(self) -> str:
        """The name stored beside a raw stream, so that later code can decode it."""
        ...

    def decoder(self) -> Decoder:
        """Begin a stream."""
        ...


# The base URL of what answers within this process.
IN_PROCESS = "in-process"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Who serves a model, for the run's header and the limiter: never the key, only its fingerprint.

    `timed` is false where nobody is asked and clocks would mean nothing.
    """

    provider: str
    base_url: str
    key_fingerprint: str
    simulated: bool = False
    timed: bool = True

    @property
    def in_process(self) -> bool:
        """Whether a simulated model answers within this process, so that its answers are known beforehand."""
        return self.simulated and self.base_url == IN_PROCESS


class Sut(Protocol):
    """A system under test: streams raw pieces; its wire turns them into events."""

    @property
    def name(self) -> str:
        """The id under which results are kept, such as `openai/gpt-x` or `sim/careful`."""
        ...

    @property
    def endpoint(self) -> Endpoint:
        """Who answers."""
        ...

    @property
    def wire(self) -> Wire:
        """How the pieces are to be read."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Received]:
        """Send the request and yield what arrives. Raises SutError, nothing else.

        A first piece without bytes marks the moment of sending, a last one the end of the stream: a system with
        a clock of its own gives them, for all others the asker reads its own clock.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


@runtime_checkable
class Picky(Protocol):
    """A system under test that knows, before it is asked anything, what it would refuse to send."""

    def check(self, request: Request) -> None:
        """Raise the SutError with which `stream` would refuse this request."""
        ...


def takes_prompts(sut: Sut) -> bool:
    """Whether a system can be asked by `Request.prompt`; one that says nothing of it cannot."""
    return getattr(sut, "takes_prompts", False) is True
