"""Each try of a question goes to the server that has fewest calls of those that work, and its row says which it was."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice

import pytest

from runner.run.breaker import PreflightResult, place_of
from runner.run.call_context import Retries
from runner.storage.store import Store
from suts.replicated import ReplicatedSut, at_servers, host_of
from suts.settings import UnknownSutError
from suts.sut import ErrorKind, SutError
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import SUT, make_run
from tests.runner.scripted import ENDPOINT, Script, Scripted, question, whole
from tests.runner.virtual_time import now_ns, now_s, virtually

BROKEN = SutError(ErrorKind.SERVER, "500: broken", status=500)
REFUSED = SutError(ErrorKind.CONNECTION, "connection refused by b")
WRONG_KEY = SutError(ErrorKind.AUTH, "401: wrong key", retryable=False, status=401)
LONG_WAIT = SutError(ErrorKind.RATE_LIMIT, "429: come again", retry_after_s=3600.0, status=429)
QUICK: Script = [0.1, *whole("yes")]
SLOW: Script = [2.0, *whole("yes")]


@pytest.fixture
def contexts(store: Store) -> Contexts:
    make_run(store)
    return Contexts(store)


def server(host: str, *scripts: Script) -> Scripted:
    """A server that plays its scripts again and again."""
    endpoint = replace(ENDPOINT, base_url=f"https://{host}.example:8000/v1")
    return Scripted(list(islice(cycle(scripts), 500)), now_ns, name=SUT, endpoint=endpoint)


def answers(contexts: Contexts, *servers: Scripted, count: int = 40, at_once: int = 8) -> list[str]:
    """The answers to so many questions to one model at these servers."""
    sut = at_servers(servers)

    async def asked_all() -> list[str]:
        context, free = contexts.new(), asyncio.Semaphore(at_once)
        ask = asked(context, sut)

        async def one(number: int) -> str:
            async with free:
                try:
                    return await question(ask, number)
                except SutError as error:
                    return str(error)

        async with context.ledger:
            return await asyncio.gather(*map(one, range(1, count + 1)))

    return virtually(asked_all())


def tried(servers: Sequence[Scripted]) -> list[int]:
    return [len(server.asked) for server in servers]


@pytest.mark.parametrize(
    "scripts, most",
    [
        pytest.param([SLOW], 8, id="slow"),
        pytest.param([[BROKEN], QUICK], 20, id="fails half its calls"),
        pytest.param([[BROKEN]], 8, id="fails every call"),
        pytest.param([[REFUSED]], 8, id="cannot be reached"),
        pytest.param([[WRONG_KEY]], 8, id="has another key"),
        pytest.param([[LONG_WAIT]], 8, id="asks for a long wait"),
    ],
)
def test_calls_follow_the_server_that_works(contexts: Contexts, scripts: list[Script], most: int) -> None:
    sound, other = server("a", QUICK), server("b", *scripts)

    texts = answers(contexts, sound, other)

    assert texts == ["yes"] * 40
    assert 1 <= len(other.asked) <= most
    assert len(sound.asked) >= 40 - most
    assert {row["outcome"] for row in contexts.answers()} == {"answered"}


def test_servers_that_are_alike_get_equally_many_calls(contexts: Contexts) -> None:
    servers = [server(host, QUICK) for host in "abc"]

    answers(contexts, *servers, count=30, at_once=1)

    assert tried(servers) == [10, 10, 10]


def test_each_call_records_its_server_by_host_and_port_alone(contexts: Contexts) -> None:
    answers(contexts, server("a", [BROKEN]), server("b", QUICK), count=1)

    assert [(call["replica"], call["outcome"]) for call in contexts.calls()] == [
        ("a.example:8000", "failed"),
        ("b.example:8000", "answered"),
    ]


def test_a_failed_try_goes_to_another_server_at_once(contexts: Contexts) -> None:
    async def seconds() -> float:
        context = contexts.new()
        async with context.ledger:
            await question(asked(context, at_servers([server("a", [BROKEN]), server("b", whole("yes"))])))
            return now_s()

    assert virtually(seconds()) == 0.0


def test_servers_that_all_fail_are_tried_as_patiently_as_one(contexts: Contexts) -> None:
    contexts.retries = Retries(tries=4)
    servers = [server(host, [BROKEN]) for host in "ab"]

    assert answers(contexts, *servers, count=1) == [str(BROKEN)]
    assert tried(servers) == [4, 4]


def test_a_server_that_works_again_is_asked_again_after_its_rest(contexts: Contexts) -> None:
    other = server("b", *[[BROKEN]] * 3, *[QUICK] * 400)

    answers(contexts, server("a", QUICK), other, count=200)

    answered = Counter(call["replica"] for call in contexts.calls() if call["outcome"] == "answered")
    assert answered["b.example:8000"] > 30


def test_a_server_that_gets_no_calls_any_more_is_tried_again_now_and_then(contexts: Contexts) -> None:
    other = server("b", [BROKEN], QUICK)

    answers(contexts, server("a", QUICK), other, count=320, at_once=1)

    # Its first call fails, so that the other server is the better one; 32 seconds pass, and the next comes after 30.
    assert len(other.asked) == 2


def test_a_server_that_does_not_respond_before_the_run_is_not_asked(contexts: Contexts) -> None:
    servers = [server(host, QUICK) for host in "ab"]
    contexts.preflight = PreflightResult(closed={place_of(servers[0].endpoint): REFUSED})

    answers(contexts, *servers)

    assert tried(servers) == [0, 40]


def test_a_call_ends_with_its_error_where_every_server_refuses_it(contexts: Contexts) -> None:
    servers = [server(host, [WRONG_KEY]) for host in "ab"]

    assert answers(contexts, *servers, count=2, at_once=1) == [str(WRONG_KEY)] * 2
    assert contexts.said == [f"{SUT}: a.example:8000 is left out: {WRONG_KEY}; its other servers are asked"]


@pytest.mark.parametrize(
    "base_url, host",
    [
        ("https://user:secret@host.example:8443/v1?key=secret", "host.example:8443"),
        ("https://host.example/v1", "host.example"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("http://[broken", ""),
        ("in-process", ""),
    ],
)
def test_a_server_is_known_by_host_and_port(base_url: str, host: str) -> None:
    assert host_of(base_url) == host


def test_servers_with_one_host_and_port_are_refused_and_one_that_is_given_twice_is_one() -> None:
    one = server("a", QUICK)
    twin = replace(one, endpoint=replace(one.endpoint, base_url="https://a.example:8000/other"))

    assert at_servers([one, replace(one)]) is one
    assert isinstance(at_servers([one, server("b", QUICK)]), ReplicatedSut)
    with pytest.raises(UnknownSutError, match=r"two base URLs are at a\.example:8000; give each server once"):
        at_servers([one, twin])
