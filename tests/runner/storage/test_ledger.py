"""A row before each request, completed when it ends; what a run has got it never asks for again."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
import zstandard

from runner.records import Outcome, Scoring
from runner.storage.ledger import LaneKey, Ledger
from runner.storage.store import Store
from runner.storage.streams import CODEC, Packed, unpack
from suts.sut import ErrorKind, Request, SutError
from tests.runner.contexts import LANE, Contexts, asked
from tests.runner.made_runs import UTC, make_run
from tests.runner.scripted import QUESTION, Script, Scripted, question, whole
from tests.runner.virtual_time import now_ns, virtually


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


def scripted(*scripts: Script) -> Scripted:
    return Scripted(list(scripts) or [whole("yes", 10, 5)], now_ns)


async def session(contexts: Contexts, sut: Scripted, *numbers: int) -> list[str]:
    context = contexts.new()
    async with context.ledger:
        return [await question(asked(context, sut), number) for number in numbers]


def test_the_row_is_committed_before_the_request_is_sent(contexts: Contexts) -> None:
    seen: list[tuple[object, ...]] = []

    def look(_request: Request) -> None:
        with closing(sqlite3.connect(contexts.store.path)) as other:
            seen.extend(other.execute("SELECT outcome, number, try, sent_at, reserved_usd > 0 FROM answers"))

    virtually(session(contexts, scripted([look, *whole("yes")]), 3))

    assert seen == [("in_flight", 3, 1, UTC, 1)]
    assert contexts.answers()[0]["outcome"] == "answered"


def test_an_answer_is_kept_whole_with_its_raw_stream(contexts: Contexts) -> None:
    script = whole("yes", prompt=12, output=5)

    virtually(session(contexts, scripted([0.25, *script]), 1))

    row = contexts.answers()[0]
    stream = contexts.store.rows("SELECT * FROM streams")[0]
    pieces = unpack(Packed(stream["pieces"], stream["bytes"], stream["data"]), zstandard.ZstdDecompressor())
    assert (row["input_tokens"], row["output_tokens"], row["finish_reason"]) == (12, 5, "stop")
    assert row["list_cost_usd"] == pytest.approx((12 * 1 + 5 * 10) / 1e6)
    assert (row["first_token_ms"], row["round_trip_ms"]) == (250.0, 250.0)
    assert (stream["wire"], stream["codec"]) == ("openai-chat", CODEC)
    assert [piece.data for piece in pieces] == [*script, b""]


def test_system_prompt_and_parameters_are_kept_beside_the_answer(contexts: Contexts) -> None:
    virtually(session(contexts, scripted(), 1, 2))

    lanes = contexts.store.rows("SELECT system_id FROM lanes")
    assert [contexts.store.text(lane["system_id"]) for lane in lanes] == [QUESTION.system]
    assert '"max_tokens":8192' in (contexts.store.text(contexts.answers()[0]["request_id"]) or "")


def test_rows_that_come_together_are_one_transaction(contexts: Contexts, monkeypatch: pytest.MonkeyPatch) -> None:
    statements: list[str] = []
    another = Store.another

    def traced(store: Store, wait_s: float) -> Store:
        opened = another(store, wait_s)
        opened._connection.set_trace_callback(statements.append)
        return opened

    monkeypatch.setattr(Store, "another", traced)

    async def many() -> None:
        context = contexts.new()
        async with context.ledger:
            ask = asked(context, scripted([1.0, *whole("yes")]))
            await asyncio.gather(*(question(ask, number) for number in range(1, 21)))

    virtually(many())

    assert len(contexts.answers()) == 20
    assert 2 <= statements.count("COMMIT") <= 4


def test_calls_in_flight_when_a_run_stopped_are_lost_at_their_bound_and_asked_again(contexts: Contexts) -> None:
    async def killed() -> None:
        context = contexts.new()
        async with context.ledger:
            call = asyncio.create_task(question(asked(context, scripted([3600.0])), 1))
            await asyncio.sleep(1)
            call.cancel()

    virtually(killed())
    virtually(session(contexts, scripted(), 1))

    lost, answered = contexts.answers()
    assert (lost["outcome"], lost["number"], lost["try"]) == ("lost", 1, 1)
    assert lost["discarded_usd"] == lost["reserved_usd"] > 0
    assert [(call["answer_id"], call["outcome"]) for call in contexts.calls()] == [
        (lost["answer_id"], "lost"),
        (answered["answer_id"], "answered"),
    ]
    assert (answered["outcome"], answered["number"], answered["try"]) == ("answered", 1, 2)


def test_calls_in_flight_of_another_run_are_left_alone(contexts: Contexts) -> None:
    make_run(contexts.store, "r2")
    other = Contexts(contexts.store, "r2")

    async def both() -> str:
        context = other.new()
        async with context.ledger:
            call = asyncio.create_task(question(asked(context, scripted([60.0, *whole("late")])), 1))
            await asyncio.sleep(1)
            Ledger(contexts.store, "r1", lambda: UTC)
            return await call

    assert virtually(both()) == "late"
    assert [row["outcome"] for row in contexts.answers()] == ["answered"]


def test_what_an_earlier_session_was_answered_is_not_asked_again(contexts: Contexts) -> None:
    first, second = scripted(whole("once", 10, 5)), scripted(whole("twice"))

    virtually(session(contexts, first, 1))
    again = virtually(session(contexts, second, 1, 2))

    assert again == ["once", "twice"]
    assert len(second.asked) == 1


def test_what_this_session_was_answered_is_not_asked_again(contexts: Contexts) -> None:
    sut = scripted(whole("once"), whole("twice"))

    texts = virtually(session(contexts, sut, 1, 1, 2))

    assert texts == ["once", "once", "twice"]
    assert len(contexts.answers()) == 2


def test_a_recorded_answer_says_all_that_was_read_of_it(contexts: Contexts) -> None:
    async def twice() -> tuple[object, ...]:
        context = contexts.new()
        async with context.ledger:
            ask = asked(context, scripted([0.5, *whole("yes", 10, 5)]))
            live, recorded = await ask(QUESTION), await ask(QUESTION)
        names = ("text", "clocks", "tokens", "finish_reason", "served_model", "list_cost_usd", "answer_id")
        return tuple(getattr(live, name) == getattr(recorded, name) for name in names)

    assert all(virtually(twice()))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"number": 2}, id="another attempt"),
        pytest.param({"step": 1}, id="another step"),
        pytest.param({"mode": "place"}, id="another mode"),
    ],
)
def test_another_question_is_asked(contexts: Contexts, other: dict[str, int]) -> None:
    sut = scripted()

    async def both() -> None:
        context = contexts.new()
        async with context.ledger:
            ask = asked(context, sut)
            await ask(QUESTION)
            await ask(QUESTION, **other)  # type: ignore[arg-type]  # a step, a mode or a number

    virtually(both())

    assert len(sut.asked) == 2


def test_a_write_that_fails_ends_the_run_with_its_own_error_and_sends_nothing_more(contexts: Contexts) -> None:
    contexts.store.execute(
        "CREATE TRIGGER broken BEFORE UPDATE ON answers BEGIN SELECT raise(ABORT, 'the disk is on fire'); END"
    )
    sut = scripted()

    with pytest.raises(sqlite3.IntegrityError, match="the disk is on fire"):
        virtually(session(contexts, sut, 1, 2, 3))

    assert len(sut.asked) == 1


def test_nothing_is_queued_behind_a_writer_that_has_died(contexts: Contexts) -> None:
    contexts.store.execute("CREATE TRIGGER broken BEFORE UPDATE ON answers BEGIN SELECT raise(ABORT, 'on fire'); END")

    refused = list[str]()

    async def afterwards() -> None:
        context = contexts.new()
        async with context.ledger:
            await asked(context, scripted(whole("yes")))(QUESTION)
            await asyncio.sleep(1)
            try:
                context.ledger.scored([])
            except sqlite3.IntegrityError as error:
                refused.append(str(error))

    with pytest.raises(sqlite3.IntegrityError, match="on fire"):
        virtually(afterwards())

    assert refused == ["on fire"]


def test_a_row_that_cannot_be_made_means_a_request_that_is_not_sent(contexts: Contexts) -> None:
    contexts.store.execute("CREATE TRIGGER broken BEFORE INSERT ON answers BEGIN SELECT raise(ABORT, 'full'); END")
    sut = scripted()

    with pytest.raises(sqlite3.IntegrityError, match="full"):
        virtually(session(contexts, sut, 1))

    assert sut.asked == []


def test_what_is_queued_when_the_run_ends_is_written(contexts: Contexts) -> None:
    async def ending() -> None:
        context = contexts.new()
        async with context.ledger:
            completion = await asked(context, scripted())(QUESTION)
            scoring = Scoring(Outcome.APPLIED, valid=True, answer_id=completion.answer_id, scores={"m": 0.5})
            context.ledger.scored([scoring])
            context.ledger.lane_state(LANE, "full")

    virtually(ending())

    assert contexts.store.rows("SELECT outcome, solved FROM scorings")[0]["outcome"] == "applied"
    assert tuple(contexts.store.rows("SELECT metric, value FROM scores")[0]) == ("m", 0.5)
    assert contexts.store.rows("SELECT state FROM lanes")[0]["state"] == "full"


def test_a_crash_is_noted_on_the_answer_which_stays(contexts: Contexts) -> None:
    async def crashing() -> None:
        context = contexts.new()
        async with context.ledger:
            completion = await asked(context, scripted())(QUESTION)
            context.ledger.note_crash(completion.answer_id, "ValueError: a plug-in's own")
            context.ledger.note_crash(None, "ValueError: before there was an answer")

    virtually(crashing())
    sut = scripted(whole("asked again"))
    again = virtually(session(contexts, sut, 1))

    assert contexts.answers()[0]["outcome"] == "crashed"
    assert "ValueError: a plug-in's own" in contexts.answers()[0]["error_text"]
    assert again == ["yes"]
    assert sut.asked == []


def test_a_call_that_crashed_itself_has_no_answer_and_is_asked_again(contexts: Contexts) -> None:
    with pytest.raises(ZeroDivisionError):
        virtually(session(contexts, scripted([ZeroDivisionError("a system's bug")]), 1))

    again = virtually(session(contexts, scripted(whole("mended")), 1))

    assert again == ["mended"]
    assert [row["outcome"] for row in contexts.answers()] == ["crashed", "answered"]
    assert "a system's bug" in contexts.answers()[0]["error_text"]


def test_a_call_without_an_answer_says_why(contexts: Contexts) -> None:
    refused = SutError(ErrorKind.AUTH, "401: no such key", retryable=False, status=401)

    with pytest.raises(SutError):
        virtually(session(contexts, scripted([refused]), 1))

    row = contexts.answers()[0]
    assert (row["outcome"], row["error_kind"], row["error_text"]) == ("sut_error", "auth", "401: no such key")
    assert row["text_id"] is None


def test_each_system_prompt_and_case_is_a_lane_of_its_own(contexts: Contexts) -> None:
    lanes = [LANE, LaneKey(LANE.sut, "strict", "a"), LaneKey(LANE.sut, "basic", "b")]

    async def all_of_them() -> None:
        context = contexts.new()
        async with context.ledger:
            for lane in lanes:
                await question(asked(context, scripted(), lane))

    virtually(all_of_them())

    rows = contexts.store.rows("SELECT sut, prompt, case_id, state FROM lanes ORDER BY lane_id")
    assert [tuple(row) for row in rows] == [(*lane, "open") for lane in lanes]
