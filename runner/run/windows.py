"""Sets lanes aside whose question surely does not fit into the context window of their system, before any is asked.

A question's tokens are never overestimated, so that none is skipped that would fit: the server's own tokenizer counts
its texts, without what a chat template adds; where there is none, each run of letters counts as one token. What is
nearly too long is asked, and the server's refusal is final for its case.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from runner.errors import UnsentError
from runner.prices import Prices, request_bytes
from runner.records import Completion
from runner.run.engine import Lane
from runner.run.fill_in import cut_by_server
from runner.run.protocols import Attempt
from runner.tokens import fewest_tokens
from suts.server_facts import UNKNOWN, Server, ServerFacts, server_of, token_count
from suts.sut import Request, Sut, SutError
from suts.variants import with_changes


@dataclass(frozen=True, slots=True)
class ContextWindow:
    """The context window of one system: its size in tokens, the server's facts, and who counts."""

    size: int
    facts: ServerFacts
    server: Server | None

    async def excess(self, request: Request) -> str:
        """Return why a question surely does not fit; "" for one that may."""
        room = self.size - (request.sampling.max_tokens if self.facts.counts_answer else 0)
        texts = [text for text in (request.system, *request.texts) if text]
        if sum(len(text.encode("utf-8", "replace")) for text in texts) <= room:
            # No token is shorter than a byte.
            return ""
        tokens, method = await self._count(texts)
        if tokens <= room:
            return ""
        beside = f" beside an answer of {request.sampling.max_tokens:,}" if self.facts.counts_answer else ""
        return f"too long for the context window of {self.size:,} tokens{beside}, by {method}"

    def is_cut(self, request: Request) -> bool:
        """Return whether the server cuts a question that is too long, as llama.cpp's `/infill` does."""
        return request.suffix is not None and self.server is not None and self.server.infills

    async def cut(self, request: Request) -> str:
        """Return a warning if the server would cut this question; "" if not, or if that is not known."""
        if self.server is not None:
            with suppress(SutError):
                return await cut_by_server(self.server, self.facts, request)
        return ""

    async def _count(self, texts: Sequence[str]) -> tuple[int, str]:
        """Return at most as many tokens as the texts have, and who counted."""
        if self.server is not None:
            with suppress(SutError):
                counts = [await token_count(self.server, self.facts, text) for text in texts]
                known = [count for count in counts if count is not None]
                if len(known) == len(counts):
                    return sum(known), "the server's tokenizer"
        return sum(map(fewest_tokens, texts)), "the number of its words"


def windows_of(suts: Sequence[Sut], servers: Mapping[str, ServerFacts], prices: Prices) -> dict[str, ContextWindow]:
    """Return the windows of the real systems whose window is known, as their servers or the price table say."""
    windows = {}
    for sut in suts:
        if sut.endpoint.simulated or not sut.endpoint.timed:
            continue
        facts, price = servers.get(sut.name, UNKNOWN), prices.of(sut.name)
        size = facts.window or (price.window if price else None)
        if size:
            windows[sut.name] = ContextWindow(size, facts, server_of(sut))
    return windows


async def set_aside_too_long(
    lanes: Sequence[Lane],
    attempt: Attempt,
    suts: Sequence[Sut],
    windows: Mapping[str, ContextWindow],
    say: Callable[[str], None],
) -> None:
    """Set aside each open lane whose first question does not fit; say how many, and which server will cut some."""
    by_name = {sut.name: sut for sut in suts}
    skipped: Counter[tuple[str, str]] = Counter()
    longest: dict[str, Request] = {}
    for lane in lanes:
        name, window = lane.key.sut, windows.get(lane.key.sut)
        request = await _first_request(attempt, lane) if window is not None and lane.launchable else None
        if window is None or request is None:
            continue
        request = with_changes(by_name[name], request)
        if window.is_cut(request):
            longest[name] = max(longest.get(name, request), request, key=request_bytes)
        elif reason := await window.excess(request):
            lane.set_aside(reason)
            skipped[name, reason] += 1
    for (name, reason), count in skipped.items():
        of = sum(lane.key.sut == name for lane in lanes)
        say(f"{name}: {count} of {of} questions are skipped: {reason}")
    await _warn_of_cuts(longest, windows, say)


async def _warn_of_cuts(
    longest: Mapping[str, Request], windows: Mapping[str, ContextWindow], say: Callable[[str], None]
) -> None:
    for name, request in longest.items():
        if warning := await windows[name].cut(request):
            say(f"{name}: {warning}")


class _CapturedError(UnsentError):
    """Ends an attempt at its first question, which is not sent."""


async def _first_request(attempt: Attempt, lane: Lane) -> Request | None:
    """Return what an attempt asks first; None where it asks nothing."""
    requests: list[Request] = []

    async def ask(
        request: Request, *, step: int = 0, mode: str = "", number: int = 1, about: object = None
    ) -> Completion:
        requests.append(request)
        raise _CapturedError(f"{step} {mode} {number} {about}")

    # A bug of a plug-in raises again in the attempt itself, where it becomes an outcome.
    with suppress(Exception):
        await attempt(lane, ask, 1)
    return requests[0] if requests else None
