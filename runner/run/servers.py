"""Asks the servers of a plan what they are, once each and before anything else; refuses what they would misread.

Models within this process and vendors' own APIs have no such server, and cost nothing here. Nor does a server that has
not responded when it was tried.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from runner.console import say
from runner.errors import InputError
from runner.run.breaker import place_of
from runner.run.fill_in import check_fill_in, inserting_server
from runner.run.plan import Plan
from runner.run.preflight import preflight
from suts.replicated import host_of, replicas_of
from suts.server_facts import UNKNOWN, ServerFacts, facts_of, server_of
from suts.sut import Request, Sut
from suts.variants import with_changes, without_changes

DetailT = TypeVar("DetailT")


def tried(plan: Plan[DetailT], say: Callable[[str], None]) -> Plan[DetailT]:
    """Return the plan with what a try of its endpoints shows. Raises InputError, of `preflight` and `with_servers`."""
    return with_servers(replace(plan, preflight=preflight(plan, say)))


def with_servers(plan: Plan[DetailT]) -> Plan[DetailT]:
    """Return the plan with what its servers report. Raises InputError for what they would misread or always refuse."""
    suts = [_Served(sut, replica) for sut in plan.suts for replica in replicas_of(sut) if _is_open(replica, plan)]
    if not any(server_of(served.at) or inserting_server(served.at, plan.fill_in) for served in suts):
        return plan
    reported = {served: fact for served, fact in asyncio.run(_ask_all(plan, suts)).items() if fact != UNKNOWN}
    for line in _lines(reported):
        say(line)
    facts: dict[str, ServerFacts] = {}
    slots: dict[str, int] = {}
    for served, fact in reported.items():
        facts[served.sut.name] = _narrower(facts[served.sut.name], fact) if served.sut.name in facts else fact
        if served.is_replica and fact.slots:
            slots[served.at.endpoint.base_url] = fact.slots
    return replace(plan, servers=facts, replica_slots=slots)


@dataclass(frozen=True, slots=True, eq=False)
class _Served:
    """A system, and the system at one of its servers; the same where there is one."""

    sut: Sut
    at: Sut

    @property
    def is_replica(self) -> bool:
        """Whether the system has other servers beside this one."""
        return self.at is not self.sut


def _is_open(sut: Sut, plan: Plan[Any]) -> bool:
    return place_of(sut.endpoint) not in plan.preflight.closed


def _narrower(first: ServerFacts, other: ServerFacts) -> ServerFacts:
    """Return what holds at both servers; each may get a question, and how many at once is that of each."""
    windows = [facts for facts in (first, other) if facts.window]
    return replace(min(windows, key=lambda facts: facts.window or 0, default=first), slots=None)


async def _ask_all(plan: Plan[Any], suts: Sequence[_Served]) -> dict[_Served, ServerFacts]:
    known: dict[tuple[str, str, str], ServerFacts] = {}
    facts: dict[_Served, ServerFacts] = {}
    try:
        for served in suts:
            sut = served.at
            key = (sut.endpoint.base_url, sut.endpoint.key_fingerprint, without_changes(sut.name))
            if key not in known:
                known[key] = await facts_of(sut)
                await check_fill_in(sut, known[key], plan.fill_in)
            facts[served] = known[key]
            _check_room(served.sut, known[key], plan)
    finally:
        # The connections belong to this event loop; the run opens its own.
        for served in suts:
            await served.at.aclose()
    return facts


def _lines(facts: dict[_Served, ServerFacts]) -> Iterator[str]:
    for served, fact in facts.items():
        where = f" {host_of(served.at.endpoint.base_url)}" if served.is_replica else ""
        parts = (
            f"model {fact.model}" if fact.model else "",
            f"context window {fact.window:,} tokens" if fact.window else "",
            f"{fact.slots} {'slot' if fact.slots == 1 else 'slots'}" if fact.slots else "",
        )
        if any(parts):
            yield f"{served.sut.name}: its server{where} reports {', '.join(filter(None, parts))}"


def _check_room(sut: Sut, facts: ServerFacts, plan: Plan[Any]) -> None:
    """Raise InputError where the longest answer leaves no room for any question."""
    most = with_changes(sut, Request("", (), plan.options.sampling)).sampling.max_tokens
    if facts.window and facts.counts_answer and most >= facts.window:
        raise InputError(
            f"--max-tokens: is {most}, but {sut.name} has a context window of {facts.window} tokens for question and"
            " answer together; give less"
        )
