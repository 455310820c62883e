"""The metering proxy of a module: its only network, by which the cost and the first edit of each question are known."""

import asyncio
import socket
import time
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count

from runner.agents.door import behind_door, opened_door
from runner.agents.limits import AgentLimits
from runner.agents.metering import AgentRecord, Meter
from runner.prices import Prices
from runner.storage.streams import AnswerReader
from runner.suites.nextedit.systems.module_report import FIRST_EDIT, FIRST_TOKEN
from suts.agent_parts import WorkingFolder
from suts.sut import Received
from suts.upstreams import ModelCall, Upstreams
from suts.wires.agent import AgentWire
from suts.wires.reported import COST


@dataclass(frozen=True, slots=True)
class Metering:
    """Which servers modules may ask, the prices, and the limits of each question; `priced`: of unknown price none.

    `secret` is a part of the proxy's address: not every cell has a network of its own.
    """

    upstreams: Upstreams
    limits: AgentLimits
    prices: Prices
    priced: bool = False
    secret: str = ""


@dataclass(slots=True)
class _Call:
    """A request under way: the meter of its question, and its number there."""

    meter: Meter
    number: int


class ModuleMeter:
    """Observes the requests of one module, question by question.

    What is still to come of a request when its question has its answer is passed on, and counts for none.
    """

    def __init__(self, metering: Metering, end: Callable[[], None]) -> None:
        """`end` ends the module, at a limit."""
        self._metering = metering
        self._end = end
        # By numbers of the module's own: each meter counts from 1.
        self._calls: dict[int, _Call] = {}
        self._numbers = count(1)
        self._began_ns = 0
        self._record = AgentRecord(time.monotonic_ns)
        self._meter: Meter | None = None
        self.why = ""

    def begin(self) -> None:
        """Begin a question."""
        metering = self._metering
        self.why, self._began_ns = "", time.monotonic_ns()
        self._record = AgentRecord(time.monotonic_ns)
        self._meter = Meter(self._record, metering.limits, metering.prices, self._at, metering.priced)

    def taken(self) -> Mapping[str, float | None] | None:
        """End the question; return what it took, None where no model was asked."""
        meter, self._meter = self._meter, None
        if meter is None or not meter.requested:
            return None
        meter.give_up()
        self._calls.clear()
        self._record.add("end", why=self.why, code=0, tree={})
        return _report(self._record, self._began_ns)

    def _at(self, limit: str) -> None:
        self.why = self.why or limit
        self._end()

    async def sent(self, call: ModelCall, body: bytes) -> int:
        """Record a request before it is sent; outside of a question none is."""
        if self._meter is None:
            await asyncio.Event().wait()
        assert self._meter is not None
        meter = self._meter
        own = await meter.sent(call, body)
        number = next(self._numbers)
        self._calls[number] = _Call(meter, own)
        return number

    def status(self, number: int, status: int) -> None:
        """Record the status of an answer."""
        if call := self._calls.get(number):
            call.meter.status(call.number, status)

    def got(self, number: int, data: bytes) -> None:
        """Record a piece of an answer."""
        if call := self._calls.get(number):
            call.meter.got(call.number, data)

    def done(self, number: int) -> None:
        """Record the end of an answer."""
        if call := self._calls.pop(number, None):
            call.meter.done(call.number)


@dataclass(slots=True)
class ModuleDoor:
    """The door of a module's cell, and what answers there while its process lives; no file is larger than stated."""

    metering: Metering
    meter: ModuleMeter
    name: str
    file_bytes: int
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _ends: tuple[socket.socket, socket.socket] | None = None

    def words(self, command: Sequence[str]) -> tuple[tuple[str, ...], int]:
        """Return what starts a command behind a door, and the number of the socket that it needs."""
        self._ends = ours, theirs = socket.socketpair()
        self._open.callback(ours.close)
        self._open.callback(theirs.close)
        return behind_door(theirs.fileno(), self.file_bytes, command), theirs.fileno()

    async def serve(self, process: Process) -> None:
        """Answer at the door from now on. Raises SutError where it was not opened."""
        from suts.forwarding import forwarding

        assert self._ends is not None
        ours, theirs = self._ends
        # So that the end of the process is seen.
        theirs.close()
        listener = self._open.enter_context(await opened_door(ours, process))
        folder = WorkingFolder({}, self.name, 1)
        await self._open.enter_async_context(
            forwarding(listener, self.metering.upstreams, self.meter, folder, self.metering.secret)
        )

    async def aclose(self) -> None:
        """Answer no more."""
        await self._open.aclose()


def _report(record: AgentRecord, began_ns: int) -> Mapping[str, float | None]:
    """Return tokens, cost and clocks of the lines of a question, by the wire of agents."""
    reading = AnswerReader(AgentWire().decoder(), None, began_ns)
    first_ns = None
    while not record.lines.empty():
        line = record.lines.get_nowait()
        assert isinstance(line, Received)
        if first_ns is None and line.data.startswith(b'{"t":"got"'):
            first_ns = line.at_ns
        reading.feed(line)
    completion = reading.completion()
    tokens = completion.tokens
    report: dict[str, float | None] = {
        "input_tokens": tokens.input,
        "cache_read_tokens": tokens.cache_read,
        "cache_write_tokens": tokens.cache_write,
        "output_tokens": tokens.output,
        "reasoning_tokens": tokens.reasoning,
        COST: completion.provider_cost_usd,
        FIRST_TOKEN: None if first_ns is None else (first_ns - began_ns) / 1e6,
        FIRST_EDIT: completion.clocks.first_edit_ms,
    }
    return {name: value for name, value in report.items() if value is not None}
