"""The heartbeat notes when nothing could be read, gives calls that time back, and says how late the loop was."""

import asyncio
import time
from dataclasses import replace

import pytest

from runner.run.heartbeat import Heartbeat
from runner.run.pace import Deadlines
from runner.run.watch import Watch
from runner.storage.store import Store
from runner.storage.streams import AnswerReader
from suts.sut import Received
from suts.wires import WIRES
from tests.runner.contexts import Contexts, asked
from tests.runner.made_runs import make_run
from tests.runner.scripted import ENDPOINT, QUESTION, Scripted, whole

_MS = 1_000_000
_S = 1000 * _MS


class Clocks:
    """Clocks that go on by hand."""

    def __init__(self) -> None:
        self.now, self.asleep = 0, 0
        self.heartbeat = Heartbeat(lambda: self.now, lambda: self.asleep)
        self.heartbeat.beat()

    def after(self, ns: int, asleep: int = 0) -> Heartbeat:
        """Let the next beat come after so long."""
        self.now, self.asleep = self.now + ns, self.asleep + asleep
        self.heartbeat.beat()
        return self.heartbeat


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


def test_short_delays_are_no_disturbance(clocks: Clocks) -> None:
    clocks.after(69 * _MS)

    assert (clocks.heartbeat.disturbed_ms(0), clocks.heartbeat.lost_ns(0)) == (0.0, 0)


def test_the_longest_gap_since_the_call_began_is_its_disturbance(clocks: Clocks) -> None:
    clocks.after(5 * _S + 20 * _MS)
    began = clocks.now
    clocks.after(120 * _MS)
    clocks.after(320 * _MS)
    clocks.after(20 * _MS)

    assert clocks.heartbeat.disturbed_ms(began) == 300.0
    assert clocks.heartbeat.lost_ns(began) == 400 * _MS


def test_of_a_gap_only_what_follows_the_moment_is_lost(clocks: Clocks) -> None:
    clocks.after(5 * _S)

    assert clocks.heartbeat.lost_ns(clocks.now - _S) == _S


def test_a_gap_counts_before_its_late_beat_has_come(clocks: Clocks) -> None:
    clocks.now += 2 * _S + 20 * _MS

    assert clocks.heartbeat.disturbed_ms(0) == 2000.0


def test_the_sleep_of_the_machine_disturbs_but_takes_no_time_of_the_clock(clocks: Clocks) -> None:
    heartbeat = clocks.after(20 * _MS, asleep=60 * _S)

    assert (heartbeat.disturbed_ms(0), heartbeat.lost_ns(0)) == (60_000.0, 0)
    assert clocks.after(20 * _MS).disturbed_ms(clocks.now - _MS) == 0.0


def test_the_lag_is_the_99th_percentile_of_the_beats_and_the_worst(clocks: Clocks) -> None:
    for _ in range(198):
        clocks.after(21 * _MS)
    heartbeat = clocks.after(520 * _MS)

    assert (heartbeat.lag().p99_ms, heartbeat.lag().max_ms) == (1.0, 500.0)


@pytest.mark.parametrize("lost_s, missed", [(0, True), (9, False)])
def test_a_stopped_process_misses_no_deadline(lost_s: int, *, missed: bool) -> None:
    now = [0]

    async def checked() -> bool:
        reading = AnswerReader(WIRES["openai-chat"].decoder(), None, 0)
        reading.stream.append(Received(_S, b"data"))
        watch = Watch(Deadlines(5, 5, 20), lambda: now[0], reading, lambda _since: lost_s * _S)
        try:
            async with asyncio.timeout(None) as scope:
                watch.start(scope)
                now[0] = 10 * _S
                watch._check()
                await asyncio.sleep(0)
        except TimeoutError:
            return True
        finally:
            watch.stop()
        return False

    assert asyncio.run(checked()) is missed


@pytest.mark.parametrize("base_url, disturbed", [("https://scripted.example", True), ("in-process", False)])
def test_an_answer_that_waited_to_be_read_is_marked(store: Store, base_url: str, *, disturbed: bool) -> None:
    make_run(store)
    sut = Scripted([[0.01, lambda _request: time.sleep(0.1), *whole("yes")]], time.monotonic_ns)
    sut.endpoint = replace(ENDPOINT, base_url=base_url, simulated=True)

    async def answered() -> float | None:
        heartbeat = Heartbeat()
        context = replace(Contexts(store).new(), now_ns=time.monotonic_ns, gaps=heartbeat)
        async with context.ledger:
            with heartbeat.beating():
                await asyncio.sleep(0.01)
                return (await asked(context, sut)(QUESTION)).disturbed_ms

    disturbed_ms = asyncio.run(answered())

    assert (disturbed_ms is not None and disturbed_ms > 50) if disturbed else disturbed_ms is None
