"""Consent before money is spent: a capped run needs known prices, and a paid run needs a confirmation or --yes."""

import sys
from collections.abc import Sequence

from runner.console import say
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from suts.connection import is_loopback
from suts.simulated.usage import SIM_PRICES
from suts.sut import Endpoint, Sut


def simulated_prices() -> dict[str, Price]:
    """Return the fictional prices of the simulated models, for the price table."""
    return {
        f"sim/{name}": Price(Rate(price.input, price.output, price.cache_read, price.cache_write))
        for name, price in SIM_PRICES.items()
    }


def refuse_unpriced(suts: Sequence[Sut], prices: Prices, budget_usd: float | None) -> None:
    """Raise InputError for a model of unknown price in a run with a budget: the cap could not be kept."""
    for sut in suts if budget_usd is not None else ():
        if sut.endpoint.timed and prices.of(sut.name) is None:
            raise InputError(f"--budget: the price of {sut.name} is unknown; add it to a table and give it as --prices")


def needs_consent(suts: Sequence[Sut]) -> bool:
    """Return whether a run may cost money. Raises InputError if so and there is no terminal for a confirmation."""
    paid = next((sut.name for sut in suts if _is_paid(sut.endpoint)), "")
    if paid and not sys.stdin.isatty():
        raise InputError(f"asking {paid} may cost money, and there is no terminal to confirm on: give --yes")
    return bool(paid)


def confirm_paid_run() -> bool:
    """Ask for confirmation before money may be spent; return whether to continue."""
    say("this may cost money; continue? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _is_paid(endpoint: Endpoint) -> bool:
    """Return whether questions may cost money: not those to a simulated model or a server on this machine."""
    return endpoint.timed and not endpoint.simulated and not is_loopback(endpoint.base_url)
