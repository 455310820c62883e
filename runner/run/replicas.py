"""Chooses which of a model's servers gets the next try of a question: of those that work, the one with fewest calls.

Each server has its own limiter and its own state of the breaker. What a call meets is kept beside them: a server that
fails gets fewer calls, as its failures would make room for more; one that fails several times in a row rests, for
longer each time, and then has to answer one call before it gets more. A server that is closed, that refuses the key or
the model, or that asks for a long wait is left out while another is in. With one server nothing is chosen.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from runner.run.limits import CallLimits, Limiter
from suts.replicated import host_of, replicas_of
from suts.sut import Endpoint, ErrorKind, Sut, SutError
from suts.variants import plain_sut, without_changes

# What says that a server does not work, rather than that a question or a limit is at fault.
_FAILURES = frozenset(
    {
        ErrorKind.CONNECTION,
        ErrorKind.CUT,
        ErrorKind.MALFORMED,
        ErrorKind.OVERLOADED,
        ErrorKind.SERVER,
        ErrorKind.TIMEOUT,
    }
)
# What a server with another key or another model than the others says to every request.
_REFUSALS = frozenset({ErrorKind.AUTH, ErrorKind.NOT_FOUND})
# So many failures in a row, with no answer in between, and a server rests.
_IN_A_ROW = 3
_FIRST_REST_S = 1.0
_LONGEST_REST_S = 60.0
# How much of the health is that of the last call, and the least that is left of it.
_NEWS = 0.1
_LEAST_HEALTH = 0.05
# A server whose limits delay the next call for less is not passed over.
_SHORT_S = 1.0
_EVER = float("inf")
# What is known of a server that has had no call for so long is out of date: it gets one.
_NEWS_S = 30.0


@dataclass(slots=True)
class Replica:
    """A server of a model: `sut` sends a request as it is, `health` is the share of late calls that were answered.

    `failures` counts those since the last answer, `rests_until_s` is the end of the rest after them, and `out_until_s`
    that of the time for which nothing can be asked here. `chosen` is the number of the last choice of it.
    """

    sut: Sut
    host: str
    limiter: Limiter
    health: float = 1.0
    failures: int = 0
    rests_until_s: float = 0.0
    out_until_s: float = 0.0
    chosen: int = 0
    chosen_s: float = 0.0

    @property
    def endpoint(self) -> Endpoint:
        """Where the server is."""
        return self.sut.endpoint

    @property
    def recorded_host(self) -> str | None:
        """The host as it is recorded; None where no server is asked, or a program asks several."""
        known = not self.endpoint.in_process and not self.endpoint.own_limits
        return self.host or None if known else None

    def note(self, *, answered: bool) -> None:
        """Count a call that the server has answered, or failed to."""
        self.health = max(_LEAST_HEALTH, (1 - _NEWS) * self.health + _NEWS * answered)
        self.failures = 0 if answered else self.failures + 1

    def rest_s(self) -> float:
        """Return how long the server rests after its last failure; 0 for not at all."""
        if self.failures < _IN_A_ROW:
            return 0.0
        return min(_LONGEST_REST_S, _FIRST_REST_S * 2.0 ** min(self.failures - _IN_A_ROW, 10))


class Replicas:
    """The servers of one system, as one session sees them."""

    def __init__(self, sut: Sut, limits: CallLimits, say: Callable[[str], None]) -> None:
        """Begin with servers that are all taken to work, but for those that the breaker has closed."""
        model = without_changes(sut.name)
        suts = [plain_sut(replica) for replica in replicas_of(sut)]
        self._name = sut.name
        self._breaker = limits.breaker
        self._say = say
        self._choices = 0
        self.members = tuple(Replica(at, host_of(at.endpoint.base_url), limits.of(at.endpoint, model)) for at in suts)

    def __len__(self) -> int:
        """Return how many servers there are."""
        return len(self.members)

    def check(self) -> None:
        """Raise the final SutError if no server is open."""
        if all(self._breaker.is_closed(member.endpoint) for member in self.members):
            self._breaker.check(self.members[0].endpoint)

    def choose(self, failed: Replica | None = None) -> Replica:
        """Return the server for the next try; `failed` is where the last one failed, which another one is better than.

        The choice counts once the server's limiter has been asked: nothing may be awaited in between.
        """
        if len(self.members) == 1:
            return self.members[0]
        able = [member for member in self.members if self._is_in(member)] or list(self.members)
        chosen = min(able, key=lambda member: (self._rests(member), member is failed, *_load(member), member.chosen))
        self._choices += 1
        chosen.chosen, chosen.chosen_s = self._choices, chosen.limiter.now_s()
        return chosen

    def passes_on(self, tries: int, failed: Replica) -> bool:
        """Return whether another server is asked at once after so many failed tries: each is, before any wait."""
        if tries % len(self.members) == 0:
            return False
        others = (member for member in self.members if member is not failed and self._is_in(member))
        return any(not self._rests(member) and _delay_s(member) == 0 for member in others)

    def answered(self, replica: Replica) -> None:
        """Note that a server has answered."""
        replica.note(answered=True)
        replica.rests_until_s = 0.0

    def failed(self, replica: Replica, error: SutError) -> SutError:
        """Note why a try failed; return the error, or one that is tried again where only this server is at fault."""
        if len(self.members) == 1:
            return error
        now_s = replica.limiter.now_s()
        if error.kind in _FAILURES:
            replica.note(answered=False)
            if rest_s := replica.rest_s():
                replica.rests_until_s = now_s + rest_s
        if error.retryable:
            return error
        out_s = self._out_s(replica, error)
        if not out_s:
            return error
        known, replica.out_until_s = replica.out_until_s > now_s, now_s + out_s
        if not any(self._is_in(member) for member in self.members):
            return error
        if not known:
            self._say(f"{self._name}: {replica.host} is left out: {error}; its other servers are asked")
        return SutError(error.kind, str(error), status=error.status)

    def _out_s(self, replica: Replica, error: SutError) -> float:
        """Return for how long a final error says that the server takes no question; 0 where it is that of one."""
        if self._breaker.is_closed(replica.endpoint):
            return _EVER
        if error.kind in _REFUSALS and not replica.limiter.worked:
            return _EVER
        return error.retry_after_s or 0.0

    def _is_in(self, member: Replica) -> bool:
        return not self._breaker.is_closed(member.endpoint) and member.out_until_s <= member.limiter.now_s()

    def _rests(self, member: Replica) -> bool:
        """Return whether a server rests, or has a call under way that shows whether it still has to."""
        if member.failures < _IN_A_ROW:
            return False
        return member.rests_until_s > member.limiter.now_s() or member.limiter.calls > 0


@dataclass(slots=True)
class AllReplicas:
    """The servers of every system of a session, made on first use."""

    limits: CallLimits
    say: Callable[[str], None]
    _known: dict[str, Replicas] = field(default_factory=dict)

    def of(self, sut: Sut) -> Replicas:
        """Return the servers of a system."""
        known = self._known.get(sut.name)
        if known is None:
            known = self._known[sut.name] = Replicas(sut, self.limits, self.say)
        return known


def _delay_s(member: Replica) -> float:
    """Return for how long the limits of a server delay its next call, 0 where that is short."""
    delay_s = member.limiter.delay_s()
    return delay_s if delay_s > _SHORT_S else 0.0


def _load(member: Replica) -> tuple[float, float]:
    """Return what the least of is best: the delay, then the calls that a server has, more where it fails many."""
    calls, idle_s = member.limiter.calls, member.limiter.now_s() - member.chosen_s
    return _delay_s(member), 0.0 if not calls and idle_s > _NEWS_S else (calls + 1) / member.health
