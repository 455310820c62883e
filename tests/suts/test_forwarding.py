"""The proxy of an agent whose cell has the network of the machine: others there cannot ask at its port."""

import asyncio
import socket

import aiohttp
import pytest

from runner.agents.limits import AgentLimits
from runner.agents.metering import AgentRecord, Meter
from runner.prices import Prices
from suts.agent_parts import WorkingFolder
from suts.forwarding import forwarding
from suts.upstreams import Upstreams


@pytest.mark.parametrize(
    "secret, path, status",
    [
        pytest.param("s3cret", "/", 404, id="without the secret"),
        pytest.param("s3cret", "/other/", 404, id="another one"),
        pytest.param("s3cret", "/s3cret/", 200, id="with it"),
        pytest.param("s3cret", "/s3cret/v1/none", 404, id="with it, but no path of models"),
        pytest.param("", "/", 200, id="where none is needed"),
    ],
)
def test_only_who_knows_the_secret_is_answered(secret: str, path: str, status: int) -> None:
    async def asked() -> int:
        listener = socket.create_server(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}{path}"
        meter = Meter(AgentRecord(lambda: 0), AgentLimits(), Prices("2026-01-01", {}), print)
        folder = WorkingFolder({}, "case", 1)
        async with (
            forwarding(listener, Upstreams({}), meter, folder, secret),
            aiohttp.ClientSession() as session,
            session.get(url) as answer,
        ):
            return answer.status

    assert asyncio.run(asked()) == status
