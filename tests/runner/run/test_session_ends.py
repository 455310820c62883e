"""What one model or one input meets does not end the rest; a session that stops sends nothing more."""

import asyncio
import signal
from collections.abc import Callable

import pytest

from runner.prices import Price, Prices, Rate
from runner.records import Result
from runner.run.budget import Budget, spending
from runner.run.call_context import Retries
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.run.limits import Rates
from runner.run.protocols import Ask
from runner.run.session import Session, run_session
from runner.storage.store import Store
from suts.rate_headers import Allowance, RateHeaders
from suts.sut import ErrorKind, Request, SutError
from tests.runner.contexts import PRICES, Contexts, Deaf
from tests.runner.made_runs import SUT, make_run, plan, variant
from tests.runner.run.test_session import ask_once, interrupt, lanes_of, run, scripted, states
from tests.runner.scripted import QUESTION, Scripted, chunk, ending, whole
from tests.runner.virtual_time import now_ns, now_s, virtually

OTHER = "test/other"
YES = whole("yes", 10, 5)
BUSY = SutError(ErrorKind.RATE_LIMIT, "429", retry_after_s=2.0, status=429)
FORBIDDEN = SutError(ErrorKind.AUTH, "403: moderated", retryable=False, status=403)
CASES = "abcdefghijkl"


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(OTHER)]))
    return Contexts(store, slots=4)


def ended_at(contexts: Contexts, lanes: list[Lane], *suts: Scripted) -> float:
    """When the last answer of the first system came."""
    moments: list[float] = []
    suts[0].scripts = [[*script, lambda _request: moments.append(now_s())] for script in suts[0].scripts]
    run(contexts, lanes, *suts)
    return max(moments)


@pytest.mark.parametrize("rates", [Rates(), Rates(4), Rates(1)], ids=["adaptive", "four", "one"])
def test_a_model_that_only_refuses_delays_no_other(store: Store, rates: Rates) -> None:
    make_run(store, planned=plan(cases=CASES, variants=[variant(), variant(OTHER)]))
    make_run(store, "r2", planned=plan(cases=CASES, variants=[variant(), variant(OTHER)]))
    alone = Contexts(store, rates=rates, slots=4)
    together = Contexts(store, "r2", rates=rates, slots=4, retries=Retries(tries=3))
    refusing = scripted([BUSY], name=OTHER)

    alone_s = ended_at(alone, lanes_of(CASES, 4), scripted([1.0, *YES]))
    together_s = ended_at(together, lanes_of(CASES, 4, (SUT, OTHER)), scripted([1.0, *YES]), refusing)

    assert together_s == alone_s
    assert refusing.asked


def test_a_model_without_permission_fills_no_slot_while_another_fills_its_quota(contexts: Contexts) -> None:
    contexts.rates = Rates(rpm=1e-3)
    sut, waiting = scripted(YES), scripted(YES, name=OTHER)
    lanes = lanes_of("ab", suts=(SUT, OTHER))

    async def one_waits() -> int:
        context = contexts.new()
        context.limits.of(sut.endpoint, SUT)._requests = None
        session = Session(lanes, ask_once, (sut, waiting), None, slots=1)
        running = asyncio.create_task(run_session(session, context, Deaf()))
        await asyncio.sleep(60)
        under_way = context.limits.slots.in_use
        context.limits.drain.begin()
        await running
        return under_way

    assert virtually(one_waits()) == 0
    assert [lane.state for lane in lanes if lane.key.sut == SUT] == ["full", "full"]
    assert len(waiting.asked) == 1


def test_no_more_requests_than_slots_are_under_way_at_once(contexts: Contexts) -> None:
    peaks: list[int] = []
    suts = [scripted([1.0, *YES]), scripted([1.0, *YES], name=OTHER)]
    count = [lambda _request: peaks.append(sum(sut.open_streams for sut in suts))]
    for sut in suts:
        sut.scripts = [[*count, *sut.scripts[0]]]

    end = run(contexts, lanes_of("abcdef", 3, (SUT, OTHER)), *suts)

    assert (end.complete, max(peaks)) == (True, 4)


def test_one_refused_input_ends_its_case_alone_once_the_key_has_worked(contexts: Contexts) -> None:
    sut = scripted(YES, [FORBIDDEN], YES)
    contexts.slots = 1

    end = run(contexts, lanes_of("abcd"), sut)

    assert (end.exit_code, end.valid) == (3, 3)
    assert sorted(states(contexts).values()) == ["abandoned", "full", "full", "full"]


