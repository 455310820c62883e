"""What a simulated answer costs: tokens by a stated rule, at fictional prices that exercise every cost column.

A token is four bytes of UTF-8, rounded up per text; each message adds four.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from suts.simulated.spec import ModelSpec

_BYTES_A_TOKEN = 4
_MESSAGE_TOKENS = 4


@dataclass(frozen=True, slots=True)
class SimPrice:
    """Fictional US dollars per million tokens, by class; reasoning is charged as output."""

    input: float
    cache_read: float
    cache_write: float
    output: float


SIM_PRICES_DATE: Final = "2026-01-01"
SIM_PRICES: Final[Mapping[str, SimPrice]] = {
    "any": SimPrice(1.0, 0.1, 1.25, 4.0),
    "careful": SimPrice(3.0, 0.3, 3.75, 15.0),
    "chatty": SimPrice(2.0, 0.2, 2.5, 10.0),
    "empty": SimPrice(1.0, 0.1, 1.25, 4.0),
    "over-run": SimPrice(1.0, 0.1, 1.25, 4.0),
    "sloppy": SimPrice(0.5, 0.05, 0.625, 2.0),
    "truth": SimPrice(1.0, 0.1, 1.25, 4.0),
    "wrong": SimPrice(1.0, 0.1, 1.25, 4.0),
}


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of one call; the input classes do not overlap, reasoning is a part of output; `cost_usd` at SIM_PRICES."""

    input: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int
    cost_usd: float


def tokens(text: str) -> int:
    """Return the tokens of a text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)


def prompt_tokens(system: str, texts: Iterable[str]) -> int:
    """Return the tokens of a prompt: the system prompt and each message, with four more for each of them."""
    return sum(tokens(text) + _MESSAGE_TOKENS for text in (system, *texts))


def count(spec: ModelSpec, number: int, prompt: int, text: str, reasoning: str, *, marked: bool = True) -> Counted:
    """Return the usage of attempt `number` (from 1) with a prompt of `prompt` tokens.

    The first attempt writes the cached share of the prompt to the cache, later ones read it. Over Anthropic's wire,
    which alone reports writes, only a `marked` prompt is cached; over the others a write is plain input.
    """
    anthropic = spec.bill.wire == "anthropic-messages"
    cached = int(prompt * spec.bill.cached) if marked or not anthropic else 0
    write = cached if number <= 1 and anthropic else 0
    read = cached if number > 1 else 0
    fresh = prompt - write - read
    reasoning_tokens = tokens(reasoning)
    output = tokens(text) + reasoning_tokens
    price = SIM_PRICES[spec.preset]
    cost = fresh * price.input + read * price.cache_read + write * price.cache_write + output * price.output
    return Counted(fresh, read, write, output, reasoning_tokens, cost / 1e6)
