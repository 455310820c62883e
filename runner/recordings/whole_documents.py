"""Reads JSON documents that are lists of messages; of one that was cut, the messages before the cut."""

import json
import re
from pathlib import Path

import orjson

from runner.errors import InputError
from runner.input_files import open_input, read_bytes
from runner.json_texts import parse_json

LARGEST = 512 << 20
_OPENING = re.compile(r"\s*\[")
_COMMA = re.compile(r"\s*,?\s*")


def read_messages(path: Path, key: str = "") -> tuple[list[object], bool]:
    """Return the items of a list, or of the list at `key` of an object, and whether the document is damaged.

    Raises InputError for a file that cannot be read.
    """
    try:
        data = read_bytes(path, LARGEST)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a recorded session") from error
    try:
        value = parse_json(data)
    except orjson.JSONDecodeError:
        return _before_cut(data.decode(errors="replace"), key), True
    listed = value.get(key) if key and isinstance(value, dict) else value
    return (listed, False) if isinstance(listed, list) else ([], True)


def both_ends(path: Path, size: int) -> bytes:
    """Return the first and the last bytes of a document, whose fields come in any order; b"" if none can be read."""
    try:
        with open_input(path) as file:
            head = file.read(size)
            file.seek(max(size, path.stat().st_size - size))
            return head + file.read(size)
    except OSError:
        return b""


def read_object(path: Path) -> dict[str, object]:
    """Return an object beside a session; an empty one where there is none that can be read."""
    try:
        value = parse_json(read_bytes(path))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def _before_cut(text: str, key: str) -> list[object]:
    start = re.compile(rf'"{re.escape(key)}"\s*:').search(text) if key else None
    opening = _OPENING.match(text, start.end() if start else 0)
    if opening is None or (key and start is None):
        return []
    decoder, position, messages = json.JSONDecoder(), opening.end(), list[object]()
    while True:
        comma = _COMMA.match(text, position)
        position = comma.end() if comma else position
        try:
            message, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return messages
        messages.append(message)
