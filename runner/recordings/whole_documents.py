"""Reads JSON documents that are lists of messages; of one that was cut, the messages before the cut."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson

from runner.errors import InputError
from runner.input_files import open_input, read_bytes
from runner.recordings.recorded_json import recorded_json, with_characters

LARGEST = 512 << 20
_OPENING = re.compile(r"[\s\ufeff]*\[")
_COMMA = re.compile(r"\s*,?\s*")


@dataclass(frozen=True, slots=True)
class MessageDocument:
    """A document: its value, None if it was cut; then `text` is what there is of it."""

    value: object
    text: str = ""

    @property
    def is_cut(self) -> bool:
        """Whether the document could not be read whole."""
        return bool(self.text)


def read_document(path: Path) -> MessageDocument:
    """Return a document, whole or cut. Raises InputError for a file that cannot be read."""
    try:
        data = read_bytes(path, LARGEST)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a recorded session") from error
    try:
        return MessageDocument(recorded_json(data))
    except orjson.JSONDecodeError:
        return MessageDocument(None, data.decode(errors="replace"))


def read_messages(path: Path, key: str = "") -> tuple[list[object], bool]:
    """Return the items of a list, or of the list at `key` of an object, and whether the document is damaged.

    Raises InputError for a file that cannot be read.
    """
    document = read_document(path)
    if document.is_cut:
        return next(lists_before_cut(document.text, key), []), True
    value = document.value
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
        value = recorded_json(read_bytes(path))
    except (OSError, orjson.JSONDecodeError):
        return {}
    return value if isinstance(value, dict) else {}


def lists_before_cut(text: str, key: str = "") -> Iterator[list[object]]:
    """Yield the whole items of the list that a cut text is, or of each list at `key` of an object in it."""
    decoder = json.JSONDecoder()
    # A quote within a text is escaped: this is the name of a field.
    opening = re.compile(rf'(?<!\\)"{re.escape(key)}"\s*:\s*\[') if key else _OPENING
    start = opening.search(text) if key else opening.match(text)
    while start is not None:
        listed, position = _items(decoder, text, start.end())
        yield listed
        start = opening.search(text, position) if key else None


def _items(decoder: json.JSONDecoder, text: str, position: int) -> tuple[list[object], int]:
    """Return the whole items of a list from a position on, and where they end."""
    listed = list[object]()
    while True:
        comma = _COMMA.match(text, position)
        position = comma.end() if comma else position
        try:
            item, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            return listed, position
        listed.append(with_characters(item))
