"""Schedules attempts with rolling slots until every lane has its quota of valid ones."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from runner.errors import UnsentError
from runner.records import Outcome, Result
from runner.run.redaction import crash_text
from runner.storage.ledger import LaneKey
from suts.sut import ErrorKind, SutError

# After so many infrastructure outcomes in a row a case is abandoned: more requests would show nothing new.
PATIENCE = 5

# The endpoint refuses the key or the model, or every request: asking again cannot help. The same holds for one that
# limits calls and may not be retried: its quota is used up, or it asks to wait for hours; and for one that cannot be
# reached at all.
_NOT_RETRYABLE = frozenset({ErrorKind.AUTH, ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST})
_OF_ENDPOINT = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.CONNECTION})


@dataclass(slots=True, eq=False)
class Lane:
    """One system with one prompt at one case, and how far it is on the way to its quota.

    At most `quota - valid - in flight` attempts are launched, so that none that finishes is ever dropped:
    keeping the first few of many to finish would favour fast answers. What is on record is measured by the quota and
    the cap on record where these are larger: a session that asks for less does not make its run smaller. A lane that is
    `too_long` is abandoned because its question does not fit into the context window: asking again cannot help.

    `repeatable` are the digests of the invalid answers that were asked for at temperature 0, by number: a lane that got
    one of them twice is settled, and is not asked again.
    """

    key: LaneKey
    quota: int
    cap: int
    valid: int = 0
    invalid: int = 0
    next_number: int = 1
    again: deque[int] = field(default_factory=deque)
    in_flight: int = 0
    failures_in_a_row: int = 0
    abandoned: str | None = None
    too_long: bool = False
    queued: bool = False
    recorded_quota: int = 0
    recorded_cap: int = 0
    repeatable: dict[int, str] = field(default_factory=dict)
    settled_at: int | None = None

    @property
    def launchable(self) -> bool:
        """Whether one more attempt may be launched now."""
        counted = self.valid + self.in_flight
        ended = self.abandoned is not None or self.settled_at is not None
        return not ended and counted < self.quota and counted + self.invalid < self.cap

    @property
    def state(self) -> str:
        """Open, full, settled, capped or abandoned."""
        if self.valid >= max(self.quota, self.recorded_quota):
            return "full"
        if self.settled_at is not None:
            return "settled"
        if self.abandoned is not None:
            return "abandoned"
        return "capped" if self.valid + self.invalid >= max(self.cap, self.recorded_cap) else "open"

    @property
    def done(self) -> bool:
        """Whether no later session has anything to do here."""
        return self.too_long or self.state in {"full", "settled", "capped"}

    def set_aside(self, reason: str) -> None:
        """Give the lane up because its question does not fit into the context window."""
        self.abandoned, self.too_long = reason, True

    def launch(self) -> int:
        """Start an attempt and return its number."""
        self.in_flight += 1
        if self.again:
            return self.again.popleft()
        self.next_number += 1
        return self.next_number - 1

    def note_repeatable(self, number: int, digest: str) -> None:
        """Take the digest of an invalid answer at temperature 0; "" where sampling was another."""
        if not digest:
            return
        repeated = digest in self.repeatable.values()
        self.repeatable[number] = digest
        if repeated:
            self.settled_at = _first_repeat(self.repeatable)

    def resume(self, finished: Iterable[tuple[int, bool]]) -> None:
        """Take over what an earlier session recorded: (number, valid) of each finished attempt."""
        numbers = dict(finished)
        self.valid = sum(numbers.values())
        self.invalid = len(numbers) - self.valid
        self.next_number = max(numbers, default=0) + 1
        self.again = deque(number for number in range(1, self.next_number) if number not in numbers)


def _first_repeat(answers: Mapping[int, str]) -> int | None:
    """Return the number of the first attempt with an answer that an earlier attempt gave, whichever finished first."""
    seen: set[str] = set()
    for number in sorted(answers):
        if answers[number] in seen:
            return number
        seen.add(answers[number])
    return None


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended: a result, or an infrastructure outcome with its reason; `unsent` = never asked."""

    lane: Lane
    number: int
    result: Result | None = None
    outcome: Outcome = Outcome.SUT_ERROR
    reason: str = ""
    unsent: bool = False

    @property
    def crashed(self) -> bool:
        """A plug-in's bug ended it."""
        return self.result is None and self.outcome is Outcome.CRASHED


class Listener(Protocol):
    """Receives each attempt as it begins and ends."""

    def began(self, lane: Lane, number: int) -> None:
        """Note that an attempt was launched."""
        ...

    def ended(self, ended: Ended) -> None:
        """Note that an attempt ended; the lane already counts it."""
        ...


Attempt = Callable[[Lane, int], Awaitable[Result]]


@dataclass(slots=True, eq=False)
class _Model:
    """The lanes of one system that wait to be launched, and how many of its attempts are under way."""

    ready: deque[Lane] = field(default_factory=deque)
    running: int = 0
    queued: bool = False


