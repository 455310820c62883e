"""One call: tried again within bounds, held to its deadlines, paid for once, and never told what it may not know."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from itertools import pairwise

import pytest

from parsers import PARSERS
from runner.records import Clocks, Completion
from runner.run.ask import asking
from runner.run.call_context import Retries
from runner.run.limits import CallLimits, Rates
from runner.run.pace import Deadlines
from runner.storage.ledger import Question
from runner.storage.store import Store
from suts.sut import Endpoint, ErrorKind, Received, Request, Sampling, SutError, Truth
from suts.variants import SampledSut
from tests.runner.contexts import LANE, PRICES, Contexts, asked
from tests.runner.made_runs import SUT, make_run
from tests.runner.scripted import ENDPOINT, QUESTION, Script, Scripted, chunk, ending, question, whole
from tests.runner.virtual_time import now_ns, now_s, virtually

REFUSED = SutError(ErrorKind.SERVER, "500: sorry", status=500)
CUT = SutError(ErrorKind.CUT, "the connection broke")
STEADY: Script = [chunk("a"), 4.9] * 10
DRIP: Script = [4.0, chunk("a")] * 99
KNOWN = Truth("a", 1, path="a.py", blocks=(("old\n", "new\n"),))


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


async def called(contexts: Contexts, sut: Scripted, request: Request = QUESTION) -> Completion:
    context = contexts.new()
    async with context.ledger:
        return await asked(context, sut)(request)


async def refused(contexts: Contexts, sut: Scripted) -> tuple[SutError, float]:
    """The error of a call, and the virtual seconds until it came."""
    with pytest.raises(SutError) as error:
        await called(contexts, sut)
    return error.value, now_s()


def scripted(*scripts: Script) -> Scripted:
    return Scripted(list(scripts), now_ns)


def known(question: Question, about: object = None) -> Truth:
    return replace(KNOWN, number=question.number, answer=str(about or ""))


def times(sut: Scripted) -> list[float]:
    """When each call is sent, from now on."""
    moments: list[float] = []
    sut.scripts = [[lambda _request: moments.append(now_s()), *script] for script in sut.scripts]
    return moments


def test_a_failed_call_is_tried_again_and_its_half_answer_is_discarded(contexts: Contexts) -> None:
    sut = scripted([chunk("half an ans"), CUT], whole("a whole answer", 10, 5))

    completion = virtually(called(contexts, sut))

    (row,) = contexts.answers()
    assert completion.text == "a whole answer"
    assert b"half" not in b"".join(piece.data for piece in completion.stream)
    assert (row["outcome"], row["retries"]) == ("answered", 1)
    assert row["discarded_usd"] == row["reserved_usd"] == PRICES.bound(SUT, QUESTION)


def test_a_refusal_costs_nothing(contexts: Contexts) -> None:
    virtually(called(contexts, scripted([REFUSED], whole("yes", 10, 5))))

    (row,) = contexts.answers()
    assert (row["retries"], row["discarded_usd"]) == (1, 0.0)


def test_the_clocks_are_those_of_the_try_that_succeeded(contexts: Contexts) -> None:
    sut = scripted([5.0, REFUSED], [0.5, chunk("yes"), 1.5, ending()])

    clocks = virtually(called(contexts, sut)).clocks

    assert (clocks.first_token_ms, clocks.round_trip_ms) == (500.0, 2000.0)


def test_tries_are_bounded_by_their_number(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=4)
    sut = scripted([REFUSED])

    error, _ = virtually(refused(contexts, sut))

    (row,) = contexts.answers()
    assert (str(error), len(sut.asked)) == ("500: sorry", 4)
    assert (row["outcome"], row["error_kind"], row["retries"]) == ("sut_error", "server", 3)


def test_tries_are_bounded_by_their_time(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=1000, within_s=30)

    _, after_s = virtually(refused(contexts, scripted([1.0, REFUSED])))

    assert after_s <= 31


def test_waits_grow_and_are_drawn_at_random(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=8, longest_wait_s=4)
    sut = scripted([REFUSED])
    moments = times(sut)

    virtually(refused(contexts, sut))

    waits = [later - earlier for earlier, later in pairwise(moments)]
    assert all(wait <= min(0.5 * 2**index, 4) + 0.01 for index, wait in enumerate(waits))
    assert len({round(wait, 6) for wait in waits}) == len(waits)
    # The fourth wait is the first that may be as long as the longest.
    assert all(later > 1.1 * earlier for earlier, later in pairwise(waits[:4]))


def test_retry_after_is_waited_for(contexts: Contexts) -> None:
    told = SutError(ErrorKind.RATE_LIMIT, "429", retry_after_s=40, status=429)
    sut = scripted([told], whole("yes"))
    moments = times(sut)

    virtually(called(contexts, sut))

    assert 40 <= moments[1] - moments[0] <= 41
    assert any("429" in line for line in contexts.said)


def test_those_who_were_told_to_wait_equally_long_do_not_come_back_at_once(contexts: Contexts) -> None:
    told = SutError(ErrorKind.RATE_LIMIT, "429", retry_after_s=5, status=429)
    context = contexts.new()
    sut = scripted(*[[told]] * 4, whole("yes"))
    moments = times(sut)

    async def four() -> None:
        async with context.ledger:
            ask = asked(context, sut)
            await asyncio.gather(*(ask(QUESTION, number=number) for number in range(1, 5)))

    virtually(four())

    again = [moment - 5 for moment in moments[4:]]
    assert min(again) > 0
    assert len({round(moment, 6) for moment in again}) == 4


def test_a_retry_after_beyond_the_time_that_is_left_is_not_waited_for(contexts: Contexts) -> None:
    told = SutError(ErrorKind.RATE_LIMIT, "429: come back tomorrow", retry_after_s=86_400, status=429)

    error, after_s = virtually(refused(contexts, scripted([told])))

    assert str(error) == "429: come back tomorrow (retry after 86400 s)"
    assert not error.retryable
    assert after_s < 1


def test_nobody_waits_for_an_endpoint_that_wants_to_be_left_alone_for_hours(contexts: Contexts) -> None:
    told = SutError(ErrorKind.RATE_LIMIT, "429: come back tomorrow", retry_after_s=86_400, status=429)
    sut, context = scripted([told], whole("yes")), contexts.new()

    async def both() -> tuple[str, float]:
        async with context.ledger:
            ask = asked(context, sut)
            with pytest.raises(SutError):
                await ask(QUESTION)
            return (await ask(QUESTION, number=2)).text, now_s()

    text, after_s = virtually(both())

    assert (text, after_s < 1) == ("yes", True)


@pytest.mark.parametrize("kind", [ErrorKind.AUTH, ErrorKind.NOT_FOUND, ErrorKind.BAD_REQUEST])
def test_what_cannot_be_mended_is_not_tried_again(contexts: Contexts, kind: ErrorKind) -> None:
    sut = scripted([SutError(kind, "no", retryable=False)])

    error, _ = virtually(refused(contexts, sut))

    assert error.kind is kind
    assert len(sut.asked) == 1


@pytest.mark.parametrize(
    "script, seconds, told",
    [
        pytest.param([9_999.0], 10.0, "no first token within 10 s", id="no first token"),
        pytest.param([9.0, chunk("a"), 9_999.0], 14.0, "no token for 5 s", id="a gap"),
        pytest.param([chunk("a"), *DRIP], 60.0, "not finished within 60 s", id="no end"),
    ],
)
def test_a_call_that_misses_a_deadline_is_ended_then(
    contexts: Contexts, script: Script, seconds: float, told: str
) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)
    sut = scripted(script)

    error, after_s = virtually(refused(contexts, sut))

    (row,) = contexts.answers()
    assert after_s == pytest.approx(seconds, abs=0.01)
    assert (error.kind, len(sut.asked), sut.open_streams) == (ErrorKind.TIMEOUT, 1, 0)
    assert (row["outcome"], row["discarded_usd"]) == ("timeout", row["reserved_usd"])
    assert contexts.said == [f"{told}: test/scripted at a number 1"]


def test_a_call_within_its_deadlines_goes_on_to_its_end(contexts: Contexts) -> None:
    contexts.deadlines = Deadlines(first_token_s=10, idle_s=5, total_s=60)

    completion = virtually(called(contexts, scripted([9.9, *STEADY, ending()])))

    assert completion.text == "a" * 10


def test_deadlines_hold_in_real_time(contexts: Contexts) -> None:
    context = replace(
        contexts.new(),
        limits=CallLimits(Rates(), 80, time.monotonic, contexts.said.append),
        now_ns=time.monotonic_ns,
        deadlines=Deadlines(first_token_s=60, idle_s=0.05, total_s=60),
    )
    sut = Scripted([[chunk("half"), 30.0]], time.monotonic_ns)

    async def stalled() -> float:
        async with context.ledger:
            began_s = time.monotonic()
            with pytest.raises(SutError, match=r"no token for 0\.05 s"):
                await question(asked(context, sut))
            return time.monotonic() - began_s

    assert 0.05 <= asyncio.run(stalled()) < 20


def test_waiting_for_a_slot_is_not_the_models_time(contexts: Contexts) -> None:
    contexts.rates = Rates(concurrency=1)
    contexts.deadlines = Deadlines(first_token_s=2, idle_s=2, total_s=2)
    sut = scripted([1.0, *whole("yes")])

    async def both() -> list[Completion]:
        context = contexts.new()
        async with context.ledger:
            return await asyncio.gather(*(asked(context, sut)(QUESTION, number=number) for number in range(1, 6)))

    completions = virtually(both())

    assert [completion.clocks.round_trip_ms for completion in completions] == [1000.0] * 5


@pytest.mark.parametrize("simulated", [True, False])
def test_only_a_simulated_model_is_told_the_truth(contexts: Contexts, simulated: bool) -> None:
    sut = scripted(whole("yes"))
    sut.endpoint = replace(ENDPOINT, simulated=simulated)

    contexts.truth = known

    virtually(called(contexts, sut))

    truth = replace(KNOWN, prompt="basic") if simulated else None
    assert sut.asked == [replace(QUESTION, truth=truth, sampling=Sampling(seed=1))]


def test_a_truth_that_a_suite_puts_into_a_request_never_reaches_a_real_model(contexts: Contexts) -> None:
    sut = scripted(whole("yes"))

    virtually(called(contexts, sut, replace(QUESTION, truth=KNOWN)))

    assert sut.asked == [replace(QUESTION, sampling=Sampling(seed=1))]


def test_a_stream_that_makes_no_sense_is_closed_at_once_and_tried_again(contexts: Contexts) -> None:
    open_streams: list[int] = []
    sut = scripted([b"data: {no json}\n\n", 60.0], whole("yes"))
    sut.scripts[1] = [lambda _request: open_streams.append(sut.open_streams), *sut.scripts[1]]

    completion = virtually(called(contexts, sut))

    assert completion.text == "yes"
    assert open_streams == [1]


def test_the_event_loop_goes_on_while_a_large_piece_is_read(contexts: Contexts) -> None:
    turns, seen = 0, list[int]()
    piece = b"".join(chunk(f"word {number} ") for number in range(2000))
    sut = scripted([lambda _request: seen.append(turns), piece, lambda _request: seen.append(turns), ending()])

    async def counted() -> Completion:
        nonlocal turns
        call = asyncio.ensure_future(called(contexts, sut))
        while not call.done():
            turns += 1
            await asyncio.sleep(0)
        return await call

    completion = virtually(counted())

    assert completion.text == "".join(f"word {number} " for number in range(2000))
    assert b"".join(received.data for received in completion.stream) == piece + ending()
    assert seen[1] - seen[0] >= len(piece) // 20_000


def test_clocks_of_what_nobody_was_asked_mean_nothing(contexts: Contexts) -> None:
    sut = scripted([0.5, *whole("yes")])
    sut.endpoint = Endpoint("recorded", "recorded", "", timed=False)

    assert virtually(called(contexts, sut)).clocks == Clocks()


def test_a_model_asked_in_another_way_is_recorded_and_paid_for_as_it_is_asked(contexts: Contexts) -> None:
    inner = scripted(whole("yes"))
    sut = SampledSut(inner, "max_tokens=50,temperature=0.5")
    lane = LANE._replace(sut=sut.name)

    async def one() -> None:
        context = contexts.new()
        async with context.ledger:
            await asking(context, sut, lane, PARSERS["xml-tools-v2"])(QUESTION)

    virtually(one())

    (row,) = contexts.answers()
    (sent,) = inner.asked
    assert (sent.sampling.max_tokens, sent.sampling.temperature) == (50, 0.5)
    assert row["reserved_usd"] == PRICES.bound(SUT, sent)
    assert '"max_tokens":50,"temperature":0.5' in (contexts.store.text(row["request_id"]) or "")


@pytest.mark.parametrize("mode, kept", [("", False), ("recommend", True)], ids=["of-a-case", "of-a-step"])
def test_a_conversation_that_no_case_holds_is_kept_with_the_request(contexts: Contexts, mode: str, kept: bool) -> None:
    async def one() -> None:
        context = contexts.new()
        async with context.ledger:
            await asked(context, scripted(whole("yes")))(QUESTION, step=1, mode=mode)

    virtually(one())

    (row,) = contexts.answers()
    request = json.loads(contexts.store.text(row["request_id"]) or "")
    assert request.get("messages") == ([{"role": "user", "text": "Edit the file."}] if kept else None)


def test_a_model_asked_in_another_way_shares_the_limiter_of_its_model(contexts: Contexts) -> None:
    context = contexts.new()
    sut = SampledSut(scripted(whole("yes")), "effort=high")

    async def one() -> None:
        async with context.ledger:
            await asking(context, sut, LANE._replace(sut=sut.name), None)(QUESTION)

    virtually(one())

    assert list(context.limits._limiters) == [(ENDPOINT.base_url, ENDPOINT.key_fingerprint, SUT)]


def test_a_system_with_a_clock_of_its_own_is_timed_by_it(contexts: Contexts) -> None:
    class Clocked(Scripted):
        async def stream(self, request: Request) -> AsyncIterator[Received]:
            self.asked.append(request)
            yield Received(1_000_000_000, b"")
            yield Received(1_250_000_000, chunk("yes") + ending())
            yield Received(1_500_000_000, b"")

    clocks = virtually(called(contexts, Clocked([], now_ns))).clocks

    assert (clocks.first_token_ms, clocks.round_trip_ms) == (250.0, 500.0)


def test_a_lane_is_told_apart_in_what_is_said(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=2, longest_wait_s=60)
    told = SutError(ErrorKind.OVERLOADED, "529", retry_after_s=3, status=529)

    virtually(refused(contexts, scripted([told])))

    assert f"529 from {LANE.sut} at {LANE.case_id} number 1" in " ".join(contexts.said)
