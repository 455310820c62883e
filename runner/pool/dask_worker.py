"""What a worker of ours runs when it starts: an interrupt is for the command alone, which lets calls end first."""

import signal


def dask_setup(_worker: object) -> None:
    """Ignore interrupts of the terminal; Dask calls this by its name."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
