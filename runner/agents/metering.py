"""Meters the requests of an agent: each is recorded as it passes, priced, and held to the limits of the attempt."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field

import orjson

from runner.agents.limits import AgentLimits
from runner.prices import Prices
from runner.records import Tokens
from suts.sut import Received, Request, Sampling, Usage
from suts.upstreams import ModelCall
from suts.wires.agent_call import AgentCall

# The output of a request that states no limit.
_USUAL_OUTPUT = 32_000
_SHOWN = 500
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens")
# Where Google's API has it.
_NESTED = "generationConfig"


@dataclass(slots=True)
class AgentRecord:
    """The lines of an attempt, in order, each with its moment."""

    now_ns: Callable[[], int]
    lines: asyncio.Queue[Received | None] = field(default_factory=asyncio.Queue)
    last_words: str = ""

    def add(self, kind: str, **fields: object) -> None:
        """Add a line."""
        line = json.dumps({"t": kind, **fields}, separators=(",", ":"))
        self.lines.put_nowait(Received(self.now_ns(), line.encode() + b"\n"))

    def printed(self, text: str) -> None:
        """Add a line that the agent printed."""
        self.last_words = text.strip()[:_SHOWN] or self.last_words
        self.add("out", d=text)

    def close(self) -> None:
        """Nothing more follows."""
        self.lines.put_nowait(None)


@dataclass(slots=True)
class _Request:
    """A request under way: its model as the price table names it, and the most that it may cost."""

    call: AgentCall
    model: str
    most_usd: float | None


@dataclass(slots=True)
class Meter:
    """Observes the proxy of one attempt.

    `end` gets the limit at which the attempt ends. With `priced`, a request of unknown price is over the limit.
    """

    record: AgentRecord
    limits: AgentLimits
    prices: Prices
    end: Callable[[str], None]
    priced: bool = False
    refused: list[int] = field(default_factory=list)
    answered: int = 0
    _requests: dict[int, _Request] = field(default_factory=dict)
    _turns: int = 0
    _tools: int = 0
    _usd: float = 0.0
    _body: str = ""

    @property
    def requested(self) -> bool:
        """Whether the agent has made a request."""
        return self._turns > 0

    async def sent(self, call: ModelCall, body: bytes) -> int:
        """Record a request before it is sent; one beyond the limits is never answered, for its agent is ended."""
        priced = f"{call.provider}/{call.model}"
        name = priced if self.prices.of(priced) else call.model
        text = body.decode("utf-8", "surrogateescape")
        most_usd = self.prices.bound(name, Request(text, (), Sampling(max_tokens=_most_output(body))))
        if limit := self._reached(most_usd):
            self.end(limit)
            await asyncio.Event().wait()
        self._turns += 1
        number, keep = self._turns, _common(self._body, text)
        self._requests[number] = _Request(AgentCall(call.wire), name, most_usd)
        self.record.add("sent", n=number, wire=call.wire, model=name, keep=keep, body=text[keep:])
        self._body = text
        return number

    def _reached(self, most_usd: float | None) -> str:
        """Return the limit that one more request would pass, "" if none."""
        under_way = sum(request.most_usd or 0.0 for request in self._requests.values())
        if self._turns >= self.limits.turns:
            return "turns"
        if self._tools >= self.limits.calls:
            return "calls"
        over = most_usd is not None and self._usd + under_way + most_usd > self.limits.usd
        return "usd" if over or (most_usd is None and self.priced) else ""

    def status(self, number: int, status: int) -> None:
        """Record the status of an answer."""
        self._requests[number].call.status = status
        self.record.add("status", n=number, status=status)
        if status >= 400:
            self.refused.append(status)
        else:
            self.answered += 1

    def got(self, number: int, data: bytes) -> None:
        """Record a piece of an answer."""
        self.record.add("got", n=number, d=data.decode("utf-8", "surrogateescape"))
        for _ in self._requests[number].call.feed(0, data):
            pass

    def done(self, number: int) -> None:
        """Record the end of an answer and its cost; one of unknown usage has cost the most that it could."""
        request = self._requests.pop(number)
        for _ in request.call.end(0):
            pass
        self._tools += len(request.call.calls)
        cost = 0.0 if request.call.status >= 400 else self.prices.cost(request.model, _tokens(request.call.usage))
        self._usd += (request.most_usd or 0.0) if cost is None else cost
        self.record.add("done", n=number, usd=cost)

    def give_up(self) -> None:
        """End what is under way: its agent is gone."""
        for number in [*self._requests]:
            self.done(number)


def _most_output(body: bytes) -> int:
    """Return the most output tokens that a request permits."""
    try:
        values = orjson.loads(body)
    except ValueError:
        return _USUAL_OUTPUT
    if not isinstance(values, dict):
        return _USUAL_OUTPUT
    nested = values.get(_NESTED)
    stated = nested if isinstance(nested, dict) else values
    return max((value for name in _LIMITS if isinstance(value := stated.get(name), int)), default=_USUAL_OUTPUT)


def _tokens(usage: Usage | None) -> Tokens:
    if usage is None:
        return Tokens()
    return Tokens(
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    )


def _common(old: str, new: str) -> int:
    """Return how many characters are equal from the start, found by halves: comparing slices is fast."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
