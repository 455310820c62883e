"""Previews a run and its cost: as lines for a person, or as data."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from runner.agents.agent import notes_on
from runner.prices import SIMULATED_USD, Price, Prices
from runner.run.budget import dollars, price_share
from runner.run.plan import Plan, Workload
from suts.replicated import base_urls_of
from suts.sut import Sut

_MILLION = 1_000_000
SIMULATED = "simulated"


@dataclass(frozen=True, slots=True)
class SystemPreview:
    """One system of a run: who serves it, through which proxy, and its cost in USD; None where its price is unknown.

    `estimated_usd` is for the quota, if every answer is valid and as long as usual. `bound_usd` is the most: every
    attempt up to the cap made, and every answer as long as `--max-tokens` allows; retries of failed calls come on top.
    A budget is not in it.
    """

    name: str
    kind: str
    endpoint: str
    estimated_usd: float | None
    bound_usd: float | None
    proxy: str = ""

    @property
    def line(self) -> str:
        """A line for a person."""
        way = f", through the proxy {self.proxy}" if self.proxy else ""
        return f"{self.name}: {self.kind} ({self.endpoint}{way})"


def _location(name: str) -> str:
    """Where a system without a model runs: one whose name is an address is sent the questions."""
    return "is sent all questions" if "://" in name else "runs on this machine; no model is asked"


@dataclass(frozen=True, slots=True)
class Preview:
    """What is about to happen: the systems, how many attempts at least and at most, and the suite's own notes."""

    suite: str
    systems: tuple[SystemPreview, ...]
    local: tuple[str, ...]
    cases: int
    attempts: int
    most_attempts: int
    at_once: int
    budget_usd: float | None
    prices_date: str
    notes: tuple[str, ...]

    @property
    def data(self) -> dict[str, Any]:
        """As JSON values, with the sums; a sum is None where a part of it is unknown."""
        estimated = _sum([system.estimated_usd for system in self.systems])
        bound = _sum([system.bound_usd for system in self.systems])
        return {"dry_run": True, **asdict(self), "estimated_usd": estimated, "bound_usd": bound}

    def lines(self) -> Iterator[str]:
        """Yield lines for a person."""
        yield from (system.line for system in self.systems)
        yield from (f"{name}: {_location(name)}" for name in self.local)
        yield (
            f"{len(self.systems) + len(self.local)} systems, {self.cases} cases: {self.attempts} valid attempts,"
            f" at most {self.most_attempts} attempts, {self.at_once} at once"
        )
        yield from self.notes
        if self.systems:
            yield self._cost()

    def _cost(self) -> str:
        paid = [system for system in self.systems if system.kind != SIMULATED]
        if not paid:
            return f"estimated cost {SIMULATED_USD}"
        unknown = [system.name for system in paid if system.bound_usd is None]
        if len(unknown) == len(paid):
            return f"estimated cost unknown: the price table does not list {', '.join(unknown)}"
        rest = f"; the price of {', '.join(unknown)} is unknown" if unknown else ""
        estimated = sum(system.estimated_usd or 0 for system in paid)
        bound = sum(system.bound_usd or 0 for system in paid)
        most = f"${bound:.2f}"
        if self.budget_usd is not None and self.budget_usd < bound:
            most = f"{dollars(self.budget_usd)} by --budget"
        return f"estimated cost ${estimated:.2f}, at most {most}, at list prices of {self.prices_date}{rest}"


def preview_of(plan: Plan[Any], prices: Prices) -> Preview:
    """Return the preview of a plan."""
    return Preview(
        suite=plan.suite,
        systems=tuple(_system(sut, part, prices) for part in (*plan.first, plan) for sut in part.suts),
        local=plan.local,
        cases=len({lane.case_id for lane in plan.lanes}),
        attempts=len(plan.lanes) * plan.quota,
        most_attempts=len(plan.lanes) * plan.cap,
        at_once=plan.at_once,
        budget_usd=plan.options.budget,
        prices_date=prices.date,
        notes=(*(_first(part) for part in plan.first), *plan.notes, *notes_on(plan.suts)),
    )


def _first(plan: Plan[Any]) -> str:
    """Return a line about a run that is made before this one."""
    names = ", ".join(sut.name for sut in plan.suts)
    about = f" {'; '.join(plan.notes)}" if plan.notes else ""
    return f"first, in a separate run: {names} is asked at most {len(plan.lanes)} questions{about}"


def _system(sut: Sut, plan: Plan[Any], prices: Prices) -> SystemPreview:
    kind = SIMULATED if sut.endpoint.simulated else sut.endpoint.provider
    price, endpoint = prices.of(sut.name), ", ".join(base_urls_of(sut))
    if price is None:
        free = None if sut.endpoint.timed else 0.0
        return SystemPreview(sut.name, kind, endpoint, free, free, sut.endpoint.proxy)
    work = plan.workload
    share = price_share(sut.endpoint)
    bound_usd = share * plan.cap * _bound(price, work, plan.options.max_tokens)
    estimated_usd = share * plan.quota * _usd(price, work.prompt_tokens, work.questions * work.answer_tokens)
    return SystemPreview(
        name=sut.name,
        kind=kind,
        endpoint=endpoint,
        # Expected answers may be longer than --max-tokens allows.
        estimated_usd=min(estimated_usd, bound_usd),
        bound_usd=bound_usd,
        proxy=sut.endpoint.proxy,
    )


def _bound(price: Price, work: Workload, max_tokens: int) -> float:
    again = work.most_questions / max(1, work.questions)
    return _usd(price, work.prompt_tokens * again, work.most_questions * max_tokens)


def _usd(price: Price, tokens_in: float, tokens_out: float) -> float:
    return (tokens_in * price.rate.input + tokens_out * price.rate.output) / _MILLION


def _sum(values: Sequence[float | None]) -> float | None:
    return None if None in values else sum(value for value in values if value is not None)
