"""The interface of a system under test: it takes a request and streams the bytes it receives, piece by piece."""

from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol, runtime_checkable

from suts.agent_parts import EditBegins, EditEnds, WorkingFolder
from suts.routing import Routing
from suts.tools import Tool, ToolResult, ToolUse


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation; `images` are data URLs shown after the text.

    `calls` are native calls and follow an assistant's text; `results`, of the calls before, precede a user's text.
    """

    role: Literal["user", "assistant"]
    text: str
    images: tuple[str, ...] = ()
    calls: tuple[ToolUse, ...] = ()
    results: tuple[ToolResult, ...] = ()

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts in the order in which they are sent, those of results first; arguments of calls are none."""
        return (*(result.text for result in self.results), self.text)


@dataclass(frozen=True, slots=True)
class Sampling:
    """Sampling parameters; None = the provider's default. `max_tokens` is always sent.

    OpenAI's parameter for it is `limit_name`, "" = the usual one. Without `cache` no prompt is marked for a cache.
    """

    max_tokens: int = 8192
    temperature: float | None = 0.0
    seed: int | None = 0
    thinking_budget: int = 0
    effort: str | None = None
    stop: tuple[str, ...] = ()
    limit_name: str = ""
    cache: bool = True


@dataclass(frozen=True, slots=True)
class Hole:
    """The text that fills a hole in a file: `right`, and a wrong text for each kind of failure.

    `wrong` has at least the kind `wrong`; a missing kind of failure cannot be distinguished from a right answer.
    With `fenced` the text is a block of code in an answer, else it is the whole answer.
    """

    right: str
    wrong: Mapping[str, str]
    fenced: bool = False


@dataclass(frozen=True, slots=True)
class Truth:
    """The right answer and the attempt that asks, for simulated models only (a test ensures it).

    `blocks` are (SEARCH text, REPLACE text) pairs in the order of the file, each "" or ending in a newline; an agent's
    are any parts of the file. `answer` is a right whole answer if the suite has no blocks; `wrong` is a wrong answer,
    "" if none is known; `before` is the file that the blocks edit, "" if unknown. With `lines`, the number of lines of
    a file, the answer is a line number; with `hole` it is a completion. `prompt` is its prompt's name, "" if unknown.
    `written` are texts or calls by outcome, in forms that simulated models do not write. `repairs` counts refusals.
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
    prompt: str = ""
    written: Mapping[str, str | tuple[ToolUse, ...]] = field(default_factory=dict)
    repairs: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model: system prompt, conversation, sampling.

    `prompt` is text that the model continues as it stands, instead of system prompt and conversation; only some systems
    support it (see `takes_prompts`). With `suffix`, the server itself inserts the text after the hole into the prompt.
    `routing` is for routers only. `tools` are declared to the model, which may call them natively; only some systems
    support them (see `takes_tools`). `folder` is for coding agents only.
    """

    system: str
    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    truth: Truth | None = None
    prompt: str | None = None
    suffix: str | None = None
    routing: Routing | None = None
    tools: tuple[Tool, ...] = ()
    folder: WorkingFolder | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts except the system prompt, in order."""
        raw = (self.prompt, self.suffix)
        turns = (text for message in self.messages for text in message.texts)
        return (*turns, *(text for text in raw if text is not None))


class Received(NamedTuple):
    """A piece as received from the socket, with its arrival in monotonic nanoseconds."""

    at_ns: int
    data: bytes


class TextDelta(NamedTuple):
    """A piece of the answer's text."""

    at_ns: int
    text: str


class WholeText(NamedTuple):
    """The text of an answer that came in one piece, so that nobody knows when its first token did."""

    at_ns: int
    text: str


class ReasoningDelta(NamedTuple):
    """A piece of the model's visible reasoning."""

    at_ns: int
    text: str


class ToolCallDelta(NamedTuple):
    """A piece of a native tool call (JSON text of its arguments).

    `call` distinguishes the calls of one answer. The id and the name come once, in the first piece that has them.
    """

    at_ns: int
    call: int
    name: str
    arguments: str
    id: str = ""


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
    """Why the answer ended; `model` and `upstream` served it, as the provider reports. The last one counts."""

    at_ns: int
    reason: str | None
    model: str | None = None
    upstream: str | None = None


class Beat(NamedTuple):
    """The arrival of something without content (a role, a ping, an empty piece)."""

    at_ns: int


class Note(NamedTuple):
    """What was unusual about an answer that counts nonetheless."""

    at_ns: int
    text: str


class Timings(NamedTuple):
    """Milliseconds that the server itself measured for the prompt and for the output; None = not reported."""

    at_ns: int
    prompt_ms: float | None = None
    output_ms: float | None = None


Event = (
    TextDelta
    | WholeText
    | ReasoningDelta
    | ToolCallDelta
    | Usage
    | Finish
    | Beat
    | Note
    | Timings
    | EditBegins
    | EditEnds
)