class Engine:
    """Runs attempts in one task group: of each system as many at once as there are slots, round-robin over its lanes.

    The bound is each system's own, so that one whose attempts wait for their endpoint delays no other. How many
    requests are under way at once is not the engine's affair (see `Slots`).
    """

    def __init__(
        self,
        lanes: Iterable[Lane],
        attempt: Attempt,
        listener: Listener,
        slots: int,
        describe: Callable[[Exception], str] = crash_text,
    ) -> None:
        """Take `attempt`, which makes one attempt at a lane, and `describe`, which returns the text of a bug.

        `slots` is the maximum number of attempts of one system at once.
        """
        self.lanes = tuple(lanes)
        self._attempt = attempt
        self._listener = listener
        self._slots = slots
        self._describe = describe
        self._models = {lane.key.sut: _Model() for lane in self.lanes}
        self._turns: deque[_Model] = deque()
        for lane in self.lanes:
            self._queue(lane)
        self._running = 0
        self.reason = ""
        self._wake = asyncio.Event()
        self._draining = False

    @property
    def running(self) -> int:
        """Attempts under way."""
        return self._running

    @property
    def draining(self) -> bool:
        """Whether nothing more is launched."""
        return self._draining

    def drain(self, reason: str = "") -> None:
        """Launch nothing more; attempts under way finish normally. `reason` is kept if it is the first."""
        self._draining = True
        self.reason = self.reason or reason
        self._wake.set()

    async def run(self) -> None:
        """Return when every lane is full, settled, capped or abandoned, or when drained."""
        async with asyncio.TaskGroup() as group:
            while True:
                self._launch(group)
                if not self._running:
                    return
                await self._wake.wait()
                self._wake.clear()

    def _launch(self, group: asyncio.TaskGroup) -> None:
        """Launch what there is room for: a lane of each system in turn."""
        while self._turns and not self._draining:
            model = self._turns.popleft()
            model.queued = False
            lane = model.ready.popleft()
            lane.queued = False
            if lane.launchable:
                number = lane.launch()
                self._running += 1
                model.running += 1
                self._listener.began(lane, number)
                group.create_task(self._run_attempt(lane, number))
            self._queue(lane)
            self._take_turn(model)

    def _queue(self, lane: Lane) -> None:
        if lane.launchable and not lane.queued:
            lane.queued = True
            model = self._models[lane.key.sut]
            model.ready.append(lane)
            self._take_turn(model)

    def _take_turn(self, model: _Model) -> None:
        if model.ready and model.running < self._slots and not model.queued:
            model.queued = True
            self._turns.append(model)

    async def _run_attempt(self, lane: Lane, number: int) -> None:
        try:
            ended = await self._try(lane, number)
        finally:
            model = self._models[lane.key.sut]
            model.running -= 1
            self._running -= 1
            lane.in_flight -= 1
            self._wake.set()
        self._count(ended)
        self._queue(lane)
        self._take_turn(model)
        self._listener.ended(ended)

    async def _try(self, lane: Lane, number: int) -> Ended:
        try:
            return Ended(lane, number, await self._attempt(lane, number))
        except UnsentError as error:
            self.drain(str(error))
            return Ended(lane, number, None, Outcome.LOST, str(error), unsent=True)
        except SutError as error:
            if error.kind is ErrorKind.CONTEXT:
                lane.set_aside(str(error))
                return Ended(lane, number, None, Outcome.TOO_LONG, str(error))
            if error.kind in _NOT_RETRYABLE or (error.kind in _OF_ENDPOINT and not error.retryable):
                self._give_up(lane, error)
            outcome = Outcome.TIMEOUT if error.kind is ErrorKind.TIMEOUT else Outcome.SUT_ERROR
            return Ended(lane, number, None, outcome, str(error))
        except Exception as error:  # noqa: BLE001 - the one place where a plug-in's bug becomes data: the run goes on
            return Ended(lane, number, None, Outcome.CRASHED, self._describe(error))

    def _give_up(self, lane: Lane, error: SutError) -> None:
        """Abandon the lanes that cannot succeed: all of a refused key, model or parameter, one of a refused request."""
        lanes = [lane] if error.kind is ErrorKind.BAD_REQUEST and not error.parameter else self.lanes
        for other in lanes:
            if other.key.sut == lane.key.sut and other.abandoned is None:
                other.abandoned = str(error)

    def _count(self, ended: Ended) -> None:
        lane = ended.lane
        if ended.result is not None:
            lane.failures_in_a_row = 0
            lane.valid += ended.result.valid
            lane.invalid += not ended.result.valid
            if not ended.result.valid:
                lane.note_repeatable(ended.number, ended.result.greedy_digest)
            return
        lane.again.append(ended.number)
        if ended.unsent:
            return
        lane.failures_in_a_row += 1
        if lane.failures_in_a_row >= PATIENCE and lane.abandoned is None:
            lane.abandoned = f"{PATIENCE} times in a row: {ended.reason.strip().splitlines()[-1]}"
