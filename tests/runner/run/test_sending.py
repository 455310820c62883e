"""What requests are sent with: a seed for each attempt, and no parameter that a model refuses, refused once."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace

import pytest

from runner.prices import Price, Prices, Rate
from runner.records import Completion, Result
from runner.run.engine import Lane
from runner.storage.ledger import LaneKey
from runner.storage.store import Store
from suts.registry import resolve
from suts.settings import Settings
from suts.simulated.config import ServerConfig
from suts.simulated.server import RunningServer, serving
from suts.sut import ErrorKind, Sampling, SutError
from suts.variants import SampledSut
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import SUT, make_run, plan, variant
from tests.runner.run.test_engine import VALID, World, lane, run
from tests.runner.scripted import QUESTION, Scripted, question, whole
from tests.runner.virtual_time import now_ns, virtually

KEYS = {"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}
ROUTES = ["openai", "openai-sdk", "anthropic", "anthropic-sdk"]
MODEL = "any?ttft_ms=1&gap_ms=0"
FREE = Rate(input=0.0, output=0.0)


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store, planned=plan(variants=[variant(sut) for sut in (SUT, *(f"{route}/{MODEL}" for route in ROUTES))]))
    return Contexts(store)


async def session(contexts: Contexts, server: RunningServer, provider: str, numbers: Sequence[int]) -> list[Completion]:
    """The answers to questions that are asked at once, in a session of their own."""
    context = contexts.new()
    sut = resolve(f"{provider}/{MODEL}", Settings(base_url=server.url, environment=KEYS))
    async with context.ledger:
        ask = asked(context, sut, LaneKey(sut.name, "basic", "a"))
        try:
            return await asyncio.gather(*(ask(QUESTION, number=number) for number in numbers))
        finally:
            await sut.aclose()


def stored(contexts: Contexts) -> list[dict[str, object]]:
    """The parameters of each answer, as they are recorded."""
    return [json.loads(contexts.store.text(row["request_id"]) or "") for row in contexts.answers()]


def statuses(server: RunningServer) -> list[int]:
    return [entry.status for entry in server.log]


@pytest.mark.parametrize("name, seeds", [(SUT, [1, 2, 4]), (f"{SUT}@seed=40", [41, 42, 44])])
def test_each_attempt_has_a_seed_of_its_own(contexts: Contexts, name: str, seeds: list[int]) -> None:
    plain = Scripted([whole("yes")], now_ns)
    sut = SampledSut(plain, "seed=40") if "@" in name else plain

    async def ask() -> None:
        context = contexts.new()
        async with context.ledger:
            for number in (1, 2, 4):
                await question(asked(context, sut), number)

    virtually(ask())

    assert [request.sampling.seed for request in plain.asked] == seeds
    assert [values["seed"] for values in stored(contexts)] == seeds


@pytest.mark.parametrize("provider", ROUTES)
async def test_a_refused_temperature_is_stated_once_and_is_no_longer_sent(contexts: Contexts, provider: str) -> None:
    async with serving(ServerConfig(refused=("temperature",))) as server:
        first = await session(contexts, server, provider, [1, 2, 3])
        refused = statuses(server).count(400)
        second = await session(contexts, server, provider, [4])
        status = statuses(server)

    assert all(completion.text and not completion.greedy for completion in (*first, *second))
    assert 1 <= refused <= 3
    assert (status.count(400), status.count(200)) == (refused, 4)
    assert len([line for line in contexts.said if "refuses temperature" in line]) == 1
    assert [values["temperature"] for values in stored(contexts)] == [None] * 4
    (noted,) = contexts.store.rows("SELECT sut, unsent, signature FROM variants WHERE unsent <> ''")
    unsent = "temperature" if provider.startswith("openai") else "seed,temperature"
    assert (noted["sut"], noted["unsent"]) == (f"{provider}/{MODEL}", unsent)
    assert noted["signature"].endswith(f"|0.0.0|without {unsent}")


@pytest.mark.parametrize("provider", ["openai", "openai-sdk"])
async def test_a_refused_limit_is_sent_by_its_other_name(contexts: Contexts, provider: str) -> None:
    async with serving(ServerConfig(refused=("max_tokens", "seed"))) as server:
        await session(contexts, server, provider, [1])
        status = statuses(server)

    assert status == [400, 400, 200]
    (values,) = stored(contexts)
    assert (values["max_tokens"], values["limit_name"], values["seed"]) == (8192, "max_completion_tokens", None)
    assert len(contexts.calls()) == 3


@pytest.mark.parametrize("provider", ROUTES)
async def test_what_cannot_be_left_out_is_refused_once_and_for_good(contexts: Contexts, provider: str) -> None:
    async with serving(ServerConfig(refused=("stream",))) as server:
        with pytest.raises(SutError, match="stream") as caught:
            await session(contexts, server, provider, [1])
        status = statuses(server)

    assert (caught.value.kind, caught.value.retryable, caught.value.parameter) == (
        ErrorKind.BAD_REQUEST,
        False,
        "stream",
    )
    assert status == [400]


@pytest.mark.parametrize("refused", [("temperature", "max_completion_tokens", "max_tokens")])
async def test_a_limit_that_is_refused_by_both_names_is_refused_for_good(
    contexts: Contexts, refused: tuple[str, ...]
) -> None:
    async with serving(ServerConfig(refused=refused)) as server:
        with pytest.raises(SutError, match="max_completion_tokens"):
            await session(contexts, server, "openai", [1])
        status = statuses(server)

    assert status == [400] * 3


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_what_the_price_table_lists_is_never_sent(contexts: Contexts, provider: str) -> None:
    price = Price(FREE, refuses=frozenset({"temperature", "top_p"}))
    contexts.prices = Prices("2026-01-01", {f"{provider}/{MODEL}": price})

    async with serving(ServerConfig(refused=("temperature",))) as server:
        await session(contexts, server, provider, [1, 2])
        status = statuses(server)

    assert status == [200, 200]
    assert contexts.said == []
    assert [values["temperature"] for values in stored(contexts)] == [None, None]


async def test_the_api_of_anthropic_has_no_seed_and_the_record_says_so(contexts: Contexts) -> None:
    async with serving(ServerConfig()) as server:
        (completion,) = await session(contexts, server, "anthropic", [1])

    (values,) = stored(contexts)
    assert (values["seed"], values["temperature"], completion.greedy) == (None, 0.0, True)


def test_a_system_of_a_third_party_is_sent_what_the_run_says(contexts: Contexts) -> None:
    sut = Scripted([whole("yes")], now_ns)

    async def ask() -> None:
        context = contexts.new()
        async with context.ledger:
            await question(asked(context, sut))

    virtually(ask())

    assert sut.asked == [replace(QUESTION, sampling=Sampling(seed=1))]
    assert contexts.store.rows("SELECT 1 FROM variants WHERE unsent <> ''") == []


def test_a_parameter_that_cannot_be_left_out_gives_up_all_lanes_of_its_system() -> None:
    class Refusing(World):
        async def attempt(self, lane: Lane, number: int) -> Result:
            await super().attempt(lane, number)
            if lane.key.sut == "test/two":
                return VALID
            raise SutError(ErrorKind.BAD_REQUEST, "400: no stop", retryable=False, parameter="stop")

    lanes = [lane("a"), lane("b"), lane("a", sut="test/two")]
    world = Refusing()

    run(lanes, world, slots=1)

    assert [one.state for one in lanes] == ["abandoned", "abandoned", "full"]
    assert len(world.ended_) == 2
