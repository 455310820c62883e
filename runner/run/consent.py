"""Before money is spent: a run with a budget needs known prices and enough for a call; a paid run needs consent."""

import sys
from collections.abc import Sequence

from runner.console import say
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from runner.run.budget import TO_LOWER, dollars, most_usd
from suts.connection import is_loopback
from suts.replicated import replicas_of
from suts.simulated.usage import SIM_PRICES
from suts.sut import Request, Sampling, Sut
from suts.variants import with_changes


def simulated_prices() -> dict[str, Price]:
    """Return the fictional prices of the simulated models, for the price table."""
    return {
        f"sim/{name}": Price(Rate(price.input, price.output, price.cache_read, price.cache_write))
        for name, price in SIM_PRICES.items()
    }


def refuse_unpriced(suts: Sequence[Sut], prices: Prices, budget_usd: float | None) -> None:
    """Raise InputError for a model of unknown price in a run with a budget: the cap could not be kept."""
    for sut in suts if budget_usd is not None else ():
        # A system with limits of its own holds its requests to the prices of the models that it asks.
        if sut.endpoint.timed and not sut.endpoint.own_limits and prices.of(sut.name) is None:
            raise InputError(f"--budget: the price of {sut.name} is unknown; add it to a table and give it as --prices")


def refuse_small_budget(suts: Sequence[Sut], prices: Prices, sampling: Sampling, budget_usd: float) -> None:
    """Raise InputError for a budget that pays no call of any of these models: the run would be created for nothing.

    A call is taken to cost at least its `max_tokens`, without its prompt.
    """
    if not suts:
        return
    request = Request("", (), sampling)
    bounds = {sut.name: most_usd(sut, with_changes(sut, request), prices) or 0.0 for sut in suts}
    cheapest = min(bounds, key=lambda name: bounds[name])
    if bounds[cheapest] > budget_usd:
        least = f"a call of {cheapest} may cost ${bounds[cheapest]:.4f} and more"
        raise InputError(f"--budget: is {dollars(budget_usd)}, and {least}; {TO_LOWER}")


def needs_consent(suts: Sequence[Sut]) -> bool:
    """Return whether a run may cost money. Raises InputError if so and there is no terminal for a confirmation."""
    paid = next((sut.name for sut in suts if any(map(_is_paid, replicas_of(sut)))), "")
    if paid and not sys.stdin.isatty():
        raise InputError(f"asking {paid} may cost money, and there is no terminal to confirm on: give --yes")
    return bool(paid)


def confirm_paid_run() -> bool:
    """Ask for confirmation before money may be spent; return whether to continue."""
    say("this may cost money; continue? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _is_paid(sut: Sut) -> bool:
    """Return whether questions may cost money: not those to a simulated model or a server on this machine."""
    endpoint = sut.endpoint
    return endpoint.timed and not endpoint.simulated and not is_loopback(endpoint.base_url)
