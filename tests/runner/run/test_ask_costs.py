"""What a call costs: unknown where it is, set aside before it is sent, spent at its bound where it may have been."""

from contextlib import suppress

import pytest

from runner.prices import Prices
from runner.run.budget import Budget, BudgetReachedError
from runner.run.call_context import Retries
from runner.storage.store import Store
from suts.sut import SutError
from tests.runner.contexts import PRICES, Contexts
from tests.runner.made_runs import SUT, make_run
from tests.runner.run.test_ask import CUT, called, scripted
from tests.runner.scripted import QUESTION, Script, chunk, whole
from tests.runner.virtual_time import virtually


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


@pytest.mark.parametrize(
    "usage, prices, cost",
    [
        pytest.param({"prompt": 10, "output": 5}, PRICES, (10 * 1 + 5 * 10) / 1e6, id="by list price"),
        pytest.param({}, PRICES, None, id="no usage, no cost"),
        pytest.param({"prompt": 10, "output": 5}, Prices("2026-01-01"), None, id="no price, no cost"),
    ],
)
def test_an_unknown_cost_is_not_zero(
    contexts: Contexts, usage: dict[str, int], prices: Prices, cost: float | None
) -> None:
    contexts.prices = prices

    completion = virtually(called(contexts, scripted(whole("yes", **usage))))

    assert completion.cost_usd == (pytest.approx(cost) if cost else None)
    assert (contexts.answers()[0]["reserved_usd"] is None) == (prices.of(SUT) is None)


def test_the_budget_is_spent_by_answers_and_their_bound_is_free_again(contexts: Contexts) -> None:
    contexts.budget = Budget(cap_usd=1.0)

    completion = virtually(called(contexts, scripted(whole("yes", 10, 5))))

    assert contexts.budget.spent_usd == completion.cost_usd
    assert contexts.budget.reserved_usd == 0


@pytest.mark.parametrize(
    "script", [pytest.param([chunk("half"), CUT], id="half an answer"), pytest.param(whole("no usage"), id="no usage")]
)
def test_what_may_have_been_billed_is_spent_at_its_bound(contexts: Contexts, script: Script) -> None:
    contexts.budget = Budget(cap_usd=1.0)
    contexts.retries = Retries(tries=1)

    async def one() -> None:
        with suppress(SutError):
            await called(contexts, scripted(script))

    virtually(one())

    assert contexts.budget.spent_usd == PRICES.bound(SUT, QUESTION)


def test_a_call_that_is_not_paid_for_is_not_sent(contexts: Contexts) -> None:
    contexts.budget = Budget(cap_usd=1e-9)
    sut = scripted(whole("yes"))

    with pytest.raises(BudgetReachedError):
        virtually(called(contexts, sut))

    assert (sut.asked, contexts.answers()) == ([], [])


def test_tries_that_are_no_more_paid_for_leave_a_finished_row(contexts: Contexts) -> None:
    bound = PRICES.bound(SUT, QUESTION)
    assert bound is not None
    contexts.budget = Budget(cap_usd=1.5 * bound)
    sut = scripted([chunk("half"), CUT], whole("yes"))

    with pytest.raises(BudgetReachedError):
        virtually(called(contexts, sut))

    (row,) = contexts.answers()
    assert (row["outcome"], row["retries"], row["discarded_usd"]) == ("lost", 1, bound)
