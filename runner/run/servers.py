"""Asks the servers of a plan what they are, once each and before anything else; refuses what they would misread.

Models within this process and vendors' own APIs have no such server, and cost nothing here. Nor does a server that has
not responded when it was tried.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from runner.console import say
from runner.errors import InputError
from runner.run.breaker import place_of
from runner.run.fill_in import check_fill_in, inserting_server
from runner.run.plan import Plan
from suts.server_facts import UNKNOWN, ServerFacts, facts_of, server_of
from suts.sut import Request, Sut
from suts.variants import with_changes, without_changes

DetailT = TypeVar("DetailT")


def with_servers(plan: Plan[DetailT]) -> Plan[DetailT]:
    """Return the plan with what its servers report. Raises InputError for what they would misread or always refuse."""
    suts = [sut for sut in plan.suts if place_of(sut.endpoint) not in plan.preflight.closed]
    if not any(server_of(sut) or inserting_server(sut, plan.fill_in) for sut in suts):
        return plan
    facts = asyncio.run(_ask_all(plan, suts))
    for line in _lines(plan, facts):
        say(line)
    return replace(plan, servers=facts)


async def _ask_all(plan: Plan[Any], suts: Sequence[Sut]) -> dict[str, ServerFacts]:
    known: dict[tuple[str, str, str], ServerFacts] = {}
    facts: dict[str, ServerFacts] = {}
    try:
        for sut in suts:
            key = (sut.endpoint.base_url, sut.endpoint.key_fingerprint, without_changes(sut.name))
            if key not in known:
                known[key] = await facts_of(sut)
                await check_fill_in(sut, known[key], plan.fill_in)
            facts[sut.name] = known[key]
            _check_room(sut, known[key], plan)
    finally:
        # The connections belong to this event loop; the run opens its own.
        for sut in suts:
            await sut.aclose()
    return {name: fact for name, fact in facts.items() if fact != UNKNOWN}


def _lines(plan: Plan[Any], facts: dict[str, ServerFacts]) -> Iterator[str]:
    for sut in plan.suts:
        fact = facts.get(sut.name, UNKNOWN)
        parts = (
            f"model {fact.model}" if fact.model else "",
            f"context window {fact.window:,} tokens" if fact.window else "",
            f"{fact.slots} {'slot' if fact.slots == 1 else 'slots'}" if fact.slots else "",
        )
        if any(parts):
            yield f"{sut.name}: its server reports {', '.join(filter(None, parts))}"


def _check_room(sut: Sut, facts: ServerFacts, plan: Plan[Any]) -> None:
    """Raise InputError where the longest answer leaves no room for any question."""
    most = with_changes(sut, Request("", (), plan.options.sampling)).sampling.max_tokens
    if facts.window and facts.counts_answer and most >= facts.window:
        raise InputError(
            f"--max-tokens: is {most}, but {sut.name} has a context window of {facts.window} tokens for question and"
            " answer together; give less"
        )
