"""What a run may cost is never exceeded, however many calls are under way, and nobody waits for nothing."""

import asyncio
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.records import Outcome
from runner.run.budget import Budget, BudgetReachedError, spent_usd
from runner.storage.store import Store
from tests.runner.made_runs import Made, make_run
from tests.runner.virtual_time import virtually

amounts = st.floats(min_value=0.0001, max_value=1.0)
# A float is off by so much of itself.
TINY = 1e-12


@dataclass(frozen=True)
class Call:
    """A call: its bound, the share of it that it costs (None = unknown), how long it takes."""

    bound: float
    share: float | None
    seconds: float

    @property
    def cost(self) -> float | None:
        return None if self.share is None else self.share * self.bound


calls = st.builds(
    Call,
    bound=amounts,
    share=st.none() | st.floats(min_value=0, max_value=1),
    seconds=st.floats(min_value=0, max_value=9),
)


@given(cap=st.floats(min_value=0, max_value=5), made=st.lists(calls, max_size=30))
def test_what_is_spent_and_set_aside_never_exceeds_the_cap(cap: float, made: list[Call]) -> None:
    budget = Budget(cap_usd=cap)
    highest: list[float] = [0.0]

    async def one(call: Call) -> float:
        try:
            await budget.reserve(call.bound)
        except BudgetReachedError:
            return 0.0
        highest.append(budget.spent_usd + budget.reserved_usd)
        await asyncio.sleep(call.seconds)
        budget.settle(call.bound, call.cost)
        return call.bound if call.cost is None else call.cost

    async def all_at_once() -> float:
        return sum(await asyncio.gather(*map(one, made)))

    spent = virtually(all_at_once())

    assert max(highest) <= cap + TINY
    assert budget.spent_usd == pytest.approx(spent)
    assert budget.reserved_usd == 0


@given(bounds=st.lists(amounts, min_size=1, max_size=12), seed=st.integers(0, 10**6))
def test_when_nothing_is_under_way_a_bound_that_does_not_fit_is_refused_at_once(bounds: list[float], seed: int) -> None:
    budget = Budget(cap_usd=sum(bounds) + 1)

    async def settle_all() -> None:
        for bound in bounds:
            await budget.reserve(bound)
        for bound in Random(seed).sample(bounds, len(bounds)):
            budget.settle(bound, 0.0)
        with pytest.raises(BudgetReachedError):
            await budget.reserve(sum(bounds) + 2)

    virtually(settle_all())


def test_a_call_waits_while_those_under_way_may_leave_enough() -> None:
    budget = Budget(cap_usd=1.0)

    async def second() -> float:
        await budget.reserve(0.75)
        asyncio.get_running_loop().call_later(5, budget.settle, 0.75, 0.25)
        await budget.reserve(0.5)
        return asyncio.get_running_loop().time()

    assert virtually(second()) == 5
    assert (budget.spent_usd, budget.reserved_usd) == (0.25, 0.5)


def test_a_call_is_refused_when_those_under_way_have_left_too_little() -> None:
    budget = Budget(cap_usd=1.0)

    async def second() -> None:
        await budget.reserve(0.75)
        asyncio.get_running_loop().call_later(5, budget.settle, 0.75, 0.75)
        await budget.reserve(0.5)

    with pytest.raises(BudgetReachedError, match=r"\$0\.2500 of \$1\.00 left, the next call may cost \$0\.5000"):
        virtually(second())


def test_without_a_cap_nothing_is_held_back() -> None:
    budget = Budget()

    virtually(budget.reserve(1e9))
    virtually(budget.reserve(None))

    assert budget.reserved_usd == 0


def test_a_price_that_is_unknown_is_no_price_of_zero() -> None:
    with pytest.raises(BudgetReachedError, match="price is unknown"):
        virtually(Budget(cap_usd=1e9).reserve(None))


def test_a_run_has_spent_its_answers_its_half_answers_and_its_lost_calls(store: Store) -> None:
    make_run(store)
    made = Made(store)
    lane = made.lane("a")
    made.answer(lane, 1, provider_cost_usd=1.0, list_cost_usd=99.0, reserved_usd=99.0)
    made.answer(lane, 2, list_cost_usd=2.0, reserved_usd=99.0, discarded_usd=0.5)
    made.answer(lane, 3, reserved_usd=4.0)
    made.answer(lane, 4, None, outcome=str(Outcome.LOST), reserved_usd=8.0, discarded_usd=8.0)
    made.answer(lane, 5, None, outcome=str(Outcome.SUT_ERROR), reserved_usd=16.0, discarded_usd=0.0)
    made.answer(lane, 6, None, outcome=str(Outcome.CRASHED), reserved_usd=32.0, discarded_usd=0.0)

    assert spent_usd(store, "r1") == 1.0 + 2.0 + 0.5 + 4.0 + 8.0 + 32.0
    assert spent_usd(store, "another") == 0.0