def test_a_key_has_worked_once_a_response_has_begun(contexts: Contexts) -> None:
    sut = scripted([0.5, FORBIDDEN], YES)

    def begins(_request: Request) -> None:
        assert sut.on_headers is not None
        sut.on_headers(RateHeaders(now_ns(), 200))

    sut.scripts.insert(1, [begins, 60.0, *YES])
    end = run(contexts, lanes_of("abcdef"), sut)

    assert (end.valid, list(states(contexts).values()).count("abandoned")) == (5, 1)


def test_a_key_that_never_worked_ends_its_model_with_the_first_403(contexts: Contexts) -> None:
    end = run(contexts, lanes_of("abcdef"), scripted([FORBIDDEN]))

    assert (end.valid, set(states(contexts).values())) == (0, {"abandoned"})


@pytest.mark.parametrize("status", [401, 402])
def test_a_key_without_credit_ends_its_model_even_if_it_has_worked(contexts: Contexts, status: int) -> None:
    refused = SutError(ErrorKind.AUTH, f"{status}", retryable=False, status=status)
    contexts.slots = 1

    end = run(contexts, lanes_of("abcdefghijkl"), scripted(YES, [refused]))

    assert (end.valid, list(states(contexts).values()).count("full")) == (1, 1)


def test_an_answer_on_record_shows_that_a_key_works(contexts: Contexts) -> None:
    run(contexts, lanes_of("a"), scripted(YES))
    lanes = lanes_of("abc")
    resume_lanes(contexts.store, "r1", lanes)

    end = run(contexts, lanes, scripted([FORBIDDEN], YES))

    assert (end.valid, [lane.state for lane in lanes].count("full")) == (2, 2)


def test_an_interrupt_sends_nothing_that_waits_for_permission(contexts: Contexts) -> None:
    contexts.rates = Rates(concurrency=2)
    sut = scripted([1.0, interrupt, 1.0, *YES], [9.0, *YES])
    lanes = lanes_of(CASES, quota=3)

    end = run(contexts, lanes, sut)

    assert (len(sut.asked), end.valid, end.exit_code) == (2, 2, 3)
    assert contexts.said == ["draining: 2 calls under way end first; interrupt again to stop now"]
    assert [row["outcome"] for row in contexts.answers()] == ["answered"] * 2
    assert {lane.failures_in_a_row for lane in lanes} == {0}


def test_an_interrupt_sends_nothing_that_waits_for_its_slot_or_the_budget(contexts: Contexts) -> None:
    bound = PRICES.bound(SUT, QUESTION)
    assert bound is not None
    contexts.budget = Budget(cap_usd=2.5 * bound)
    contexts.slots = 1
    sut = scripted([1.0, interrupt, 1.0, *YES])

    end = run(contexts, lanes_of(CASES), sut)

    assert (len(sut.asked), end.valid) == (1, 1)
    assert contexts.budget.reserved_usd == 0


def test_an_interrupt_sends_no_retry_and_the_next_session_goes_on(contexts: Contexts) -> None:
    waits = SutError(ErrorKind.SERVER, "500", retry_after_s=500, status=500)
    sut = scripted([waits], [5.0, waits], [1.0, interrupt, 9.0, *YES])
    lanes = lanes_of("abc")

    end = run(contexts, lanes, sut)
    retries = [row["retries"] for row in contexts.answers()]
    resumed = lanes_of("abc")
    resume_lanes(contexts.store, "r1", resumed)
    again = run(contexts, resumed, scripted(YES))

    assert (end.valid, end.exit_code, len(sut.asked)) == (1, 3, 3)
    assert retries == [0, 0, 0]
    assert {lane.failures_in_a_row for lane in lanes} == {0}
    assert {(row["outcome"], row["error_kind"]) for row in contexts.answers()[:3]} == {
        ("lost", "drained"),
        ("answered", None),
    }
    assert (again.exit_code, again.valid) == (0, 3)


