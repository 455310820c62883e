"""What calls cost by list price: a dated table, costs by token class, and upper bounds before a call is sent."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import msgspec

from runner.errors import InputError
from runner.input_files import read_bytes
from runner.json_texts import parse_json
from runner.records import Tokens
from runner.structs import WHOLE, WrongField, converted, fix
from suts.sut import Request
from suts.tools import Tool
from suts.variants import without_changes

_MILLION = 1_000_000
_RESPONSES = "openai-responses/"
# What a simulated model costs: its prices are fictional, so that budgets can be tried.
SIMULATED_USD = "$0 (simulated)"


@dataclass(frozen=True, slots=True)
class Rate:
    """USD per million tokens of each class; a class without a price of its own costs what input or output does."""

    input: float
    output: float
    cache_read: float | None = None
    cache_write: float | None = None
    reasoning: float | None = None


@dataclass(frozen=True, slots=True)
class Price:
    """A model's list price: its rate, the rates above prompt sizes (in tokens, ascending), its context window.

    `refuses` are the parameters of a request that the model does not take.
    """

    rate: Rate
    tiers: tuple[tuple[int, Rate], ...] = ()
    window: int | None = None
    refuses: frozenset[str] = frozenset()

    def rate_at(self, prompt_tokens: int) -> Rate:
        """Return the rate that a prompt of this size pays."""
        rate = self.rate
        for above, tier in self.tiers:
            if prompt_tokens > above:
                rate = tier
        return rate


_Usd = Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max), fix("give a price, a number of at least 0")]
_Size = Annotated[float, WHOLE, fix("give tokens, a whole number")]


class RateRow(msgspec.Struct, frozen=True, kw_only=True):
    """The prices of a model, or of a tier, in a table."""

    input: _Usd
    output: _Usd
    cache_read: _Usd | None = None
    cache_write: _Usd | None = None
    reasoning: _Usd | None = None

    def as_rate(self) -> Rate:
        """Return the prices alone."""
        return Rate(self.input, self.output, self.cache_read, self.cache_write, self.reasoning)


class TierRow(RateRow, frozen=True, kw_only=True):
    """The prices of prompts of more than `above` tokens."""

    above: _Size


class ModelRow(RateRow, frozen=True, kw_only=True):
    """A model of a table."""

    model: str
    tiers: tuple[TierRow, ...] | None = None
    window: _Size | None = None
    refuses: tuple[str, ...] = ()

    def as_price(self) -> Price:
        """Return the prices with the tiers in ascending order."""
        tiers = sorted(self.tiers or (), key=lambda tier: tier.above)
        window = None if self.window is None else int(self.window)
        rates = tuple((int(tier.above), tier.as_rate()) for tier in tiers)
        return Price(self.as_rate(), rates, window, frozenset(self.refuses))


class TableFile(msgspec.Struct, frozen=True):
    """A price table; docs/prices.md describes its fields."""

    date: str | int
    models: tuple[ModelRow, ...]


@dataclass(frozen=True, slots=True)
class Prices:
    """A price table and its date; an unknown model has an unknown price, never zero."""

    date: str
    models: Mapping[str, Price] = field(default_factory=dict)

    def of(self, sut: str) -> Price | None:
        """Return the price of a system by its exact id, else by its id without changes of the sampling (`@name=value`).

        Rates of simulated models (`?...`) do not change their price. Any other `@` or `?` is a part of the id: a model
        of another date or version may have another price.
        """
        return self._listed(sut) or self._listed(_model_of(sut))

    def _listed(self, name: str) -> Price | None:
        listed = self.models.get(name) or self.models.get(name.removeprefix("openrouter/"))
        if listed is None and name.startswith(_RESPONSES):
            # One model over another of its vendor's APIs.
            return self.models.get(f"openai/{name.removeprefix(_RESPONSES)}")
        return listed

    def cost(self, sut: str, tokens: Tokens) -> float | None:
        """USD of an answer by list price; None where the price or the counts are unknown."""
        price = self.of(sut)
        if price is None or tokens.input is None or tokens.output is None:
            return None
        read, write = tokens.cache_read or 0, tokens.cache_write or 0
        rate = price.rate_at(tokens.input + read + write)
        reasoning = min(tokens.reasoning or 0, tokens.output) if rate.reasoning is not None else 0
        return (
            tokens.input * rate.input
            + read * _first(rate.cache_read, rate.input)
            + write * _first(rate.cache_write, rate.input)
            + (tokens.output - reasoning) * rate.output
            + reasoning * _first(rate.reasoning, rate.output)
        ) / _MILLION

    def bound(self, sut: str, request: Request) -> float | None:
        """Return the most that a call can cost: each byte of the request a token, all of `max_tokens` used."""
        price = self.of(sut)
        if price is None:
            return None
        size = request_bytes(request)
        rates = [price.rate, *(rate for above, rate in price.tiers if size > above)]
        highest_input = max(max(rate.input, rate.cache_read or 0, rate.cache_write or 0) for rate in rates)
        highest_output = max(max(rate.output, rate.reasoning or 0) for rate in rates)
        return (size * highest_input + request.sampling.max_tokens * highest_output) / _MILLION


def _model_of(sut: str) -> str:
    """Return the id of a system's model as a table names it."""
    name = without_changes(sut)
    return name.partition("?")[0] if name.startswith("sim/") else name


def request_bytes(request: Request) -> int:
    """UTF-8 bytes of a request's texts, images, calls and tools, with room for the envelope of each message."""
    messages = request.messages
    images = [image for message in messages for image in message.images]
    calls = [part for message in messages for call in message.calls for part in (call.name, call.arguments)]
    texts = [request.system, *request.texts, *images, *calls]
    return sum(map(_size, texts)) + sum(map(_declared_bytes, request.tools)) + 64 * (len(messages) + 1)


@lru_cache(maxsize=256)
def _declared_bytes(tool: Tool) -> int:
    """Return the bytes of a declaration; the same tools are declared in every request of a run."""
    return sum(map(_size, (tool.name, tool.description, json.dumps(tool.parameters))))


def _size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def load_prices(path: Path | None = None, extra: Mapping[str, Price] | None = None) -> Prices:
    """Return the table in a file, else the snapshot that comes with this version; `extra` prices are added.

    Raises InputError naming file, field and fix.
    """
    source = path or files("runner").joinpath("prices.json")
    try:
        values = parse_json(read_bytes(path) if path else source.read_bytes(), json.loads)
    except OSError as error:
        raise InputError(f"{source}: cannot be read ({error.strerror}); name a price table with --prices") from error
    except ValueError as error:
        raise InputError(f"{source}: not a price table ({error!r}); see docs/prices.md for its form") from error
    table = converted(values, TableFile, lambda wrong: _not_a_table(source, wrong))
    return Prices(str(table.date), {row.model: row.as_price() for row in table.models} | dict(extra or {}))


def _not_a_table(source: object, wrong: WrongField) -> InputError:
    field = f"field {wrong.path}" if wrong.path else "it"
    return InputError(f"{source}: not a price table: {field} {wrong.problem}; {wrong.fix}, see docs/prices.md")


def _first(price: float | None, otherwise: float) -> float:
    return otherwise if price is None else price
