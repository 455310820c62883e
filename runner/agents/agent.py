"""An agent as a system under test: asked once per attempt, it yields the lines of what happened in its cell."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from runner.agents.attempt import AgentSetting, Ending, run_attempt
from runner.agents.metering import AgentRecord, Meter
from runner.prices import Prices
from suts.connection import is_loopback
from suts.failures import kind_of_status
from suts.sut import Endpoint, ErrorKind, Received, Request, Sampling, Sut, SutError
from suts.wires.agent import AgentWire


class Agent:
    """A coding agent. `most_usd` is the most that one attempt can cost."""

    def __init__(
        self, name: str, endpoint: Endpoint, setting: AgentSetting, prices: Prices, now_ns: Callable[[], int]
    ) -> None:
        """Start nothing yet."""
        self.name = name
        self.endpoint = endpoint
        self.wire = AgentWire()
        self.most_usd = setting.limits.usd
        self.limits = setting.limits
        self.means = setting.isolation.means
        self.priced = False
        connections = setting.upstreams.connections.values()
        self.secrets = tuple(secret for connection in connections for secret in connection.secrets)
        # Only simulated servers of this machine get them.
        self.states_truths = any(is_loopback(connection.base_url) for connection in connections)
        self._setting = setting
        self._prices = prices
        self._now_ns = now_ns

    @property
    def note(self) -> str:
        """The limits of each attempt and the isolation, for a preview."""
        stated = ", ".join(f"{name}={value:g}" for name, value in self.limits.stated.items())
        return f"{self.name}: each attempt at most {stated}; in a cell of {', '.join(self.means)}"

    async def stream(self, request: Request) -> AsyncGenerator[Received]:
        """Make an attempt in the folder of the request. Raises SutError, nothing else."""
        if request.folder is None:
            raise SutError(ErrorKind.BAD_REQUEST, f"{self.name} needs a folder to work in", retryable=False)
        folder = replace(request.folder, truth=request.truth)
        record, ending = AgentRecord(self._now_ns), Ending()
        meter = Meter(record, self._setting.limits, self._prices, ending.at, self.priced)
        task = "\n\n".join(filter(None, (request.system, *(message.text for message in request.messages))))
        yield Received(self._now_ns(), b"")

        async def work() -> None:
            try:
                await run_attempt(self._setting, folder, task, meter, ending)
            finally:
                record.close()

        working = asyncio.create_task(work())
        try:
            while (line := await record.lines.get()) is not None:
                # An attempt in which no server answered has no end.
                if line.data.startswith(b'{"t":"end"') and (error := _unanswered(meter)):
                    raise error
                yield line
            await _outcome(working)
        finally:
            working.cancel()
            # What it raised is known by now, or nobody waits for it.
            with suppress(asyncio.CancelledError, SutError, OSError):
                await working

    def sent(self, request: Request) -> Sampling:
        """Return the sampling of a request: an agent has a temperature and a seed of its own, or none."""
        return replace(request.sampling, temperature=None, seed=None)

    async def aclose(self) -> None:
        """Nothing is left of an attempt."""


def limits_of(suts: Iterable[Sut]) -> dict[str, dict[str, float]]:
    """Return the limits of the agents among systems, by name, for the identity of a run."""
    return {sut.name: dict(sut.limits.stated) for sut in suts if isinstance(sut, Agent)}


def notes_on(suts: Iterable[Sut]) -> Iterator[str]:
    """Yield what a preview says of each agent among systems."""
    yield from (sut.note for sut in suts if isinstance(sut, Agent))


async def _outcome(working: "asyncio.Task[None]") -> None:
    try:
        await working
    except OSError as error:
        message = f"the attempt could not be made: {error}"
        raise SutError(ErrorKind.BAD_REQUEST, message, retryable=False) from error


def _unanswered(meter: Meter) -> SutError | None:
    """Return the error of an attempt in which no server ever answered; None where one did."""
    if not meter.refused or meter.answered:
        return None
    status = meter.refused[-1]
    text = f"no request of the agent was answered; the last one got status {status}"
    return SutError(kind_of_status(status), text, retryable=False, status=status)
