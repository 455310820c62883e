"""Live progress: what is done, right so far, limits and time left; without a terminal a line every 30 s."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from runner.console import say, terminal
from runner.prices import SIMULATED_USD
from runner.records import Result
from runner.run.engine import Ended, Lane
from runner.run.slots import Slots

_LINE_EVERY_S = 30.0
# Time left is estimated from this many valid attempts on; where these take longer than a minute, from the first.
_ENOUGH, _LONG_S = 5, 60.0


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What a session may spend: the simulated systems by name, USD spent by earlier sessions, the budget of the run."""

    simulated: frozenset[str] = frozenset()
    before_usd: float = 0.0
    budget_usd: float | None = None


@dataclass(slots=True)
class _Tally:
    """One system: the quota, valid attempts of all sessions; the rest counts this session."""

    quota: int = 0
    valid: int = 0
    gained: int = 0
    right: int = 0
    failed: int = 0
    cost_usd: float = 0.0
    unpriced: int = 0


def _attempt_line(ended: Ended) -> str:
    """Return a line about one attempt."""
    lane = ended.lane
    outcome = ended.result.outcome if ended.result else ended.outcome
    reason = f": {ended.reason.strip().splitlines()[-1]}" if ended.reason else ""
    who = f"{lane.key.case_id} number {ended.number} of {lane.key.sut}, {lane.key.prompt}"
    return f"{who}: {outcome}{reason} (valid {lane.valid}/{lane.quota})"


def _is_right(result: Result) -> bool:
    """Return whether the first scoring is right: the expected result, or solved where none is expected."""
    scoring = result.scorings[0]
    return scoring.outcome.solved if scoring.equals_expected is None else scoring.equals_expected


class Progress:
    """Counts attempts per system and reports how far they are."""

    def __init__(
        self,
        lanes: Sequence[Lane],
        slots: Slots,
        *,
        spending: SpendingLimits = SpendingLimits(),
        limits: Callable[[], Iterable[str]] = tuple,
        verbose: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start with the results of earlier sessions.

        `limits` yields what delays calls now, a line each; `verbose` adds a line per attempt.
        """
        self._lanes = lanes
        self._spending = spending
        self._limits = limits
        self._verbose = verbose
        self._slots = slots
        self._clock = clock
        self._began = clock()
        self._in_flight = 0
        self._launched = 0
        self._tallies: dict[str, _Tally] = {}
        for lane in lanes:
            tally = self._tallies.setdefault(lane.key.sut, _Tally())
            tally.quota += 0 if lane.too_long else max(lane.quota, lane.recorded_quota)
            tally.valid += lane.valid

    def began(self, _lane: Lane, _number: int) -> None:
        """Count a launched attempt."""
        self._in_flight += 1
        self._launched += 1

    def ended(self, ended: Ended) -> None:
        """Count an ended attempt."""
        self._in_flight -= 1
        tally = self._tallies[ended.lane.key.sut]
        if self._verbose:
            say(_attempt_line(ended))
        if ended.unsent:
            return
        if ended.result is None:
            tally.failed += 1
            return
        if ended.result.valid:
            tally.valid += 1
            tally.gained += 1
            tally.right += _is_right(ended.result)
        tally.cost_usd += ended.result.cost_usd or 0.0
        tally.unpriced += ended.result.cost_usd is None

    def line(self) -> str:
        """Return the state of the whole session in one line."""
        tallies = self._tallies.values()
        gained, failed = sum(tally.gained for tally in tallies), sum(tally.failed for tally in tallies)
        right = 100 * sum(tally.right for tally in tallies) / gained if gained else 0.0
        parts = (
            f"{sum(tally.valid for tally in tallies)}/{sum(tally.quota for tally in tallies)} valid",
            f"right {right:.0f} % so far" if gained else "",
            self._left(gained),
            # An attempt of several questions would show nothing for minutes.
            f"{self._slots.sent} requests sent" if self._slots.sent > self._launched else "",
            f"{self._slots.in_use} of {self._slots.most} slots busy",
            f"{failed} failed calls" if failed else "",
            self._cost(),
        )
        return ", ".join(filter(None, parts))

    def lines(self) -> Iterator[str]:
        """Yield the state of the session, what delays calls, and one line per system where there are several."""
        yield self.line()
        for held in self._limits():
            yield f"limited: {held}"
        if len(self._tallies) > 1:
            for sut, tally in self._tallies.items():
                right = f", right {100 * tally.right / tally.gained:.0f} % so far" if tally.gained else ""
                yield f"  {sut}: {tally.valid}/{tally.quota} valid{right}"

    def _left(self, gained: int) -> str:
        """Return the time that open lanes take at the pace so far."""
        missing = sum(lane.quota - lane.valid for lane in self._lanes if lane.state == "open")
        passed_s = self._clock() - self._began
        if not gained or not missing or (gained < _ENOUGH and passed_s < _LONG_S):
            return ""
        minutes, seconds = divmod(round(passed_s * missing / gained), 60)
        hours, minutes = divmod(minutes, 60)
        return f"{hours}:{minutes:02}:{seconds:02} left" if hours else f"{minutes}:{seconds:02} left"

    def _cost(self) -> str:
        paid = [tally for sut, tally in self._tallies.items() if sut not in self._spending.simulated]
        if not paid:
            return SIMULATED_USD if self._tallies else ""
        unpriced = sum(tally.unpriced for tally in paid)
        budget = f" of ${self._spending.budget_usd:.2f}" if self._spending.budget_usd is not None else ""
        spent = self._spending.before_usd + sum(tally.cost_usd for tally in paid)
        return f"${spent:.4f}{budget}{f' and {unpriced} of unknown cost' if unpriced else ''}"

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
        """Print a line every 30 s, by a timer of the event loop."""
        import asyncio

        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def speak() -> None:
            nonlocal timer
            say("; ".join((self.line(), *(f"limited: {held}" for held in self._limits()))))
            timer = loop.call_later(_LINE_EVERY_S, speak)

        timer = loop.call_later(_LINE_EVERY_S, speak)
        try:
            yield
        finally:
            timer.cancel()
