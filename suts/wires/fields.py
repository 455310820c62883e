"""Checks single fields of a chunk: the type and range that a field must have, and which deviations are accepted.

Every function raises TypeError or ValueError for what it does not accept; the decoder makes MALFORMED of these.
"""

from math import isfinite

import orjson

# Larger integers are not exact in JSON readers that use doubles, and no answer has so many tokens.
LARGEST_COUNT = 2**53


def text(value: object) -> str:
    """Return a string; "" for null or a missing field."""
    if value is None:
        return ""
    if type(value) is str:
        return value
    raise TypeError("not a string")


def text_or_none(value: object) -> str | None:
    """Return a string, or None for null or a missing field."""
    if value is None or type(value) is str:
        return value
    raise TypeError("not a string")


def members(value: object) -> dict[str, object]:
    """Return an object's members; none for null, a missing field, or an empty value of another type."""
    if not value:
        return {}
    if type(value) is dict:
        return value
    raise TypeError("not an object")


def count(value: object) -> int | None:
    """Return a number of tokens, which some servers write as `12.0`; None for null or a missing field."""
    if value is None:
        return None
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is not int:
        raise TypeError("not a whole number")
    if not 0 <= value <= LARGEST_COUNT:
        raise ValueError("not a number of tokens")
    return value


def amount(value: object) -> float | None:
    """Return an amount of money; None for null or a missing field."""
    if value is None:
        return None
    if type(value) is not int and type(value) is not float:
        raise TypeError("not a number")
    if not (isfinite(value) and value >= 0):
        raise ValueError("not an amount of money")
    return float(value)


def call_index(value: object) -> int | None:
    """Return the index of a tool call or block; None for null or a missing field."""
    if type(value) is float and value.is_integer():
        return int(value)
    if value is None or type(value) is int:
        return value
    raise TypeError("not an index")


def call_arguments(value: object) -> str:
    """Return a piece of a call's arguments as JSON text.

    Servers that do not write text but the object itself give the whole of it; an empty one says nothing yet.
    """
    if type(value) is dict:
        return orjson.dumps(value).decode() if value else ""
    return text(value)
