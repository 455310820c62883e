"""Interrupts that wait until what they are to end can be ended."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let an interrupt (Ctrl-C) count only at the end of the block, which is to be short.

    Only in the main thread, and only where it raises KeyboardInterrupt: that may come between any two steps, such as
    between the start of a process and the note of its number.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return
    caught = threading.Event()
    signal.signal(signal.SIGINT, lambda *_: caught.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if caught.is_set():
            signal.raise_signal(signal.SIGINT)
