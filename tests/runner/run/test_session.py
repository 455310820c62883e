"""A session fills its lanes through faults, crashes and interrupts, and says how it ended."""

import json
import signal
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from parsers import PARSERS
from runner.records import Outcome, Result, Scoring
from runner.run.budget import Budget
from runner.run.engine import Lane
from runner.run.lanes import resume_lanes
from runner.run.protocols import Ask
from runner.run.session import Session, SessionEnd, lane_keys, run_session
from runner.storage.ledger import LaneKey
from runner.storage.store import Store
from suts.rate_headers import Allowance, RateHeaders
from suts.sut import ErrorKind, Request, SutError
from tests.runner.contexts import LANE, Contexts, Deaf
from tests.runner.made_runs import SUT, make_run, plan, variant
from tests.runner.scripted import QUESTION, Script, Scripted, whole
from tests.runner.virtual_time import now_ns, now_s, virtually

YES = whole("yes", 10, 5)


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=plan(cases="abcdef", variants=[variant(), variant("test/other")]))
    return Contexts(store)


async def ask_once(_lane: Lane, ask: Ask, number: int) -> Result:
    """An attempt whose answer `yes` is valid and solves the case."""
    completion = await ask(QUESTION, number=number)
    outcome = Outcome.APPLIED if completion.text == "yes" else Outcome.NO_CALL
    scoring = Scoring(outcome, outcome.valid, "xml-tools-v2", "v4", answer_id=completion.answer_id)
    return Result(outcome.valid, (scoring,), completion.cost_usd)


def scripted(*scripts: Script, name: str = SUT) -> Scripted:
    return Scripted(list(scripts), now_ns, name=name)


def lanes_of(cases: str, quota: int = 1, suts: Sequence[str] = (SUT,)) -> list[Lane]:
    return [Lane(key, quota, 10 * quota) for key in lane_keys(suts, ["basic"], list(cases))]


def run(
    contexts: Contexts, lanes: list[Lane], *suts: Scripted, attempt: Callable[..., object] = ask_once
) -> SessionEnd:
    session = Session(lanes, attempt, suts, PARSERS["xml-tools-v2"], slots=4)  # type: ignore[arg-type]  # an attempt
    return virtually(run_session(session, contexts.new(), Deaf()))


def states(contexts: Contexts) -> dict[str, str]:
    return {row["case_id"]: row["state"] for row in contexts.store.rows("SELECT case_id, state FROM lanes")}


def test_a_session_fills_its_lanes_and_writes_all_down(contexts: Contexts) -> None:
    sut = scripted(YES)

    end = run(contexts, lanes_of("abc", quota=2), sut)

    assert end == SessionEnd(complete=True, crashed=0, valid=6)
    assert states(contexts) == dict.fromkeys("abc", "full")
    assert contexts.store.rows("SELECT count(*) FROM attempts WHERE valid AND solved")[0][0] == 6
    assert sut.closed == 1


def test_an_invalid_attempt_is_recorded_and_tried_again(contexts: Contexts) -> None:
    run(contexts, lanes_of("a", quota=2), scripted(whole("no"), YES))

    rows = contexts.store.rows("SELECT number, outcome, valid FROM attempts ORDER BY number")
    assert [tuple(row) for row in rows] == [(1, "no_call", 0), (2, "applied", 1), (3, "applied", 1)]


def test_a_bug_in_a_scorer_is_noted_on_the_answer_it_crashed_on_and_on_no_other(contexts: Contexts) -> None:
    async def sometimes(lane: Lane, ask: Ask, number: int) -> Result:
        result = await ask_once(lane, ask, number)
        if number == 2:
            raise ZeroDivisionError("a scorer's bug")
        return result

    sut = scripted(YES)
    end = run(contexts, lanes_of("a", quota=2), sut, attempt=sometimes)

    outcomes = {row["number"]: row["outcome"] for row in contexts.answers()}
    assert (end.exit_code, end.crashed) == (3, 5)
    assert outcomes == {1: "answered", 2: "crashed"}
    assert len(sut.asked) == 2


