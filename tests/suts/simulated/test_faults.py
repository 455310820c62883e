"""Faults to order, the rate limit, the pacer, and the numbers of attempts: without a server."""

import asyncio
from collections import Counter
from collections.abc import Callable
from time import monotonic_ns

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suts.simulated.book import Numbers
from suts.simulated.faults import KINDS, parse_faults
from suts.simulated.pacer import Pacer, Playing
from suts.simulated.rate_limit import TokenBucket


def test_faults_come_at_their_rates_and_always_the_same() -> None:
    faults = parse_faults("429=0.1,reset=0.05,stall=0.02")

    drawn = [faults.draw(("key", case), arrival) for case in range(100) for arrival in range(100)]

    found = Counter(drawn)
    assert found["429"] / 10_000 == pytest.approx(0.1, abs=0.012)
    assert found["reset"] / 10_000 == pytest.approx(0.05, abs=0.009)
    assert found["stall"] / 10_000 == pytest.approx(0.02, abs=0.006)
    assert drawn == [faults.draw(("key", case), arrival) for case in range(100) for arrival in range(100)]


def test_without_rates_nothing_fails() -> None:
    assert {parse_faults("").draw(("key",), arrival) for arrival in range(100)} == {""}


def test_all_kinds_come_first_when_none_is_named() -> None:
    faults = parse_faults("", first=True)

    assert tuple(faults.draw(("key",), arrival) for arrival in range(len(KINDS) + 2)) == (*KINDS, "", "")


@pytest.mark.parametrize(
    "text, words",
    [
        pytest.param("404=0.1", "no fault '404'", id="an unknown kind"),
        pytest.param("429", "give a rate", id="no rate"),
        pytest.param("429=often", "give a rate", id="a word"),
        pytest.param("429=-1", "give a rate", id="below 0"),
        pytest.param("429=0.7,cut=0.7", "more than 1", id="too many"),
    ],
)
def test_wrong_faults_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_faults(text)


def test_a_token_bucket_lets_the_burst_in_and_then_the_rate() -> None:
    bucket = TokenBucket(rps=10, burst=5, now_ns=0)

    admitted = [bucket.admit(at * 20_000_000) for at in range(100)]

    assert sum(admitted[:5]) == 5
    assert sum(admitted) in {5 + 19, 5 + 20}


def test_a_token_bucket_tells_its_waits() -> None:
    bucket = TokenBucket(rps=4, burst=2, now_ns=0)
    assert bucket.admit(0)
    assert bucket.admit(0)

    refused = bucket.admit(0)

    assert not refused
    assert (bucket.remaining, bucket.retry_s, bucket.reset_s) == (0, 0.25, 0.5)
    assert bucket.admit(250_000_000)


@given(st.lists(st.integers(0, 3), max_size=60))
def test_delivered_numbers_have_no_gap_once_nothing_is_open(moves: list[int]) -> None:
    numbers = Numbers()
    taken: list[int] = []
    delivered: list[int] = []

    for move in moves:
        if move < 2 or not taken:
            taken.append(numbers.take(("key",)))
        elif move == 2:
            delivered.append(taken.pop(0))
        else:
            numbers.give_back(("key",), taken.pop(0))
    for number in taken:
        numbers.give_back(("key",), number)
    while len(delivered) < max(delivered, default=0):
        delivered.append(numbers.take(("key",)))

    assert sorted(delivered) == list(range(1, len(delivered) + 1))


async def test_the_pacer_writes_what_is_due_together_and_in_order() -> None:
    loop = asyncio.get_running_loop()
    pacer = Pacer(loop, monotonic_ns)
    start = monotonic_ns()
    over = asyncio.Event()
    written: list[tuple[int, bytes]] = []

    def note(name: bytes) -> Callable[[bytes], None]:
        return lambda data: written.append((monotonic_ns() - start, name + data))

    late = Playing([b"1", b"2", b"3"], [start + 600_000_000] * 3, note(b"late "), over.set)
    early = Playing([b"1", b"2"], [start, start + 300_000_000], note(b"early "), lambda: None)
    pacer.play(late)
    pacer.play(early)
    await over.wait()

    assert [data for _, data in written] == [b"early 1", b"early 2", b"late 123"]
    assert [at >= due * 1e6 for (at, _), due in zip(written, (0, 300, 600), strict=True)] == [True] * 3


async def test_a_stopped_stream_is_written_no_more() -> None:
    pacer = Pacer(asyncio.get_running_loop(), monotonic_ns)
    written: list[bytes] = []
    playing = Playing([b"1", b"2"], [0, monotonic_ns() + 10_000_000], written.append, lambda: written.append(b"end"))

    pacer.play(playing)
    playing.stopped = True
    await asyncio.sleep(0.03)

    assert written == [b"1"]
