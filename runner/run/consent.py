"""Before money is spent: what a run may cost has to be known if it is capped, and a person agrees or an option does."""

import sys
from collections.abc import Sequence

from runner.console import say
from runner.errors import InputError
from runner.prices import Price, Prices, Rate
from suts.simulated.usage import SIM_PRICES
from suts.sut import Sut


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


def asks_for_consent(suts: Sequence[Sut]) -> bool:
    """Whether a run may cost money, and there is somebody at the terminal to ask."""
    paid = any(sut.endpoint.timed and not sut.endpoint.simulated for sut in suts)
    return paid and sys.stdin.isatty()


def consented() -> bool:
    """Ask once before money may be spent; returns whether to go on."""
    say("this may cost money; go on? [y/N]")
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
