"""The simulated server's rate limits: they are kept, and told or silent."""

import asyncio
from collections import Counter
from time import monotonic

from tests.suts.simulated.asked_server import client, wires


@wires
async def test_the_rate_limit_refuses_and_tells_when_to_come_again(wire: str) -> None:
    # A second passes before one more is permitted: the four need less, however busy the machine is.
    async with client(rps=1, burst=3) as asks:
        answers = [await asks.ask(wire=wire, model="any?time=virtual") for _ in range(4)]
        wait_s = float(answers[-1].headers["retry-after"])
        await asyncio.sleep(wait_s + 0.02)
        again = await asks.ask(wire=wire, model="any?time=virtual")

    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    assert 0 < wait_s <= 1
    assert again.status == 200
    name = (
        "anthropic-ratelimit-requests-remaining" if wire == "anthropic-messages" else "x-ratelimit-remaining-requests"
    )
    assert [answer.headers[name] for answer in answers] == ["2", "1", "0", "0"]


async def test_the_rate_limit_can_be_silent() -> None:
    async with client(rps=1, burst=1, rate_headers=False) as asks:
        answers = [await asks.ask(), await asks.ask()]

    told = [name for answer in answers for name in answer.headers if "ratelimit" in name]
    assert [answer.status for answer in answers] == [200, 429]
    assert told == []


async def test_a_rate_is_kept_over_time() -> None:
    async with client(rps=100, burst=5) as asks:
        begun = monotonic()
        statuses: Counter[int] = Counter()
        while statuses[200] < 25:
            statuses[(await asks.ask(model="any?time=virtual")).status] += 1
        wall = monotonic() - begun

    assert wall >= (25 - 5) / 100 - 0.01
