"""Slots are never exceeded, are shared fairly by the models, and none is lost when a waiting request is cancelled."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.errors import UnsentError
from runner.run.drain import Drain
from runner.run.slots import Slots
from tests.runner.virtual_time import now_s, virtually


@dataclass(frozen=True)
class Sending:
    """A request: its model, when it wants a slot, how long it takes, when it is cancelled."""

    model: str
    at_s: float
    seconds: float
    cancelled_s: float


sendings = st.builds(
    Sending,
    model=st.sampled_from("abc"),
    at_s=st.integers(0, 5).map(float),
    seconds=st.integers(0, 5).map(float),
    cancelled_s=st.integers(0, 40).map(float),
)


@dataclass
class Watched:
    """Slots with what was seen of their use."""

    slots: Slots
    under_way: Counter[str] = field(default_factory=Counter)
    peak: int = 0
    sent: list[str] = field(default_factory=list)

    async def send(self, model: str, seconds: float) -> None:
        await self.slots.acquire(model)
        try:
            self.sent.append(model)
            self.under_way[model] += 1
            self.peak = max(self.peak, self.under_way.total())
            await asyncio.sleep(seconds)
        finally:
            self.under_way[model] -= 1
            self.slots.release(model)


@given(most=st.integers(1, 4), made=st.lists(sendings, max_size=15))
def test_slots_are_never_exceeded_and_all_are_free_in_the_end(most: int, made: list[Sending]) -> None:
    watched = Watched(Slots(most))

    async def one(sending: Sending) -> None:
        await asyncio.sleep(sending.at_s)
        await watched.send(sending.model, sending.seconds)

    async def all_of_them() -> None:
        loop = asyncio.get_running_loop()
        tasks = [asyncio.create_task(one(sending)) for sending in made]
        for sending, task in zip(made, tasks, strict=True):
            loop.call_at(sending.cancelled_s, task.cancel)
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.wait_for(asyncio.gather(*(watched.send("d", 1) for _ in range(most))), 1.5)

    virtually(all_of_them())

    assert watched.peak <= most
    assert watched.slots.in_use == 0


def test_models_with_equally_long_answers_take_turns() -> None:
    watched = Watched(Slots(1))

    async def six() -> None:
        await asyncio.gather(*(watched.send(model, 1) for model in "aaabbb"))

    virtually(six())

    assert "".join(watched.sent) == "ababab"


def test_a_model_that_answers_slowly_leaves_half_of_the_slots_to_another() -> None:
    watched = Watched(Slots(4))

    async def both() -> float:
        async def fast() -> float:
            await asyncio.gather(*(watched.send("fast", 1) for _ in range(20)))
            return now_s()

        slow = [asyncio.create_task(watched.send("slow", 100)) for _ in range(20)]
        done_s = await fast()
        for task in slow:
            task.cancel()
        return done_s

    # The four slots that the slow model has taken by then are freed after 100 s; two of them go to the other.
    assert virtually(both()) == pytest.approx(110)


def test_a_drain_ends_each_wait_and_lets_what_is_over_go_on() -> None:
    drain = Drain()

    async def waits() -> str:
        with drain.waiting():
            await asyncio.sleep(60)
        return "waited"

    async def sent() -> str:
        with drain.waiting() as wait:
            wait.over()
            await asyncio.sleep(60)
        return "sent"

    async def both() -> list[str | BaseException]:
        tasks = [asyncio.create_task(waits()), asyncio.create_task(sent()), asyncio.create_task(drain.sleep(60))]
        await asyncio.sleep(1)
        drain.begin("the budget")
        drain.begin("an interrupt")
        return await asyncio.gather(*tasks, return_exceptions=True)  # type: ignore[return-value]  # of three kinds

    waited, finished, slept = virtually(both())

    assert (type(waited), type(slept), finished) == (UnsentError, UnsentError, "sent")
    assert str(waited) == "the budget"
    with pytest.raises(UnsentError, match="the budget"):
        drain.check()


def test_a_cancellation_from_elsewhere_is_none_of_the_drains() -> None:
    drain = Drain()

    async def main() -> tuple[bool, bool]:
        task = asyncio.create_task(drain.sleep(60))
        other = asyncio.create_task(drain.sleep(60))
        await asyncio.sleep(1)
        task.cancel()
        drain.begin("late")
        other.cancel()
        await asyncio.gather(task, other, return_exceptions=True)
        return task.cancelled(), other.cancelled()

    assert virtually(main()) == (True, True)
