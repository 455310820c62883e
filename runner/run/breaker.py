"""Stops asking an endpoint that has never answered: one for all cases, so that a run does not learn it case by case.

While nothing has answered, failures to connect are retried for a few seconds only; then the endpoint is closed for the
session, and each of its calls ends with the same error. What is under way is awaited first: a server that has accepted
a request may be busy with it. From the first answer on retries have their usual patience.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from runner.run.drain import Drain
from suts.reaching import NOT_READY
from suts.sut import Endpoint, ErrorKind, SutError

# How long an endpoint that nothing has answered is tried.
PATIENCE_S = 8.0
# A server that is waited for is asked at least so often.
_POLL_S = 5.0
# So many calls that were accepted and never answered, with no answer in between, are enough.
_TIMEOUTS = 5
_UNANSWERED = frozenset({ErrorKind.CONNECTION, ErrorKind.CUT})

Place = tuple[str, str]


class EndpointClosedError(SutError):
    """The end of a call because its endpoint is closed; what the call itself has met is recorded of it."""


def place_of(endpoint: Endpoint) -> Place:
    """Return what identifies an endpoint: where it is, and with which key."""
    return endpoint.base_url, endpoint.key_fingerprint


def not_ready(error: SutError, wait_s: float) -> SutError:
    """Return the error with how to wait for a server whose status says that it is not ready, or how long that was."""
    if error.status not in NOT_READY:
        return error
    fix = f"; waited for {wait_s:g} s" if wait_s else ": wait for it with --wait-for-server 10m"
    return SutError(error.kind, f"{error}{fix}", retryable=False, status=error.status)


@dataclass(slots=True)
class _State:
    """What is known of an endpoint. `reached`: it responds; `answered`: a model has begun to answer."""

    reached: bool = False
    answered: bool = False
    under_way: int = 0
    timeouts: int = 0
    failing_since_s: float | None = None
    closed: SutError | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class PreflightResult:
    """What a preflight found: endpoints that respond, and those that do not, each with the reason.

    `wait_s` is how long a server that is not ready is waited for.
    """

    reached: frozenset[Place] = frozenset()
    closed: Mapping[Place, SutError] = field(default_factory=dict)
    wait_s: float = 0.0


UNTRIED = PreflightResult()


class Breaker:
    """The endpoints of a session, by what has come from them so far."""

    def __init__(
        self, now_s: Callable[[], float], drain: Drain, say: Callable[[str], None], preflight: PreflightResult
    ) -> None:
        """Start with what a preflight found; `now_s` is a clock in seconds."""
        self._now_s = now_s
        self._drain = drain
        self._say = say
        self._wait_s = preflight.wait_s
        self._states: dict[Place, _State] = {place: _State(reached=True) for place in preflight.reached}
        for place, error in preflight.closed.items():
            self._states[place] = _State(closed=error)

    def check(self, endpoint: Endpoint) -> None:
        """Raise the final SutError of an endpoint that is closed."""
        closed = self._of(endpoint).closed
        if closed is not None:
            raise _final(closed)

    def is_closed(self, endpoint: Endpoint) -> bool:
        """Return whether an endpoint is asked no more."""
        return self._of(endpoint).closed is not None

    @contextmanager
    def calling(self, endpoint: Endpoint) -> Iterator[None]:
        """Count a request as under way. Raises SutError if the endpoint is closed."""
        self.check(endpoint)
        state = self._of(endpoint)
        state.under_way += 1
        try:
            yield
        finally:
            state.under_way -= 1

    def succeeded(self, endpoint: Endpoint) -> None:
        """Note an answer."""
        self._of(endpoint).answered = True

    def failed(self, endpoint: Endpoint, error: SutError, began_s: float, *, answered: bool) -> SutError:
        """Return the error of a request that is ending, or the final one where it closes the endpoint.

        `answered` says that an answer had begun.
        """
        state = self._of(endpoint)
        state.answered = state.answered or answered
        if state.answered:
            return error
        if not _is_final(state, error):
            if not _is_absent(state, endpoint, error):
                state.reached = state.reached or error.status is not None
                return error
            self._note_absence(state, endpoint, error, began_s)
            if self._left_s(state) > 0 or state.under_way > 1:
                return error
        if state.closed is None:
            state.closed = not_ready(error, self._wait_s)
            state.closing.set()
        return _final(state.closed)

    @staticmethod
    def closes(error: Exception) -> bool:
        """Return whether an error ends a call because its endpoint is closed, whatever the call itself has met."""
        return isinstance(error, EndpointClosedError)

    def waits(self, endpoint: Endpoint) -> bool:
        """Return whether the user waits for the endpoint: its calls are retried however often they failed."""
        return self._wait_s > 0 and self._left_s(self._of(endpoint)) > 0

    def is_quiet(self, endpoint: Endpoint) -> bool:
        """Return whether retries are not worth a line: nothing has answered, and the end will say why."""
        state = self._of(endpoint)
        return state.failing_since_s is not None and not state.answered

    def longest_wait_s(self, endpoint: Endpoint) -> float:
        """Return how long a retry may wait: not beyond the patience with an endpoint that nothing has answered."""
        left_s = self._left_s(self._of(endpoint))
        return min(left_s, _POLL_S) if left_s > 0 else float("inf")

    async def sleep(self, endpoint: Endpoint, seconds: float) -> None:
        """Sleep, but not on once the endpoint is closed. Raises UnsentError when the run drains."""
        state = self._of(endpoint)
        with self._drain.waiting():
            try:
                async with asyncio.timeout(seconds):
                    await state.closing.wait()
            except TimeoutError:
                return

    def _of(self, endpoint: Endpoint) -> _State:
        place = place_of(endpoint)
        state = self._states.get(place)
        if state is None:
            state = self._states[place] = _State()
        return state

    def _note_absence(self, state: _State, endpoint: Endpoint, error: SutError, began_s: float) -> None:
        if state.failing_since_s is not None:
            return
        state.failing_since_s = began_s
        if self._wait_s:
            self._say(f"waiting up to {self._wait_s:g} s for {endpoint.base_url}: {error}")

    def _left_s(self, state: _State) -> float:
        """Return how much longer an endpoint that nothing has answered is tried; 0 for any other."""
        if state.failing_since_s is None or state.answered:
            return 0.0
        return state.failing_since_s + max(PATIENCE_S, self._wait_s) - self._now_s()


def _final(error: SutError) -> EndpointClosedError:
    """Return the error that ends a call of a closed endpoint; a new one, since raising one adds to its traceback."""
    return EndpointClosedError(ErrorKind.CONNECTION, str(error), retryable=False, status=error.status)


def _is_final(state: _State, error: SutError) -> bool:
    """Return whether no patience helps: no API is there (a page, a redirect), no trust, or silence again and again."""
    state.timeouts += error.kind is ErrorKind.TIMEOUT
    redirect = error.status is not None and 300 <= error.status < 400
    permanent = error.kind is ErrorKind.CONNECTION and not error.retryable
    return redirect or permanent or error.kind is ErrorKind.MALFORMED or state.timeouts >= _TIMEOUTS


def _is_absent(state: _State, endpoint: Endpoint, error: SutError) -> bool:
    """Return whether an error says that nothing can answer yet.

    A vendor's status is an answer, and so is any response that a preflight has had.
    """
    if error.status is not None:
        return endpoint.own_server and error.status in NOT_READY
    # An error without a status came in the place of an answer.
    return error.kind is ErrorKind.SERVER or (error.kind in _UNANSWERED and not state.reached)
