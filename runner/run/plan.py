"""What a run is about to do, before anything is written, asked or executed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from runner.pool.executor import Caller
from runner.run.breaker import UNTRIED, PreflightResult
from runner.run.options import AskOptions
from runner.storage.ledger import LaneKey
from suts.replicated import base_urls_of
from suts.server_facts import ServerFacts
from suts.sut import Sut

DetailT = TypeVar("DetailT")


@dataclass(frozen=True, slots=True)
class Workload:
    """What one system is asked at one attempt per lane, over all of its lanes.

    `answer_tokens` is how long an answer is estimated to be; `questions` counts the questions of a suite that asks
    several in an attempt, and `most_questions` bounds them where invalid answers are asked for again.
    """

    questions: int
    prompt_tokens: int
    answer_tokens: int
    most_questions: int


@dataclass(frozen=True, slots=True)
class FillIn:
    """What the fill-in-the-middle prompts of a plan need of a server.

    `marks` are texts that have to be single tokens of the model, by prompt; `suffix` is the prompt that sends the text
    behind the hole in a field of its own, "" = none does.
    """

    marks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Plan(Generic[DetailT]):
    """A run in plan: whose quotas are to be filled, how much that asks of a system, and what the suite adds.

    - `suts` are asked; `local` names those that run here, which cost nothing.
    - `lanes`: the cases outermost, so that an early stop leaves the systems balanced.
    - `quota` and `cap` are those of each lane.
    - `notes`: lines of the preview that only this suite can write.
    - `preflight`: which endpoints respond, once they were tried.
    - `fill_in`: what servers have to be able to do.
    - `servers`: what the servers of systems report, by the system's name, once they were asked.
    - `replica_slots`: how many requests each server of a model at several answers at once, by its base URL.
    - `caller`: what asks in place of this process, once it is open.
    - `first`: runs that are made before this one, while it is prepared; consent and cost are those of all together.
    """

    suite: str
    options: AskOptions
    suts: tuple[Sut, ...]
    lanes: tuple[LaneKey, ...]
    quota: int
    cap: int
    workload: Workload
    detail: DetailT
    local: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fill_in: FillIn = FillIn()
    servers: Mapping[str, ServerFacts] = field(default_factory=dict)
    first: "tuple[Plan[Any], ...]" = ()
    preflight: PreflightResult = UNTRIED
    replica_slots: Mapping[str, int] = field(default_factory=dict)
    caller: Caller | None = None

    @property
    def server_slots(self) -> dict[str, int]:
        """How many requests each server answers at once, by its base URL, where it reports that.

        None is named if the user says how many are sent at once.
        """
        if self.options.max_concurrency is not None:
            return {}
        slots = {sut.endpoint.base_url: self.servers[sut.name].slots for sut in self.suts if sut.name in self.servers}
        return {url: count for url, count in slots.items() if count is not None} | dict(self.replica_slots)

    @property
    def at_once(self) -> int:
        """How many requests may be under way at once: unless the user says it, no more than the servers have slots."""
        slots = self.server_slots
        if any(url not in slots for sut in self.suts for url in base_urls_of(sut)):
            return self.options.slots
        return min(self.options.slots, sum(slots.values())) or self.options.slots

    @property
    def all_suts(self) -> tuple[Sut, ...]:
        """Every system that is asked, those of the runs before this one included."""
        return (*(sut for plan in self.first for sut in plan.suts), *self.suts)
