"""Price tables as files: our own form, the public form of litellm, and tables for people."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from runner.document import Document, Table
from runner.errors import InputError
from runner.input_files import read_bytes
from runner.json_texts import parse_json
from runner.prices import Price, Prices, Rate, load_prices

_MILLION = 1_000_000
# litellm's provider names in our ids.
_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "gemini": "google",
    "xai": "x-ai",
    "mistral": "mistralai",
    "deepseek": "deepseek",
    "openrouter": "openrouter",
}
_CLASSES = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
    "reasoning": "output_cost_per_reasoning_token",
}
_TIERS = (128, 200, 256, 272)


def refreshed(known: Prices, source: Path) -> Prices:
    """Return the table with what a file says of the same and of further models, dated by the file.

    Raises InputError when the file is in neither form.
    """
    try:
        values = parse_json(read_bytes(source), json.loads)
    except (OSError, ValueError) as error:
        raise InputError(f"{source}: cannot be read as JSON ({error}); give a price table") from error
    if isinstance(values, dict) and "models" in values:
        newer = load_prices(source)
        return Prices(newer.date, {**known.models, **newer.models})
    if not isinstance(values, dict):
        raise InputError(f"{source}: is no price table; see docs/prices.md for the forms")
    prices = dict(filter(None, (_of_litellm(name, row) for name, row in values.items())))
    if not prices:
        raise InputError(f"{source}: holds no price of a chat model; see docs/prices.md for the forms")
    date = datetime.fromtimestamp(source.stat().st_mtime, UTC).date().isoformat()
    # That table does not know which parameters a model refuses.
    refused = {name: price.refuses for name, price in known.models.items()}
    kept = {name: replace(price, refuses=refused.get(name, price.refuses)) for name, price in prices.items()}
    return Prices(date, {**known.models, **kept})


def _of_litellm(name: str, row: object) -> tuple[str, Price] | None:
    """Return a row of litellm's table (USD per token) as ours; None unless it prices a known provider's chat model."""
    if not isinstance(row, dict) or row.get("mode") not in {"chat", "responses"}:
        return None
    provider = row.get("litellm_provider")
    rate = _rate(row, "")
    if not isinstance(provider, str) or provider not in _PROVIDERS or rate is None:
        return None
    ours = _PROVIDERS[provider]
    model = name.removeprefix(f"{provider}/").removeprefix(f"{ours}/")
    tiers = tuple((size * 1000, tier) for size in _TIERS if (tier := _rate(row, f"_above_{size}k_tokens")) is not None)
    window = row.get("max_input_tokens")
    return f"{ours}/{model}", Price(rate, tiers, window if isinstance(window, int) else None)


def _rate(row: Mapping[str, Any], suffix: str) -> Rate | None:
    prices = {}
    for name, field in _CLASSES.items():
        value = row.get(f"{field}{suffix}")
        if isinstance(value, int | float):
            prices[name] = float(f"{value * _MILLION:.6g}")
    return Rate(**prices) if "input" in prices and "output" in prices else None


def as_data(date: str, models: Mapping[str, Price]) -> dict[str, Any]:
    """Return a table as the JSON values of our form."""
    return {
        "date": date,
        "unit": "USD per million tokens, list price",
        "models": [_row(*model) for model in models.items()],
    }


def _row(name: str, price: Price) -> dict[str, Any]:
    row: dict[str, Any] = {"model": name, **_known_rates(price.rate)}
    if price.window is not None:
        row["window"] = price.window
    if price.refuses:
        row["refuses"] = sorted(price.refuses)
    if price.tiers:
        row["tiers"] = [{"above": above, **_known_rates(rate)} for above, rate in price.tiers]
    return row


def _known_rates(rate: Rate) -> dict[str, float]:
    values = {name: getattr(rate, name) for name in _CLASSES}
    return {name: value for name, value in values.items() if value is not None}


def write_table(prices: Prices, file: Path) -> None:
    """Write a table in our form. Raises InputError when the file cannot be written."""
    named = dict(sorted(prices.models.items()))
    try:
        file.write_text(json.dumps(as_data(prices.date, named), indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"--save {file}: cannot be written ({error.strerror}); name another file") from error


def price_document(date: str, models: Mapping[str, Price]) -> Document:
    """Return a table for people."""
    columns = ("model", "input", "cache read", "cache write", "output", "reasoning", "above", "window")
    rows = []
    for name, price in sorted(models.items()):
        rows.append((name, *_cells(price.rate), "", str(price.window or "")))
        rows.extend((name, *_cells(rate), f"{above:,}", "") for above, rate in price.tiers)
    table = Table(f"{len(models)} models", columns, tuple(rows), ("model", "input", "output", "above"))
    return Document(f"list prices of {date}, USD per million tokens", (table,))


def _cells(rate: Rate) -> tuple[str, ...]:
    full = replace(rate, cache_read=_or(rate.cache_read, rate.input), cache_write=_or(rate.cache_write, rate.input))
    values = (full.input, full.cache_read, full.cache_write, full.output, _or(full.reasoning, full.output))
    return tuple(f"{value:g}" for value in values)


def _or(value: float | None, otherwise: float) -> float:
    return otherwise if value is None else value
