"""A question that a worker asks has the record that it would have had here, and loses nothing when a worker ends."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

import pytest

from runner.errors import InputError
from runner.pool.engines import Computing
from runner.pool.executor import LostCallError
from runner.pool.packed import PackedResult, packed, result_of
from runner.pool.remote_calls import cancel_call, run_call
from runner.run.elsewhere import AskedElsewhere, sut_order
from runner.run.limits import CallLimits, Rates
from runner.run.options import AskOptions
from runner.run.pace import Deadlines
from runner.run.reading import LARGEST_ANSWER, ReadingLimits
from runner.run.remote_asking import CallOrder, deliver, missing
from runner.storage.store import Row, Store
from suts.sut import SutError
from tests.in_process import evals
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import QUESTION
from tests.suts.conftest import Step, plain, serving, streaming

A = TypeVar("A")
T = TypeVar("T")
KEY = "sk-of-the-worker-0123456789"
DELTA = b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n'
END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
LIMITS = "x-ratelimit-limit-requests: 7\r\nx-ratelimit-remaining-requests: 3\r\n"
ANSWERS: dict[str, Sequence[Step]] = {
    "whole": streaming(DELTA % b"yes", END),
    "without an end marker": streaming(DELTA % b"yes"),
    "cut": [*streaming(DELTA % b"half")[:-1], "close"],
    "malformed": streaming(DELTA % b"yes", b"data: {{\n\n"),
    "an error in the stream": streaming(DELTA % b"y", b'data: {"error":{"message":"gone","code":500}}\n\n'),
    "refused": plain(b'{"error":{"message":"no such model"}}', status="404 Not Found"),
    "broken": plain(b'{"error":{"message":"sorry"}}', status="500 Oops"),
    "the key comes back": streaming(DELTA % KEY[:9].encode(), DELTA % KEY[9:].encode(), END),
    "the key comes back in an error": plain(b'{"error":{"message":"bad key %b"}}' % KEY.encode(), status="400 Bad"),
    "silent": [streaming(DELTA % b"y")[0], 60.0],
    "too large": streaming(*[DELTA % (b"y" * 400)] * 10, END),
}


@dataclass
class Here:
    """Calls functions in this process; the first `lost` calls are those of a worker that ends."""

    lost: int = 0
    sent: list[bytes] = field(default_factory=list)
    came: list[bytes] = field(default_factory=list)

    async def call(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> T:
        self.sent.append(packed(function, (argument,)))
        result = await run_call("1", self.sent[-1])
        if len(self.sent) <= self.lost:
            raise LostCallError("tcp://w1")
        self.came.append(result.data)
        return cast("T", result_of(result))

    async def call_each(self, function: Callable[[A], Awaitable[T]], argument: A, /) -> list[T]:
        return [await function(argument)]


@pytest.fixture
def contexts(store: Store, monkeypatch: pytest.MonkeyPatch) -> Contexts:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return begun(store)


def begun(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store, deadlines=Deadlines(first_token_s=0.3, idle_s=0.3))


async def asked_once(contexts: Contexts, caller: Here | None, *scripts: Sequence[Step], number: int = 1) -> str:
    """Ask one question, here or by a caller; return the answer or the error."""
    async with serving(*scripts) as server:
        options = AskOptions(provider="openai", base_url=[server.url])
        sut = options.builder("m")
        context = replace(
            contexts.new(),
            now_ns=time.monotonic_ns,
            limits=CallLimits(Rates(), 80, time.monotonic, contexts.said.append),
            retries=replace(contexts.retries, tries=1),
            largest_answer=2000,
            elsewhere=AskedElsewhere(caller, options, contexts.deadlines, largest=2000) if caller else None,
        )
        try:
            async with context.ledger, context.elsewhere or nullcontext():
                return (await asked(context, sut)(QUESTION, number=number)).text
        except SutError as error:
            return str(error).replace(server.url, "URL")
        finally:
            await sut.aclose()


def recorded(contexts: Contexts) -> list[dict[str, object]]:
    """All that is on record of answers and calls but their moments."""
    clocks = {"answer_id", "call_id", "number", "case_id", "created_at", "sent_at", "ended_at", "stream", "replica"}

    def facts(row: Row) -> dict[str, object]:
        return {name: row[name] for name in row.keys() if name not in clocks and not name.endswith("_ms")}  # noqa: SIM118

    return [facts(row) for row in (*contexts.answers(), *contexts.calls())]


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_recorded_as_if_it_was_asked_for_here(name: str, contexts: Contexts, tmp_path: Path) -> None:
    others = begun(Store.open(tmp_path / "others.db"))

    here = asyncio.run(asked_once(contexts, None, ANSWERS[name]))
    there = asyncio.run(asked_once(others, Here(), ANSWERS[name]))

    assert there == here
    assert recorded(others) == recorded(contexts)
    assert others.said == contexts.said
    assert KEY not in there


def test_neither_an_order_nor_a_delivery_holds_a_key(contexts: Contexts) -> None:
    caller = Here()

    for number, name in enumerate(("the key comes back in an error", "the key comes back"), 1):
        asyncio.run(asked_once(contexts, caller, ANSWERS[name], number=number))

    assert len(caller.came) == 2
    assert not any(KEY.encode() in data for data in (*caller.sent, *caller.came))


def test_a_call_whose_worker_ends_is_asked_again_in_the_same_row_and_its_bound_is_lost(contexts: Contexts) -> None:
    caller = Here(lost=2)

    text = asyncio.run(asked_once(contexts, caller, ANSWERS["whole"]))

    (row,), calls = contexts.answers(), contexts.calls()
    assert (text, row["outcome"], row["retries"], len(caller.sent)) == ("yes", "answered", 2, 3)
    assert [call["error_text"] for call in calls] == [*["its worker ended: tcp://w1"] * 2, None]


def test_a_question_that_ends_four_workers_is_asked_no_more(contexts: Contexts) -> None:
    caller = Here(lost=9)

    text = asyncio.run(asked_once(contexts, caller, ANSWERS["whole"]))

    assert text == "4 workers ended with it: tcp://w1"
    assert len(caller.sent) == 4
    assert contexts.answers()[0]["outcome"] == "sut_error"


@pytest.mark.usefixtures("contexts")
def test_the_limits_that_a_worker_hears_of_reach_the_limiter() -> None:
    heard: list[int | None] = []

    async def told() -> None:
        async with serving(streaming(DELTA % b"yes", END, headers=LIMITS)) as server:
            options = AskOptions(provider="openai", base_url=[server.url])
            sut = options.builder("m")
            sut.on_headers = lambda rates: heard.append(rates.requests.remaining)  # type: ignore[attr-defined]
            elsewhere = AskedElsewhere(Here(), options, Deadlines())
            async with elsewhere:
                assert [piece async for piece in elsewhere.stream(sut, QUESTION, 1)]

    asyncio.run(told())

    assert heard == [3]


def test_a_worker_without_the_key_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    options = AskOptions(provider="openai")
    order = sut_order(options.builder("m"), options, "")
    monkeypatch.delenv("OPENAI_API_KEY")

    reason = asyncio.run(missing((order,)))
    delivery = asyncio.run(deliver(CallOrder(order, QUESTION, ReadingLimits(Deadlines(), LARGEST_ANSWER))))

    assert "OPENAI_API_KEY" in reason
    assert delivery.error is not None
    assert not delivery.error.retryable


def test_a_call_that_is_cancelled_ends_in_its_worker() -> None:
    async def cancelled() -> PackedResult:
        began = asyncio.ensure_future(run_call("7", packed(asyncio.sleep, (3600,))))
        await asyncio.sleep(0)
        await cancel_call("7")
        return await began

    assert str(asyncio.run(cancelled()).error) == "it was cancelled"


@pytest.mark.parametrize(
    "words, why",
    [
        (("openai/m", "--batch-api", "--executor", "dask"), "the command itself collects batches; remove --executor"),
        (("sim/any", "--scheduler", "tcp://127.0.0.1:1"), "processes of this machine have none; give --executor dask"),
        (("sim/any", "--executor", "ray"), "no engine is called 'ray'"),
        (("agent:true", "--executor", "dask"), "agent:true works on this machine; remove --executor dask"),
    ],
)
def test_what_cannot_be_asked_elsewhere_is_refused(words: tuple[str, ...], why: str, tmp_path: Path) -> None:
    done = evals("diff", *words, "--max-cases", 1, cwd=tmp_path, OPENAI_API_KEY=KEY)

    assert done.returncode == 2
    assert why in done.stderr


def test_an_engine_that_only_computes_is_refused() -> None:
    from runner.run.elsewhere import caller_of

    with Computing(1).opened() as executor, pytest.raises(InputError, match="this engine cannot ask models"):
        caller_of(executor, "own")
