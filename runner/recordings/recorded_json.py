"""Reads the JSON of recorded sessions: agents write a mark of byte order, halves of surrogate pairs, and cut bytes."""

import codecs
import json
from collections.abc import Iterator
from pathlib import Path

import orjson

from runner.errors import InputError
from runner.json_texts import parse_json
from runner.jsonl import each_row


def recorded_json(text: bytes | str) -> object:
    """Return the value of a JSON text; what is no character in it is U+FFFD. Raises orjson.JSONDecodeError."""
    marked = isinstance(text, bytes) and text.startswith(codecs.BOM_UTF8)
    try:
        return parse_json(text[len(codecs.BOM_UTF8) :] if marked else text)
    except orjson.JSONDecodeError as error:
        plain = text.decode("utf-8-sig", errors="replace") if isinstance(text, bytes) else text
        try:
            return with_characters(parse_json(plain, json.loads))
        except ValueError:
            raise error from None


def recorded_rows(path: Path) -> Iterator[dict[str, object] | None]:
    """Yield the object of each line, None for one that has none. Raises InputError for a file that cannot be read."""
    for row in each_row(path, parse=recorded_json):
        yield None if isinstance(row, InputError) else row.values


def with_characters(value: object) -> object:
    """Return JSON values in which halves of surrogate pairs are U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [with_characters(item) for item in value]
    if isinstance(value, dict):
        return {with_characters(name): with_characters(item) for name, item in value.items()}
    return value