def test_after_an_interrupt_an_attempt_asks_no_further_question_and_its_answers_stay(contexts: Contexts) -> None:
    async def two_steps(_lane: Lane, ask: Ask, number: int) -> Result:
        await ask(QUESTION, step=0, number=number)
        await ask(QUESTION, step=1, number=number)
        return Result(valid=True, scorings=())

    first, second = scripted([interrupt, 1.0, *YES]), scripted(YES)
    ended = run(contexts, lanes_of("a"), first, attempt=two_steps)
    resumed = run(contexts, lanes_of("a"), second, attempt=two_steps)

    assert (ended.exit_code, resumed.exit_code) == (3, 0)
    assert (len(first.asked), len(second.asked)) == (1, 1)
    assert [row["step"] for row in contexts.answers()] == [0, 1]


def headers(seconds: float) -> Callable[[Scripted], None]:
    def hear(sut: Scripted) -> None:
        assert sut.on_headers is not None
        sut.on_headers(RateHeaders(now_ns(), 200, Allowance(limit=50, remaining=0, reset_s=seconds)))

    return hear


@pytest.mark.parametrize("seconds, asked", [(500.0, 4), (86_400.0, 1), (1e12, 1)], ids=["minutes", "a day", "ages"])
def test_headers_that_ask_to_wait_for_hours_end_the_model_and_minutes_are_waited(
    contexts: Contexts, seconds: float, asked: int
) -> None:
    contexts.slots, contexts.rates = 1, Rates(concurrency=1)
    sut = scripted(YES)
    sut.scripts = [[lambda _request: headers(seconds)(sut), *YES]]
    lanes = lanes_of("abcd")

    end = run(contexts, lanes, sut)

    reason = next((lane.abandoned for lane in lanes if lane.abandoned), "")
    assert (len(sut.asked), end.valid) == (asked, asked)
    assert end.exit_code == (0 if asked == 4 else 3)
    assert reason.startswith(f"{SUT} at https://scripted.example takes no more requests until ") == (asked == 1)


def test_an_answer_above_its_bound_stops_the_run_and_raises_the_next_bounds(contexts: Contexts) -> None:
    contexts.prices = Prices("2026-01-01", {SUT: Price(Rate(input=1.0, output=10.0))})
    bound = contexts.prices.bound(SUT, QUESTION)
    assert bound is not None
    dear = [chunk("yes"), ending(prompt=10, output=1_000_000)]
    contexts.budget = Budget(cap_usd=0.3)
    contexts.slots = 2
    sut = scripted([1.0, *dear], [2.0, *YES])

    end = run(contexts, lanes_of(CASES), sut)
    spent = spending(contexts.store, "r1")

    assert (end.exit_code, len(sut.asked), end.valid) == (3, 2, 2)
    assert end.reason.startswith(f"an answer of {SUT} cost $10.0000, and ${bound:.4f} was reserved for it")
    assert spent.usd == pytest.approx(contexts.budget.spent_usd)
    assert spent.factors == contexts.budget.factors == {SUT: pytest.approx(10.00001 / bound)}


def test_a_resumed_run_reserves_by_the_factor_that_it_has_seen(contexts: Contexts) -> None:
    bound = PRICES.bound(SUT, QUESTION)
    assert bound is not None
    contexts.budget = Budget(cap_usd=1.0, factors={SUT: 5.0})
    reserved: list[float] = []
    sut = scripted([lambda _request: reserved.append(contexts.budget.reserved_usd), *YES])
    contexts.slots = 1

    end = run(contexts, lanes_of("a"), sut)

    assert end.complete
    assert reserved == [pytest.approx(5 * bound)]


def test_a_budget_below_one_call_asks_nothing_and_says_what_to_lower(contexts: Contexts) -> None:
    contexts.budget = Budget(cap_usd=0.001)
    sut = scripted(YES)

    end = run(contexts, lanes_of("ab"), sut)

    assert (sut.asked, contexts.answers(), end.exit_code) == ([], [], 3)
    assert end.reason == (
        f"$0.0010 of $0.001 left, the next call may cost ${PRICES.bound(SUT, QUESTION):.4f};"
        " lower --max-tokens, shorten the prompts or choose a cheaper model, or raise --budget"
    )


def test_a_second_interrupt_stops_a_session_whose_requests_wait(contexts: Contexts) -> None:
    contexts.rates = Rates(concurrency=1)
    sut = scripted([1.0, interrupt, lambda _request: signal.raise_signal(signal.SIGINT), 60.0])

    with pytest.raises(BaseException) as stopped:  # noqa: PT011 - asyncio's own, which is no Exception
        run(contexts, lanes_of("abcdef"), sut)

    assert type(stopped.value).__name__ in {"CancelledError", "KeyboardInterrupt"}
    assert len(sut.asked) == 1
