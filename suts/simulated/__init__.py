"""Simulated models: systems under test with known rates, in process or behind `evals serve-sim`.

`simulated("sim/careful", settings)` speaks a real wire format without a network. What such a model answers is
known beforehand (`suts.simulated.models.plan`), so a run over one proves that a run measures right.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Protocol

from suts.simulated.answer import AnswerRequest, answer
from suts.simulated.calls import EDIT_TOOL
from suts.simulated.draws import digest
from suts.simulated.spec import ModelSpec, parse_spec
from suts.simulated.usage import prompt_tokens
from suts.sut import IN_PROCESS, Endpoint, Received, Request, Sampling, Truth, Wire
from suts.wires import WIRES

_NS_A_SECOND = 1_000_000_000


class SimSettings(Protocol):
    """What a simulated model needs of the settings: the run's seed and a monotonic clock in nanoseconds."""

    @property
    def seed(self) -> int:
        """The seed for requests that bring no truth."""
        ...

    @property
    def now_ns(self) -> Callable[[], int]:
        """The clock that stamps what is received."""
        ...


def simulated(model: str, settings: SimSettings) -> "SimulatedSut":
    """Return the simulated model of this id. Raises ValueError with one line saying what is wrong with the id."""
    return SimulatedSut(model, parse_spec(model), settings)


class SimulatedSut:
    """A simulated model in process.

    With `time=real` each piece is waited for and stamped when it is handed over. With `time=virtual` nothing
    waits: a piece is stamped with the start plus its planned offset, and pieces without bytes mark the start and
    the end, so every clock of the answer is exactly as planned.
    """

    simulated = True
    takes_prompts = True
    takes_tools = True

    def __init__(self, model: str, spec: ModelSpec, settings: SimSettings) -> None:
        """Take the id, with or without `sim/`, what it means, and the clock."""
        self.name = f"sim/{model.removeprefix('sim/')}"
        self.spec = spec
        self.endpoint = Endpoint("sim", IN_PROCESS, "", simulated=True)
        self.wire: Wire = WIRES[spec.bill.wire]
        self._settings = settings

    def sent(self, request: Request) -> Sampling:
        """Return the sampling that counts: answers are drawn at random at any temperature, or are always the same."""
        return replace(request.sampling, temperature=0.0 if self.spec.greedy else None)

    async def stream(self, request: Request) -> AsyncIterator[Received]:
        """Yield the planned answer as bytes of the model's wire, one piece at a time."""
        texts = request.texts
        truth = request.truth or Truth(digest(("no truth", *texts)), number=1, seed=self._settings.seed)
        prompt = prompt_tokens(request.system, texts)
        native = any(tool.name == EDIT_TOOL for tool in request.tools)
        marked, limit = request.sampling.cache, request.sampling.max_tokens
        sending = answer(self.spec, AnswerRequest(truth, prompt, limit, native=native, marked=marked))
        now_ns = self._settings.now_ns
        start = now_ns()
        if self.spec.pace.time == "virtual":
            await asyncio.sleep(0)  # so that many virtual streams take turns
            yield Received(start, b"")
            for offset, frame in zip(sending.offsets_ns, sending.frames, strict=True):
                yield Received(start + offset, frame)
            yield Received(start + sending.offsets_ns[-1], b"")
            return
        for offset, frame in zip(sending.offsets_ns, sending.frames, strict=True):
            early = start + offset - now_ns()
            if early > 0:
                await asyncio.sleep(early / _NS_A_SECOND)
            yield Received(now_ns(), frame)

    async def aclose(self) -> None:
        """Nothing to release."""
