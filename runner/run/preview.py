"""What a run that asks models is about to do and to cost, in lines for a person."""

from collections.abc import Iterable, Iterator, Sequence

from runner.prices import Prices
from suts.sut import Sut


def served(suts: Iterable[Sut]) -> Iterator[str]:
    """Who serves each model."""
    for sut in suts:
        kind = "simulated model" if sut.endpoint.simulated else sut.endpoint.provider
        yield f"{sut.name}: {kind} at {sut.endpoint.base_url}"


def estimates(suts: Iterable[Sut], prices: Prices, tokens_in: int, tokens_out: int) -> list[float | None]:
    """USD per system for so many tokens at list prices; None where the price is unknown."""
    found: list[float | None] = []
    for sut in suts:
        price = prices.of(sut.name)
        if price is None:
            found.append(None if sut.endpoint.timed else 0.0)
        else:
            found.append((tokens_in * price.rate.input + tokens_out * price.rate.output) / 1_000_000)
    return found


def estimated(suts: Sequence[Sut], costs: Sequence[float | None], prices: Prices) -> str:
    """What all systems together are estimated to cost, and whose price is unknown."""
    unknown = [sut.name for sut, cost in zip(suts, costs, strict=True) if cost is None]
    told = f"; the price of {', '.join(unknown)} is unknown" if unknown else ""
    known = sum(cost for cost in costs if cost is not None)
    return f"estimated cost ${known:.2f} at list prices of {prices.date}{told}"
