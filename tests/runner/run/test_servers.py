"""Servers are asked what they are, once, before a run."""

import pytest

from runner.run.breaker import PreflightResult, place_of
from runner.run.options import AskOptions
from runner.run.plan import Plan, Workload
from runner.run.servers import with_servers
from suts.registry import resolve
from suts.settings import Settings
from suts.sut import ErrorKind, SutError
from tests.runner.cli.listening import listening


@pytest.mark.parametrize("closed, asked", [(False, 1), (True, 0)], ids=["that responds", "that did not respond"])
def test_a_server_is_asked_what_it_is_where_it_responds(closed: bool, asked: int) -> None:
    refused = SutError(ErrorKind.CONNECTION, "connection refused")
    with listening() as server:
        sut = resolve("vllm/m", Settings(base_url=server.url))
        preflight = PreflightResult(closed={place_of(sut.endpoint): refused} if closed else {})
        plan = Plan("toy", AskOptions(), (sut,), (), 1, 1, Workload(1, 1, 1, 1), None, preflight=preflight)

        with_servers(plan)

        assert len(server.tried) == asked
