"""Reads JSON that others wrote: refuses what Python could not walk, and makes texts of it fit into UTF-8."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from runner.errors import InputError
from runner.input_files import read_bytes

MOST_LEVELS = 200
Parse = Callable[[bytes | str], Any]


def parse_json(text: bytes | str, parse: Parse = orjson.loads) -> Any:  # noqa: ANN401 - the caller checks the type
    """Return the value of a JSON text. Raises orjson.JSONDecodeError, also for one of more than `MOST_LEVELS` levels.

    `parse` is another parser for texts that orjson refuses, such as those with half a surrogate pair.
    """
    try:
        value = parse(text)
    except RecursionError:
        raise _too_deep() from None
    if len(text) > MOST_LEVELS and _openers(text) > MOST_LEVELS and _is_deep(value):
        raise _too_deep()
    return value


def input_json(path: Path) -> Any:  # noqa: ANN401 - as above
    """Return the value of a JSON file, in which halves of surrogate pairs may stand. Raises InputError naming it."""
    try:
        return parse_json(read_bytes(path), json.loads)
    except OSError as error:
        raise InputError(f"{path}: no readable JSON ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: no readable JSON ({error})") from error


def stored_json(text: bytes | str) -> Any:  # noqa: ANN401 - the caller checks the type
    """Return the value of a JSON text from the database. Raises InputError: an untrusted database may hold anything."""
    try:
        return parse_json(text, _lenient)
    except orjson.JSONDecodeError as error:
        raise InputError(f"the database holds damaged JSON ({error}); use an undamaged copy of it") from None


def _lenient(text: bytes | str) -> Any:  # noqa: ANN401 - as above
    """Return what orjson reads, and what it refuses but we once wrote: half a surrogate pair, NaN."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(text)
        except ValueError:
            raise error from None


def _openers(text: bytes | str) -> int:
    """Return how many brackets and braces a text opens at most; a text is never deeper than that."""
    return text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")


def _is_deep(value: object) -> bool:
    """Return whether there are containers below the last level, which is reached level by level: nothing recurses."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(MOST_LEVELS):
        level = [
            item
            for above in level
            for item in (above.values() if isinstance(above, dict) else above)
            if isinstance(item, dict | list)
        ]
        if not level:
            return False
    return True


def _too_deep() -> orjson.JSONDecodeError:
    return orjson.JSONDecodeError(f"nested deeper than {MOST_LEVELS} levels", "", 0)


def readable(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of surrogate pairs and bytes that were none become question marks."""
    return text.encode("utf-8", "replace").decode()
