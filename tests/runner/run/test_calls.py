"""A row for each request: written before it is sent, ended with what became of it, known after a kill."""

import asyncio
import sqlite3
from contextlib import closing

import pytest

from runner.report.costs import costs
from runner.run.budget import Budget, BudgetReachedError, spent_usd
from runner.run.call_context import Retries
from runner.storage.runs import find_run
from runner.storage.store import Store
from suts.sut import ErrorKind, Request, SutError
from tests.runner.contexts import PRICES, Contexts, asked
from tests.runner.made_runs import SUT, make_run
from tests.runner.run.test_ask import CUT, called, scripted
from tests.runner.scripted import QUESTION, chunk, question, whole
from tests.runner.virtual_time import virtually

REFUSED = SutError(ErrorKind.SERVER, "500: later", retryable=True, status=500)


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


@pytest.fixture
def bound() -> float:
    usd = PRICES.bound(SUT, QUESTION)
    assert usd is not None
    return usd


def interrupt(contexts: Contexts, *scripts: list[object]) -> None:
    """Stop a session while a call of it is under way."""

    async def session() -> None:
        context = contexts.new()
        async with context.ledger:
            call = asyncio.create_task(question(asked(context, scripted(*scripts))))  # type: ignore[arg-type]  # steps
            await asyncio.sleep(20)
            call.cancel()

    virtually(session())


def test_each_request_has_its_row_before_it_is_sent(contexts: Contexts, bound: float) -> None:
    seen: list[list[tuple[object, ...]]] = []

    def look(_request: Request) -> None:
        with closing(sqlite3.connect(contexts.store.path)) as other:
            seen.append(other.execute("SELECT retry, outcome, error_kind FROM calls ORDER BY call_id").fetchall())
            seen.append(other.execute("SELECT retries, discarded_usd FROM answers").fetchall())

    virtually(called(contexts, scripted([look, chunk("half"), CUT], [look, REFUSED], [look, *whole("yes", 10, 5)])))

    cut, refused = (0, "failed", "cut"), (1, "failed", "server")
    assert seen == [
        [(0, "in_flight", None)],
        [(0, None)],
        [cut, (1, "in_flight", None)],
        [(1, bound)],
        [cut, refused, (2, "in_flight", None)],
        [(2, bound)],
    ]


def test_a_request_says_what_became_of_it_and_what_it_cost(contexts: Contexts, bound: float) -> None:
    virtually(called(contexts, scripted([chunk("half"), CUT], [REFUSED], whole("yes", 10, 5))))

    (answer,) = contexts.answers()
    calls = [(call["outcome"], call["error_text"], call["reserved_usd"], call["cost_usd"]) for call in contexts.calls()]
    assert calls == [
        ("failed", str(CUT), bound, None),
        ("failed", "500: later", bound, 0.0),
        ("answered", None, bound, answer["list_cost_usd"]),
    ]


def test_the_last_request_of_a_question_without_an_answer_says_why(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=2)

    with pytest.raises(SutError):
        virtually(called(contexts, scripted([REFUSED], [CUT])))

    assert [(call["outcome"], call["error_kind"]) for call in contexts.calls()] == [
        ("failed", "server"),
        ("failed", "cut"),
    ]


def test_a_retry_that_the_budget_refuses_has_no_row(contexts: Contexts, bound: float) -> None:
    contexts.budget = Budget(cap_usd=1.5 * bound)

    with pytest.raises(BudgetReachedError):
        virtually(called(contexts, scripted([chunk("half"), CUT], whole("yes"))))

    assert [(call["retry"], call["outcome"], call["error_kind"]) for call in contexts.calls()] == [(0, "failed", "cut")]
    assert [(row["outcome"], row["error_kind"]) for row in contexts.answers()] == [("lost", "budget")]


def test_requests_before_a_kill_are_remembered_with_the_one_in_flight(contexts: Contexts, bound: float) -> None:
    interrupt(contexts, [chunk("half"), CUT], [30.0])
    contexts.new()

    (lost,) = contexts.answers()
    assert (lost["outcome"], lost["retries"], lost["discarded_usd"]) == ("lost", 1, 2 * bound)
    assert [call["outcome"] for call in contexts.calls()] == ["failed", "lost"]


def test_a_call_in_flight_counts_at_its_bound_beside_what_its_retries_lost(contexts: Contexts, bound: float) -> None:
    interrupt(contexts, [chunk("half"), CUT], [30.0])

    (model,) = costs(contexts.store, find_run(contexts.store, "r1"))
    assert [row["outcome"] for row in contexts.answers()] == ["in_flight"]
    assert spent_usd(contexts.store, "r1") == 2 * bound
    assert model.at_most_usd == 2 * bound
