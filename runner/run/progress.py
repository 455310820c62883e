"""Live progress of a session: a bar per system on a terminal, plain lines elsewhere."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from runner.console import say, terminal
from runner.run.engine import Ended, Lane
from runner.run.slots import Slots

_LINE_EVERY_S = 5.0


@dataclass(slots=True)
class _Tally:
    quota: int
    valid: int
    cost_usd: float = 0.0
    unpriced: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


def _attempt_line(ended: Ended) -> str:
    """Return a line about one attempt."""
    lane = ended.lane
    outcome = ended.result.outcome if ended.result else ended.outcome
    reason = f": {ended.reason.strip().splitlines()[-1]}" if ended.reason else ""
    who = f"{lane.key.case_id} number {ended.number} of {lane.key.sut}, {lane.key.prompt}"
    return f"{who}: {outcome}{reason} (valid {lane.valid}/{lane.quota})"


class Progress:
    """Counts attempts per system and reports how far they are."""

    def __init__(
        self,
        lanes: Sequence[Lane],
        slots: Slots,
        *,
        limits: Callable[[], Iterable[str]] = tuple,
        verbose: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with the results of earlier sessions.

        `limits` yields what delays calls now, a line each; `verbose` adds a line per attempt.
        """
        self._limits = limits
        self._verbose = verbose
        self._slots = slots
        self._clock = clock
        self._began = clock()
        self._ended = 0
        self._in_flight = 0
        self._tallies: dict[str, _Tally] = {}
        for lane in lanes:
            tally = self._tallies.setdefault(lane.key.sut, _Tally(0, 0))
            tally.quota += max(lane.quota, lane.recorded_quota)
            tally.valid += lane.valid

    def began(self, _lane: Lane, _number: int) -> None:
        """Count a launched attempt."""
        self._in_flight += 1

    def ended(self, ended: Ended) -> None:
        """Count an ended attempt."""
        self._in_flight -= 1
        self._ended += 1
        tally = self._tallies[ended.lane.key.sut]
        if self._verbose:
            say(_attempt_line(ended))
        if ended.unsent:
            return
        if ended.result is None:
            tally.outcomes[str(ended.outcome)] += 1
            return
        tally.valid += ended.result.valid
        tally.cost_usd += ended.result.cost_usd or 0.0
        tally.unpriced += ended.result.cost_usd is None
        tally.outcomes[str(ended.result.outcome)] += 1

    def lines(self) -> Iterator[str]:
        """Yield one line per system, one for all, and one for each limit that delays calls."""
        for sut, tally in self._tallies.items():
            outcomes = ", ".join(f"{outcome} {count}" for outcome, count in tally.outcomes.most_common())
            more = f" and {tally.unpriced} of unknown cost" if tally.unpriced else ""
            yield f"{sut}: {tally.valid}/{tally.quota} valid; {outcomes or 'nothing yet'}; ${tally.cost_usd:.4f}{more}"
        elapsed = max(self._clock() - self._began, 1e-9)
        calls, most = self._slots.in_use, self._slots.most
        full = f" (all {most} slots)" if calls >= most else ""
        rate = self._ended / elapsed
        under_way = f"{self._in_flight} under way with {calls} calls{full}"
        yield f"{self._ended} attempts, {rate:.1f}/s, {under_way}, {elapsed:.0f} s"
        for held in self._limits():
            yield f"limited: {held}"

    @contextmanager
    def display(self, *, quiet: bool = False) -> Iterator[None]:
        """Show progress while the session runs."""
        if quiet:
            yield
        elif terminal().is_terminal:
            with self._live():
                yield
        else:
            with self._printed():
                yield

    @contextmanager
    def _live(self) -> Iterator[None]:
        from rich.live import Live
        from rich.text import Text

        def render() -> Text:
            return Text("\n".join(self.lines()))

        with Live(get_renderable=render, console=terminal(), refresh_per_second=4, transient=True):
            yield

    @contextmanager
    def _printed(self) -> Iterator[None]:
        """Print the lines every few seconds, by a timer of the event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def speak() -> None:
            nonlocal timer
            for line in self.lines():
                say(line)
            timer = loop.call_later(_LINE_EVERY_S, speak)

        timer = loop.call_later(_LINE_EVERY_S, speak)
        try:
            yield
        finally:
            timer.cancel()
