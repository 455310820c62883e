"""Before money is spent: what a run may cost has to be known if it is capped, and a person agrees or an option does."""

import sys
from collections.abc import Sequence

from runner.console import say
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from suts.connection import is_loopback
from suts.simulated.usage import SIM_PRICES
from suts.sut import Endpoint, Sut


def simulated_prices() -> dict[str, Price]:
    """The fictional prices of the simulated models, for the price table."""
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
    """Return whether a run may cost money. Raises InputError if so and there is no terminal to ask on."""
    paid = next((sut.name for sut in suts if _is_paid(sut.endpoint)), "")
    if paid and not sys.stdin.isatty():
        raise InputError(f"asking {paid} may cost money, and no terminal is there to ask on: this needs --yes")
    return bool(paid)


def confirm_paid_run() -> bool:
    """Ask once before money may be spent; returns whether to go on."""
    say("this may cost money; go on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def _is_paid(endpoint: Endpoint) -> bool:
    """Whether questions may cost money: not those to a simulated model, or to a server on this machine."""
    return endpoint.timed and not endpoint.simulated and not is_loopback(endpoint.base_url)
