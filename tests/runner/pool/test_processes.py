"""Functions run in processes of their own: results, errors, crashes and endless loops come back; no process stays."""

import asyncio
import os
import time

import pytest

from runner.pool.executor import RemoteError, WorkerError, computed
from runner.pool.processes import Processes


def test_a_function_runs_in_another_process_that_is_kept() -> None:
    with Processes(1) as pool:
        first, second = pool.submit(os.getpid).result(), pool.submit(os.getpid).result()

    assert first == second != os.getpid()


def test_an_error_comes_back_with_its_traceback_and_the_process_goes_on() -> None:
    with Processes(1) as pool:
        before = pool.submit(os.getpid).result()
        with pytest.raises(RemoteError, match=r"(?s)Traceback.*ValueError: invalid literal"):
            pool.submit(int, "x").result()

        assert pool.submit(os.getpid).result() == before


def test_a_process_that_crashes_is_replaced() -> None:
    with Processes(1) as pool:
        before = pool.submit(os.getpid).result()
        with pytest.raises(WorkerError, match="ended with exit status 3"):
            pool.submit(os._exit, 3).result()

        assert pool.submit(os.getpid).result() != before


def test_a_call_beyond_the_limit_ends() -> None:
    with Processes(1, limit_s=0.5) as pool, pytest.raises(WorkerError, match=r"longer than 0\.5 s"):
        pool.submit(time.sleep, 3600).result()


def test_what_a_function_prints_is_no_result(capfd: pytest.CaptureFixture[str]) -> None:
    with Processes(1) as pool:
        pool.submit(print, "a plug-in talks").result()

        assert pool.submit(len, "four").result() == 4
    assert capfd.readouterr().out == ""


def test_the_loop_goes_on_meanwhile_and_closing_ends_what_is_at_work() -> None:
    async def closed_meanwhile() -> int:
        with Processes(1) as pool:
            pid = await computed(pool, os.getpid)
            endless = asyncio.ensure_future(computed(pool, time.sleep, 3600))
            await asyncio.sleep(0)
        with pytest.raises((WorkerError, asyncio.CancelledError)):
            await endless
        return pid

    pid = asyncio.run(closed_meanwhile())

    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