def test_a_bug_in_a_system_leaves_the_answers_of_other_attempts_alone(contexts: Contexts) -> None:
    sut = scripted(YES, [ZeroDivisionError("a system's bug")], YES)

    end = run(contexts, lanes_of("a", quota=2), sut)

    rows = [(row["number"], row["try"], row["outcome"]) for row in contexts.answers()]
    assert (end.complete, end.exit_code) == (True, 1)
    assert sorted(rows) == [(1, 1, "answered"), (2, 1, "crashed"), (2, 2, "answered")]


def test_a_bug_in_a_later_question_leaves_the_answer_to_an_earlier_one_alone(contexts: Contexts) -> None:
    async def two_steps(_lane: Lane, ask: Ask, number: int) -> Result:
        await ask(QUESTION, step=0, number=number)
        await ask(QUESTION, step=1, number=number)
        return Result(valid=True, scorings=(Scoring(Outcome.APPLIED, valid=True),))

    sut = scripted(YES, [ZeroDivisionError("a system's bug")])
    run(contexts, lanes_of("a"), sut, attempt=two_steps)

    rows = [(row["step"], row["outcome"]) for row in contexts.answers()]
    assert rows == [(0, "answered"), *[(1, "crashed")] * 5]


def test_a_mended_scorer_scores_the_recorded_answer(contexts: Contexts) -> None:
    async def broken(lane: Lane, ask: Ask, number: int) -> Result:
        await ask_once(lane, ask, number)
        raise ZeroDivisionError

    run(contexts, lanes_of("a"), scripted(YES), attempt=broken)
    lanes, sut = lanes_of("a"), scripted(YES)
    resume_lanes(contexts.store, "r1", lanes)

    end = run(contexts, lanes, sut)

    assert (end.exit_code, len(sut.asked)) == (0, 0)
    assert contexts.store.rows("SELECT outcome FROM attempts")[0]["outcome"] == "applied"


def test_a_refused_key_gives_up_one_system_and_not_the_other(contexts: Contexts) -> None:
    refused = scripted([SutError(ErrorKind.AUTH, "401", retryable=False)])
    other = scripted(YES, name="test/other")
    lanes = lanes_of("abcdef", suts=(SUT, "test/other"))

    end = run(contexts, lanes, refused, other)

    assert (end.exit_code, end.valid) == (3, 6)
    assert {lane.state for lane in lanes if lane.key.sut == SUT} == {"abandoned"}
    assert {lane.state for lane in lanes if lane.key.sut == "test/other"} == {"full"}
    assert len(refused.asked) <= 4


def interrupt(_request: Request) -> None:
    signal.raise_signal(signal.SIGINT)


def test_a_first_interrupt_drains(contexts: Contexts) -> None:
    sut = scripted([interrupt, 1.0, *YES], [1.0, *YES])

    end = run(contexts, lanes_of("abcdef"), sut)

    assert (end.complete, end.exit_code) == (False, 3)
    assert len(sut.asked) == end.valid == 4
    assert contexts.said == ["draining: 4 calls under way end first; interrupt again to stop now"]
    assert list(states(contexts).values()).count("full") == 4


def test_a_second_interrupt_stops_at_once_and_keeps_what_is_there(contexts: Contexts) -> None:
    sut = scripted([interrupt, *YES], [1.0, interrupt, 60.0])

    with pytest.raises(BaseException) as stopped:  # noqa: PT011 - asyncio's own, which is no Exception
        run(contexts, lanes_of("abcdef"), sut)

    assert type(stopped.value).__name__ in {"CancelledError", "KeyboardInterrupt"}
    assert {row["outcome"] for row in contexts.answers()} == {"answered", "in_flight"}
    assert len(sut.asked) < 6
    assert sut.closed == 1


def test_a_reached_budget_drains_with_a_reason_and_a_larger_one_goes_on(contexts: Contexts) -> None:
    price = contexts.prices.bound(SUT, QUESTION)
    assert price is not None
    contexts.budget = Budget(cap_usd=price * 1.01)
    lanes = lanes_of("abcdef", quota=500)
    end = run(contexts, lanes, scripted(YES))
    spent = contexts.budget.spent_usd

    contexts.budget = Budget(cap_usd=1.0, spent_usd=spent)
    again = lanes_of("abcdef", quota=2)
    resume_lanes(contexts.store, "r1", again)
    resumed = run(contexts, again, scripted(YES))

    assert end.exit_code == 3
    assert spent <= price * 1.01
    assert resumed.complete


