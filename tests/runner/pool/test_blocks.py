"""Work spread over processes: the same results in the same order, and no worker that outlives its parent."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from runner.errors import InputError
from runner.pool.blocks import CHUNK, in_order, spread
from runner.pool.processes import Processes
from runner.suites.codrep.cases import read_cases
from runner.suites.codrep.dataset import open_dataset
from runner.suites.codrep.predictors.predict import Choice, predict
from runner.suites.edit.problems import read_problems
from tests.codrep import write_dataset

# Two chunks of work that never ends: each worker waits for a signal that nobody sends.
ENDLESS = """
import signal
from runner.pool.blocks import spread
list(spread([10] * 128, signal.sigwait, 2))
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_stand_in_the_order_of_the_cases(tmp_path: Path, jobs: int) -> None:
    cases = read_cases([open_dataset(write_dataset(tmp_path / "Made", 2 * CHUNK + 3, lines=3))])

    assert list(spread(cases, list, jobs)) == list(cases)


def test_nothing_to_do_starts_no_process() -> None:
    assert list(spread((), list, 2)) == []


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("chunk", [1, 3, 100])
def test_work_is_handed_over_in_chunks_and_may_leave_things_out(jobs: int, chunk: int) -> None:
    assert list(spread([[], [1], [], [2, 3], [4]], flat, jobs, chunk)) == [1, 2, 3, 4]


def test_what_comes_first_is_there_before_the_rest_is_made() -> None:
    seen: list[int] = []

    def work(some: Sequence[int]) -> list[int]:
        seen.extend(some)
        return list(some)

    made = spread(range(10), work, 1, 2)

    assert (next(made), seen) == (0, [0, 1])


@pytest.mark.parametrize("jobs", [1, 2])
def test_malformed_tasks_are_told_of_and_the_others_answered(tmp_path: Path, jobs: int) -> None:
    folder = write_dataset(tmp_path / "Made", 40, lines=3)
    for number in (5, 30):
        (folder / "Tasks" / f"{number}.txt").write_text("no task")
    told: list[InputError] = []

    found = list(predict(open_dataset(folder), Choice("last"), jobs=jobs, on_bad=told.append))

    assert [path.stem for path, _ in found] == [str(number) for number in range(1, 41) if number not in (5, 30)]
    assert all(line == 3 + int(path.stem) for path, line in found)
    assert [str(error).partition(": ")[0] for error in told] == [f"{folder}/Tasks/{number}.txt" for number in (5, 30)]


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are found in /proc")
def test_workers_end_with_a_parent_that_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", ENDLESS], stderr=subprocess.DEVNULL) as parent:
        workers = until(lambda: [pid for pid in children(parent.pid) if "runner.pool.child" in command(pid)], 2)
        parent.kill()

    assert until(lambda: [pid for pid in workers if not running(pid)], len(workers)) == workers


def test_work_whose_process_ends_is_done_again(tmp_path: Path) -> None:
    with Processes(1) as pool:
        assert list(in_order(pool, ends_once, [tmp_path / "a", tmp_path / "b"])) == ["a", "b"]


def test_work_that_ends_two_processes_is_told_of_in_one_line() -> None:
    with Processes(1) as pool, pytest.raises(InputError, match=r"^--jobs: two worker processes .* exit status 3; "):
        list(in_order(pool, os._exit, [3, 3]))


def test_bad_input_that_a_process_finds_is_told_of_as_such(tmp_path: Path) -> None:
    with Processes(1) as pool, pytest.raises(InputError, match="missing"):
        list(in_order(pool, read_problems, [tmp_path / "missing"]))


def ends_once(mark: Path) -> str:
    """Its name; the first process that is asked for it ends."""
    if not mark.exists():
        mark.touch()
        os._exit(3)
    return mark.name


def flat(some: Sequence[list[int]]) -> list[int]:
    """The contents of some lists; whatever has none is left out."""
    return [number for numbers in some for number in numbers]


def until(found: Callable[[], list[int]], count: int) -> list[int]:
    deadline = time.monotonic() + 600
    while len(now := found()) < count and time.monotonic() < deadline:
        time.sleep(0.05)
    return now


def children(pid: int) -> list[int]:
    """Those of all its threads."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in threads for child in thread.read_text().split()]


def command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()


def running(pid: int) -> bool:
    """Whether a process is there and no mere entry that waits to be collected."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
