"""Work spread over processes: the same results in the same order, and no worker that outlives its parent."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.spread import CHUNK, spread
from runner.suites.codrep.workers import workers
from tests.codrep import write_dataset

# Two chunks of work that never ends: each worker waits for a signal that nobody sends.
# Short pieces of work, each told of when it is done.
SHORT = """
import time
from runner.suites.codrep.workers import workers
with workers(2) as pool:
    for _ in pool.map(time.sleep, [0.05] * 1000):
        print(flush=True)
"""
ENDLESS = "import signal; from runner.suites.codrep.spread import spread; spread([10] * 128, signal.sigwait, 2)"


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_stand_in_the_order_of_the_cases(tmp_path: Path, jobs: int) -> None:
    cases = read_cases([open_dataset(write_dataset(tmp_path / "Made", 2 * CHUNK + 3, lines=3))])

    assert spread(cases, list, jobs) == list(cases)


def test_nothing_to_do_starts_no_process() -> None:
    assert spread((), list, 2) == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are found in /proc")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stderr=subprocess.DEVNULL) as parent:
        workers = until(lambda: [pid for pid in children(parent.pid) if "spawn_main" in command(pid)], 2)
        parent.kill()

    assert until(lambda: [pid for pid in workers if not running(pid)], len(workers)) == workers


def test_a_parent_that_is_told_to_end_gives_back_what_its_workers_had() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", SHORT], stdout=pipe, stderr=pipe, text=True) as parent:
        assert parent.stdout is not None
        parent.stdout.readline()
        parent.send_signal(signal.SIGTERM)
        _, told = parent.communicate(timeout=60)

    assert (parent.returncode, told) == (128 + signal.SIGTERM, "")


def test_signals_are_handled_as_before_when_the_workers_are_done() -> None:
    with workers(1):
        during = signal.getsignal(signal.SIGTERM)

    assert during is not signal.SIG_DFL
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def until(found: Callable[[], list[int]], count: int) -> list[int]:
    deadline = time.monotonic() + 60
    while len(now := found()) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    return now


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def running(pid: int) -> bool:
    """Whether a process is there and no mere entry that waits to be collected."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