def test_the_limiter_hears_what_responses_tell(contexts: Contexts) -> None:
    sut = scripted(YES)

    def empty(_request: Request) -> None:
        assert sut.on_headers is not None
        sut.on_headers(RateHeaders(now_ns(), 200, Allowance(limit=1, remaining=0, reset_s=30.0)))

    sut.scripts = [[empty, *YES]]
    moments: list[float] = []
    sut.scripts[0] = [lambda _request: moments.append(now_s()), *sut.scripts[0]]
    contexts.rates = contexts.rates.__class__(concurrency=1)

    run(contexts, lanes_of("ab"), sut)

    assert moments == pytest.approx([0, 30], abs=0.1)


@pytest.mark.parametrize(
    "end, code",
    [
        pytest.param(SessionEnd(complete=True, crashed=0, valid=1), 0, id="done"),
        pytest.param(SessionEnd(complete=True, crashed=0, valid=0), 1, id="nothing valid"),
        pytest.param(SessionEnd(complete=True, crashed=1, valid=5), 1, id="crashes"),
        pytest.param(SessionEnd(complete=False, crashed=1, valid=0), 3, id="can go on"),
    ],
)
def test_the_exit_code_says_how_it_ended(end: SessionEnd, code: int) -> None:
    assert end.exit_code == code


def test_cases_are_outermost_so_that_an_early_stop_is_fair() -> None:
    keys = lane_keys(["s", "t"], ["p", "q"], ["a", "b"])

    assert keys[:4] == [LaneKey(sut, prompt, "a") for sut in "st" for prompt in "pq"]
    assert len(keys) == 8
    assert LANE not in keys


def answered_by(model: str, upstream: str = "") -> Script:
    """An answer that says who served it."""
    choices = [{"delta": {"content": "yes"}, "finish_reason": "stop"}]
    chunk = json.dumps({"model": model, "provider": upstream or None, "choices": choices})
    return [f"data: {chunk}\n\ndata: [DONE]\n\n".encode()]


@pytest.mark.parametrize(
    "scripts,said",
    [
        pytest.param([answered_by("scripted")], [], id="the model asked for"),
        pytest.param(
            [answered_by("scripted-2024-08-06")], ["test/scripted: answered by scripted-2024-08-06"], id="a release"
        ),
        pytest.param(
            [answered_by("tiny-135m")],
            ["warning: test/scripted: the server reports that tiny-135m answered, not scripted"],
            id="another model",
        ),
        pytest.param(
            [answered_by("scripted", "Azure"), answered_by("scripted", "OpenAI"), answered_by("scripted", "Third")],
            ["warning: test/scripted: several upstreams answer (Azure, OpenAI); pin one: model@upstream=NAME"],
            id="several upstreams",
        ),
    ],
)
def test_who_answers_is_said_once(contexts: Contexts, scripts: list[Script], said: list[str]) -> None:
    end = run(contexts, lanes_of("abc"), scripted(*scripts))

    assert end.complete
    assert contexts.said == said


def test_another_upstream_than_the_pinned_one_is_said(store: Store) -> None:
    name = "test/scripted@upstream=azure"
    make_run(store, planned=plan(cases="a", variants=[variant(name)]))
    contexts = Contexts(store)

    run(contexts, lanes_of("a", suts=(name,)), scripted(answered_by("scripted", "OpenAI"), name=name))

    assert contexts.said == [f"warning: {name}: the router reports that OpenAI answered, not azure"]


def test_a_simulated_model_is_what_it_says(contexts: Contexts) -> None:
    sut = scripted(answered_by("anything"))
    sut.endpoint = replace(sut.endpoint, simulated=True)

    run(contexts, lanes_of("a"), sut)

    assert contexts.said == []