class ErrorKind(StrEnum):
    """The kind of a failed call; CONTEXT is a question that does not fit into the model's context window."""

    RATE_LIMIT = "rate_limit"
    OVERLOADED = "overloaded"
    SERVER = "server"
    CONNECTION = "connection"
    CUT = "cut"
    MALFORMED = "malformed"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    AUTH = "auth"
    NOT_FOUND = "not_found"
    BAD_REQUEST = "bad_request"
    CONTEXT = "context"


class SutError(Exception):
    """The only error that a system under test may raise."""

    def __init__(
        self,
        kind: ErrorKind,
        message: str,
        *,
        retryable: bool = True,
        retry_after_s: float | None = None,
        status: int | None = None,
        parameter: str = "",
    ) -> None:
        """Store what the retry policy needs; `retry_after_s` in seconds.

        `parameter` is the parameter of the request that the model refuses, as its API names it; "" = none.
        """
        super().__init__(message)
        self.kind = kind
        self.retryable = retryable
        self.retry_after_s = retry_after_s
        self.status = status
        self.parameter = parameter


class Decoder(Protocol):
    """One stream being decoded."""

    @property
    def ended(self) -> bool:
        """Whether the stream's own end marker has arrived, so that nothing more of the answer can follow."""
        ...

    def feed(self, received: Received) -> Iterable[Event]:
        """Return the events that this piece completes.

        For an error object or a malformed chunk the iteration raises SutError, after the events before it.
        """
        ...

    def finish(self) -> Iterable[Event]:
        """Return the events of a body that has ended as its transport declares.

        Raises SutError(CUT) when neither the stream's end marker nor a reason for the end of the answer has arrived.
        With a reason alone the answer counts, and a Note states that the marker is missing.
        """
        ...


class Wire(Protocol):
    """A wire format: a factory of pure decoders from bytes to events."""

    @property
    def name(self) -> str:
        """The name stored with a raw stream, so that it can be decoded later."""
        ...

    def decoder(self) -> Decoder:
        """Begin a stream."""
        ...


# The base URL of what answers within this process.
IN_PROCESS = "in-process"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server of a model, for the run's header and the limiter: never the key, only its fingerprint.

    `timed` is false if no server is asked, so that times have no meaning; `priced` is false if its answers have no list
    price. `proxy` is the proxy's URL without credentials, "" for none. `own_server`: not a vendor's: it may load its
    model first, and take long. `own_limits`: the system ends by itself. `batched`: answers are collected in batches.
    """

    provider: str
    base_url: str
    key_fingerprint: str
    simulated: bool = False
    timed: bool = True
    priced: bool = True
    proxy: str = ""
    own_server: bool = field(default=False, compare=False)
    own_limits: bool = field(default=False, compare=False)
    batched: bool = False

    @property
    def in_process(self) -> bool:
        """Return whether a simulated model answers within this process, so that its answers are known beforehand."""
        return self.simulated and self.base_url == IN_PROCESS


class Sut(Protocol):
    """A system under test: streams raw pieces; its wire turns them into events.

    One that sends a secret names it in an attribute `secrets: tuple[str, ...]`, and what comes back is recorded
    without it (see `suts.redaction`).
    """

    @property
    def name(self) -> str:
        """The id under which results are stored, such as `openai/gpt-x` or `sim/careful`."""
        ...

    @property
    def endpoint(self) -> Endpoint:
        """The server that answers."""
        ...

    @property
    def wire(self) -> Wire:
        """The wire that decodes the pieces."""
        ...

    def stream(self, request: Request) -> AsyncIterator[Received]:
        """Send the request and yield what arrives. Raises only SutError.

        A first piece without bytes marks the time of sending, a last one the end of the stream. Systems with their
        own clock yield these pieces; for all others the caller reads its own clock. The caller may stop at the
        stream's end marker. A body that ends only because its connection was closed raises SutError(CUT) at its end.
        """
        ...

    async def aclose(self) -> None:
        """Release connections."""
        ...


@runtime_checkable
class ValidatesRequest(Protocol):
    """A system under test that can validate a request before any is sent."""

    def check(self, request: Request) -> None:
        """Raise the SutError with which `stream` would refuse this request."""
        ...


@runtime_checkable
class StatesSampling(Protocol):
    """A system under test that can state which sampling parameters a request is sent with."""

    def sent(self, request: Request) -> Sampling:
        """Return the sampling of the request as it is sent: None for parameters that are not.

        Raises the SutError with which `stream` would refuse this request.
        """
        ...


@runtime_checkable
class Reachable(Protocol):
    """A system under test that can find out whether its endpoint can be asked, without asking a model."""

    async def reach(self) -> None:
        """Raise the SutError with which requests have to be expected to fail. Leaves no connection open."""
        ...


def takes_prompts(sut: Sut) -> bool:
    """Return whether a system supports `Request.prompt`; false if it does not say so."""
    return getattr(sut, "takes_prompts", False) is True


def takes_tools(sut: Sut) -> bool:
    """Return whether a system supports `Request.tools`; false if it does not say so."""
    return getattr(sut, "takes_tools", False) is True
