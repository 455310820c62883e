"""Interrupts that wait: they come at the end of a block, and only where they would raise KeyboardInterrupt."""

import signal
import threading
from collections.abc import Iterator

import pytest

from runner.execution.interrupts import interrupts_held


@pytest.fixture(autouse=True)
def raising() -> Iterator[None]:
    """An interrupt raises KeyboardInterrupt, as in a program of its own."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_comes_at_the_end_of_the_block() -> None:
    steps = []

    def interrupted() -> None:
        with interrupts_held():
            signal.raise_signal(signal.SIGINT)
            steps.append("the process is noted")

    with pytest.raises(KeyboardInterrupt):
        interrupted()

    assert steps == ["the process is noted"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_without_an_interrupt_nothing_comes_and_an_error_passes() -> None:
    with interrupts_held():
        pass
    with pytest.raises(ValueError, match="no such program"), interrupts_held():
        raise ValueError("no such program")

    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_others_stay() -> None:
    seen = []
    signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))

    with interrupts_held():
        signal.raise_signal(signal.SIGINT)
        assert seen == [signal.SIGINT]


def test_other_threads_have_no_interrupts_to_hold() -> None:
    done = threading.Event()

    def work() -> None:
        with interrupts_held():
            done.set()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

    assert done.is_set()
