"""Rows as JSON lines and back: exact for every text that the database can hold."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from runner.errors import InputError
from runner.json_texts import parse_json


def line_of(row: Mapping[str, object]) -> bytes:
    """Return a row as a line of JSON; half a surrogate pair, which a stored text may hold, as JSON's escape.

    Raises InputError for values that are no JSON, which a damaged database may hold.
    """
    try:
        return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError:
        pass
    try:
        return json.dumps(row, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    except (TypeError, ValueError) as error:
        raise InputError(f"the database holds what is no text or number ({error}); restore it from a copy") from None


def json_data(data: object) -> Any:  # noqa: ANN401 - JSON
    """Return the data of a report as it would be read from JSON."""
    try:
        return orjson.loads(orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS))
    except TypeError:
        return json.loads(json.dumps(data, default=asdict))


def row_of(line: bytes, where: str) -> dict[str, Any]:
    """Return the object in a line. Raises InputError, which names the place."""
    try:
        value = parse_json(line)
    except orjson.JSONDecodeError:
        value = _with_halves(line, where)
    if not isinstance(value, dict):
        raise InputError(f"{where}: an object is needed; make the bundle again")
    return value


def _with_halves(line: bytes, where: str) -> Any:  # noqa: ANN401 - JSON
    """Return what Python's own parser reads: it takes half a surrogate pair."""
    try:
        return parse_json(line, json.loads)
    except ValueError as error:
        raise InputError(f"{where}: not JSON ({error}); make the bundle again") from None
